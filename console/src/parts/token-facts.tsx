import { useLoad } from "../data/load.ts";
import { anyone } from "../data/network.ts";
import { Address, Time, Transaction } from "./format.tsx";
import { notice } from "./notices.tsx";
import { Ready } from "./states.tsx";
import { Button, Card } from "./ui.tsx";

/** Where a token comes from and who earns what, for anyone to check on chain. */
export function TokenFacts({ mint }: { readonly mint: string }) {
  const origin = useLoad((signal) => anyone.publicToken(mint, { signal }), [mint]);
  return (
    <Ready of={origin} what="where the token comes from">
      {({ poolAddress, creator, config, fees, launchTransaction, deployedAt }) => (
        <div class="halves">
          <Card title="Who earns">
            {fees ? (
              <dl>
                <dt>On the bonding curve</dt>
                <dd>
                  <Fee {...fees.bondingCurve} />
                </dd>
                <dt>After migration</dt>
                <dd>
                  <Fee {...fees.liquidityPool} />
                </dd>
                <dt>Creator</dt>
                <dd>
                  <Address value={creator} isLinked />
                </dd>
              </dl>
            ) : (
              <p class="soft">The fees of this token are not known to this service.</p>
            )}
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
                  <dt>Launched by</dt>
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
        </div>
      )}
    </Ready>
  );
}

function Fee(props: {
  readonly startBps: number;
  readonly endBps: number;
  readonly creatorSharePercent: number;
}) {
  const { startBps, endBps, creatorSharePercent } = props;
  const change = endBps === startBps ? "" : `, later ${endBps / 100} %`;
  return (
    <>
      {startBps / 100} %{change} of each trade; the creator gets {creatorSharePercent} % of it after
      the protocol's cut
    </>
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
