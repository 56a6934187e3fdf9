import type { OperatorReport } from "@tokenctl/shared/operator-report";
import { solToLamports } from "@tokenctl/shared/sol";
import type { ComponentChildren } from "preact";
import { Address, Sol, Time } from "../parts/format.tsx";
import { Badge, Card, Dot, Item, type RowOf, Rows, Stat } from "../parts/ui.tsx";

interface Shown {
  readonly report: OperatorReport;
}

export function Service({ report }: Shown) {
  const { health, chain, version, database, admission } = report;
  const { msPerBlock, lamportsPerByte } = chain;
  return (
    <Card
      title="Service"
      actions={
        <Badge tone={health.ok ? "good" : "bad"}>{health.ok ? "Healthy" : "Not healthy"}</Badge>
      }
    >
      {health.message && <p class={health.ok ? "soft" : "bad"}>{health.message}</p>}
      <Rows
        rows={[
          [
            "Chain",
            <>
              {chain.name}
              {msPerBlock !== null && `, a block takes ${(msPerBlock / 1000).toFixed(2)} s`}
              {lamportsPerByte !== null && `, rent ${lamportsPerByte} lamports a byte`}
            </>,
          ],
          ["Config", chain.config !== null && <Address value={chain.config} isLinked />],
          ["Admission", admission.mode],
          ["Version", `${version}, ${database}`],
        ]}
      />
    </Card>
  );
}

const amount = (sol: number) => <Sol lamports={solToLamports(sol)} />;

/** Shows a number on a card, and below it the total that it belongs to. */
function Figure(props: {
  readonly label: string;
  readonly children: ComponentChildren;
  readonly below?: ComponentChildren;
}) {
  return (
    <Card>
      <Stat label={props.label}>{props.children}</Stat>
      {props.below !== undefined && <div class="sub">{props.below}</div>}
    </Card>
  );
}

export function Figures({ report }: Shown) {
  const { queue, wallet, hours } = report;
  const { maxDailySpendSOL: most, spentTodaySOL: spent, committedSOL: committed } = wallet;
  const launched = hours.reduce((sum, { success }) => sum + success, 0);
  const failed = hours.reduce((sum, hour) => sum + hour.failed + hour.rate_limited, 0);
  return (
    <div class="figures">
      <Figure
        label="In the queue"
        below={
          queue.oldestCreatedAt === null ? (
            `Room for ${queue.limit?.toLocaleString("en") ?? "any number"}`
          ) : (
            <>
              Oldest: <Time iso={new Date(queue.oldestCreatedAt).toISOString()} />
            </>
          )
        }
      >
        {queue.depth}
      </Figure>
      <Figure label="Launched in 24 h" below={`${failed} ended without a token`}>
        {launched}
      </Figure>
      <Figure
        label="Spent today"
        below={
          most === null ? (
            "No limit"
          ) : (
            <>
              <progress
                value={Math.min(1, (committed ?? spent) / most)}
                max={1}
                aria-label="Of today's budget, with launches that wait"
              />
              of {amount(most)}
            </>
          )
        }
      >
        {amount(spent)}
      </Figure>
      <Figure
        label="Launch wallet"
        below={wallet.balanceSOL === null ? "None, or not read yet" : "What it holds"}
      >
        {wallet.balanceSOL === null ? "–" : amount(wallet.balanceSOL)}
      </Figure>
    </div>
  );
}

export function Money({ report: { money } }: Shown) {
  const costs = money.launchesSOL + money.migrationsSOL + money.collectingSOL;
  const left = money.collectedSOL + (money.toCollectSOL ?? 0) - costs;
  const rows: readonly RowOf[] = [
    ["Collected", amount(money.collectedSOL)],
    ["Not collected yet", amount(money.toCollectSOL ?? 0)],
    ["Launches took", amount(money.launchesSOL)],
    ["Migrations took", amount(money.migrationsSOL)],
    ["Collecting took", amount(money.collectingSOL)],
    [
      "Left",
      <span class={left < 0 ? "bad" : "good"}>
        {left < 0 && "−"}
        {amount(Math.abs(left))}
      </span>,
    ],
  ];
  return (
    <Card title="Revenue and costs">
      <Rows kind="receipt" rows={rows} />
      <p class="soft">
        {money.toCollectSOL === null ? (
          <>
            <code>tokend revenue</code> also counts what is still in the pools.
          </>
        ) : (
          <>
            <code>tokend collect</code> would take at least {amount(money.toCollectSOL)} more.
          </>
        )}
      </p>
    </Card>
  );
}

export function Nodes({ report: { nodes } }: Shown) {
  return (
    <Card title="RPC nodes">
      <ul>
        {nodes.map(({ name, problem }) => (
          <Item
            key={name}
            lead={
              <Dot icon={problem === null ? "check" : "cross"} tone={problem ? "bad" : "good"} />
            }
            title={name}
            sub={problem ?? "Used"}
          />
        ))}
      </ul>
    </Card>
  );
}

export function Servers({ report: { servers } }: Shown) {
  return (
    <Card title="Servers">
      <ul>
        {servers.map(({ id, host, pid, version, startedAt, isUpToDate }) => (
          <Item
            key={id}
            lead={<Dot icon={isUpToDate ? "check" : "clock"} tone={isUpToDate ? "good" : "warn"} />}
            title={
              <span class="clip" title={host}>
                {host}
              </span>
            }
            sub={`Process ${pid}, version ${version}`}
            end={<Time iso={new Date(startedAt).toISOString()} />}
          />
        ))}
      </ul>
    </Card>
  );
}
