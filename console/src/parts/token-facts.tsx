import type { PublicToken, TradeFee } from "@tokenctl/sdk";
import { feeBpsAfter, feeInWords } from "@tokenctl/shared/fee-words";
import { hrefs } from "../data/hrefs.ts";
import { Address, SolNumber, Time, Transaction } from "./format.tsx";
import { Card, Rows, Stat } from "./ui.tsx";

export function TokenFacts(props: {
  readonly token: PublicToken;
  /** SOL that the creator has earned on the bonding curve; null if unknown. */
  readonly earnedSOL: number | null;
}) {
  const { token, earnedSOL } = props;
  const { tokenMint, poolAddress, creator, config, fees, launchTransaction, deployedAt } = token;
  return (
    <>
      <Card title="Creator">
        {earnedSOL !== null && (
          <Stat label="Earned on the bonding curve">
            <SolNumber value={earnedSOL} />
          </Stat>
        )}
        <Rows
          rows={[
            ["Launched by", <Address value={creator} isLinked />],
            ["All its tokens", <a href={hrefs.agent(creator)}>Profile</a>],
          ]}
        />
        {fees && (
          <ul class="facts">
            <Fee where="On the bonding curve" fee={fees.bondingCurve} deployedAt={deployedAt} />
            <Fee where="After migration" fee={fees.liquidityPool} deployedAt={deployedAt} />
          </ul>
        )}
        {!fees && <p class="soft">The fees of this token are not known to this service.</p>}
      </Card>
      <Card title="On chain">
        <Rows
          rows={[
            ["Mint", <Address value={tokenMint} isLinked />],
            ["Pool", <Address value={poolAddress} isLinked />],
            ["Config", config !== null && <Address value={config} isLinked />],
            ["Launch", launchTransaction !== null && <Transaction hash={launchTransaction} />],
            ["Launched", <Time iso={deployedAt} />],
          ]}
        />
      </Card>
    </>
  );
}

function Fee(props: {
  readonly where: string;
  readonly fee: TradeFee;
  readonly deployedAt: string;
}) {
  const { where, fee, deployedAt } = props;
  const now = feeBpsAfter(fee, (Date.now() - Date.parse(deployedAt)) / 1000);
  const since = fee.schedule ? ` (now about ${Number((now / 100).toPrecision(3))} %)` : "";
  return (
    <li>
      <span class="label">{where}</span>
      <div>{`${feeInWords(fee)}${since}; the creator gets ${fee.creatorSharePercent} % of it after the protocol's cut`}</div>
    </li>
  );
}
