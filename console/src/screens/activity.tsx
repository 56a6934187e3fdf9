import type { LaunchRecord } from "@tokenctl/sdk";
import { useState } from "preact/hooks";
import { useLoad } from "../data/load.ts";
import { useNews } from "../data/news.ts";
import { useSession } from "../data/session.ts";
import { Time } from "../parts/format.tsx";
import { History } from "../parts/history.tsx";
import { waitingText } from "../parts/launch-state.ts";
import { Empty, Loading, Problem } from "../parts/states.tsx";
import { hrefs } from "../router.ts";

/** What was paid, and the launches that failed or wait. */
export function Activity() {
  return (
    <>
      <h1>Activity</h1>
      <History />
      <Launches />
    </>
  );
}

function Launches() {
  const { client } = useSession();
  const news = useNews();
  const [changes, setChanges] = useState(0);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  // Its buttons rest until the list is read again, so that a double click does nothing twice.
  const [acted, setActed] = useState<LaunchRecord | null>(null);
  const launches = useLoad((signal) => client.launches({ signal }), [client, news, changes]);
  const act = async (launch: LaunchRecord, work: () => Promise<unknown>) => {
    setActed(launch);
    setIsBusy(true);
    setError(null);
    await work().catch(setError);
    setIsBusy(false);
    setChanges((count) => count + 1);
  };
  return (
    <section>
      <h2>Launches</h2>
      {error !== null && <Problem error={error} />}
      {launches.data === null && launches.error === null && <Loading what="your launches" />}
      {launches.error !== null && <Problem error={launches.error} onRetry={launches.reload} />}
      {launches.data?.launches.length === 0 && <Empty>No launches yet.</Empty>}
      {launches.data && launches.data.launches.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">Ticker</th>
              <th scope="col">State</th>
              <th scope="col">
                <span class="for-readers">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {launches.data.launches.map((launch) => (
              <tr key={launch.eventId}>
                <td>
                  <Time iso={launch.createdAt} />
                </td>
                <th scope="row">
                  <a href={hrefs.status(launch.eventId)}>{launch.ticker}</a>
                </th>
                <td>{stateText(launch)}</td>
                <td class="action">
                  {launch.status === "pending" && (
                    <button
                      type="button"
                      disabled={isBusy || acted === launch}
                      aria-label={`Cancel ${launch.ticker}`}
                      onClick={() => void act(launch, () => client.cancelLaunch(launch.eventId))}
                    >
                      Cancel
                    </button>
                  )}
                  {(launch.status === "failed" || launch.status === "rate_limited") && (
                    <button
                      type="button"
                      disabled={isBusy || acted === launch}
                      aria-label={`Retry ${launch.ticker}`}
                      onClick={() => void act(launch, () => client.retryLaunch(launch.eventId))}
                    >
                      Retry
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function stateText(launch: LaunchRecord): string {
  if (launch.status === "success") return "on chain";
  if (launch.status === "pending") return waitingText(launch);
  return launch.error ?? launch.status;
}
