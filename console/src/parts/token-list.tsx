import type { ShownToken } from "@tokenctl/shared/page-facts";
import { hrefs } from "../data/hrefs.ts";
import { Name, SolNumber, Time } from "./format.tsx";
import { CurveBar } from "./market.tsx";
import { TokenImage } from "./token-image.tsx";

export function TokenList({ tokens }: { readonly tokens: readonly ShownToken[] }) {
  return (
    <ul class="tiles">
      {tokens.map(({ tokenMint, ticker, tokenName, imageUrl, market, deployedAt }) => (
        <li key={tokenMint}>
          <a class="tile" href={hrefs.shared(tokenMint)}>
            <TokenImage ticker={ticker} seed={tokenMint} url={imageUrl} size={56} />
            <span class="names">
              <strong class="clip">{ticker}</strong>
              <Name text={tokenName} kind="clip soft" />
              <span class="sub">
                <Time iso={deployedAt} />
              </span>
            </span>
            {market && (
              <span class="numbers">
                <span>
                  <span class="label">Market cap</span> <SolNumber value={market.marketCapSOL} />
                </span>
                <CurveBar market={market} />
              </span>
            )}
          </a>
        </li>
      ))}
    </ul>
  );
}
