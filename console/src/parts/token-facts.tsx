import { useLoad } from "../data/load.ts";
import { useMarkets } from "../data/market.ts";
import { anyone } from "../data/network.ts";
import { Address, SolNumber, Time, Transaction } from "./format.tsx";
import { notice } from "./notices.tsx";
import { Proofs } from "./proofs.tsx";
import { Ready } from "./states.tsx";
import { Button, Card, Stat } from "./ui.tsx";

/** Who launched a token, who earns what, and where it is on chain: for anyone to check. */
export function TokenFacts({ mint }: { readonly mint: string }) {
  const origin = useLoad((signal) => anyone.publicToken(mint, { signal }), [mint]);
  const [market] = useMarkets([mint]).values();
  return (
    <Ready of={origin} what="where the token comes from">
      {({ poolAddress, creator, config, fees, launchTransaction, deployedAt }) => (
        <>
          <Card title="Creator">
            {market && (
              <Stat label="Earned on the bonding curve">
                <SolNumber value={market.creatorFeesSOL} />
              </Stat>
            )}
            <dl>
              <dt>Launched by</dt>
              <dd>
                <Address value={creator} isLinked />
              </dd>
            </dl>
            {fees && (
              <ul class="facts">
                <Fee where="On the bonding curve" {...fees.bondingCurve} />
                <Fee where="After migration" {...fees.liquidityPool} />
              </ul>
            )}
            {!fees && <p class="soft">The fees of this token are not known to this service.</p>}
          </Card>
          <Card title="On chain">
            <dl>
              <dt>Mint</dt>
              <dd>
                <Address value={mint} isLinked />
              </dd>
              <dt>Pool</dt>
              <dd>
                <Address value={poolAddress} isLinked />
              </dd>
              {config !== null && (
                <>
                  <dt>Config</dt>
                  <dd>
                    <Address value={config} isLinked />
                  </dd>
                </>
              )}
              {launchTransaction !== null && (
                <>
                  <dt>Launch</dt>
                  <dd>
                    <Transaction hash={launchTransaction} />
                  </dd>
                </>
              )}
              <dt>Launched</dt>
              <dd>
                <Time iso={deployedAt} />
              </dd>
            </dl>
          </Card>
          {config !== null && <Proofs mint={mint} config={config} />}
        </>
      )}
    </Ready>
  );
}

function Fee(props: {
  readonly where: string;
  readonly startBps: number;
  readonly endBps: number;
  readonly creatorSharePercent: number;
}) {
  const { where, startBps, endBps, creatorSharePercent } = props;
  const change = endBps === startBps ? "" : `, later ${endBps / 100} %`;
  return (
    <li>
      <span class="label">{where}</span>
      <div>
        {startBps / 100} %{change} of each trade; the creator gets {creatorSharePercent} % of it
        after the protocol's cut
      </div>
    </li>
  );
}

/** Hands the address of a token's page to an app of the device, or copies it. */
export function Share({ path, ticker }: { readonly path: string; readonly ticker: string }) {
  const share = async () => {
    const url = location.origin + path;
    if (navigator.share) return navigator.share({ title: ticker, url });
    await navigator.clipboard.writeText(url);
    notice("The link is copied");
  };
  return (
    <Button
      onClick={() =>
        void share().catch(
          (error: Error) => error.name === "AbortError" || notice("The browser cannot share"),
        )
      }
    >
      Share
    </Button>
  );
}
