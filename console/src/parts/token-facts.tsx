import type { PublicToken } from "@tokenctl/sdk";
import { hrefs } from "../data/hrefs.ts";
import { Address, SolNumber, Time, Transaction } from "./format.tsx";
import { Card, Stat } from "./ui.tsx";

/** Who launched a token, who earns what, and where it is on chain: for anyone to check. */
export function TokenFacts(props: {
  readonly token: PublicToken;
  /** What its creator has earned on the bonding curve; null if it is not known. */
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
        <dl>
          <dt>Launched by</dt>
          <dd>
            <Address value={creator} isLinked />
          </dd>
          <dt>All its tokens</dt>
          <dd>
            <a href={hrefs.agent(creator)}>Profile</a>
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
            <Address value={tokenMint} isLinked />
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
    </>
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
