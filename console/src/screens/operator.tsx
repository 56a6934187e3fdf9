import { solToLamports } from "@tokenctl/shared/sol";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useLoad } from "../data/load.ts";
import {
  closeView,
  type OperatorReport,
  openView,
  operatorToken,
  type Pausable,
  pause,
  readReport,
  resume,
} from "../data/operator.ts";
import { useShared } from "../data/shared.ts";
import { HourBars } from "../parts/bars.tsx";
import { confirmed } from "../parts/confirmation.tsx";
import { Field } from "../parts/field.tsx";
import { Address, Sol, Time } from "../parts/format.tsx";
import { notice } from "../parts/notices.tsx";
import { inWords, Problem, Ready } from "../parts/states.tsx";
import { Badge, Button, Card, Dot, Empty, Item, Skeleton, Stat } from "../parts/ui.tsx";
import { takeOperatorSecret } from "../router.ts";

/** Milliseconds between two reads while the page is visible. */
const READ_EVERY_MS = 10_000;

/** What the operator sees after opening a link of `tokend admin console-link`. */
export function OperatorView() {
  const token = useShared(operatorToken);
  const [isOpening, setIsOpening] = useState(true);
  const [problem, setProblem] = useState<unknown>(null);
  useEffect(() => {
    const open = () => {
      const secret = takeOperatorSecret();
      if (secret === null) return setIsOpening(false);
      setProblem(null);
      void openView(secret)
        .catch(setProblem)
        .finally(() => setIsOpening(false));
    };
    open();
    addEventListener("hashchange", open);
    return () => removeEventListener("hashchange", open);
  }, []);
  if (isOpening && token === null) return <Skeleton what="the operator's view" />;
  if (token !== null) return <Report token={token} key={token} />;
  return (
    <>
      <h1>Operator</h1>
      {problem !== null && <Problem error={problem} />}
      <Empty title="This view is closed">
        <p>
          Run <code>tokend admin console-link</code> on the server, and open the link that it
          prints.
        </p>
      </Empty>
    </>
  );
}

function Report({ token }: { readonly token: string }) {
  const report = useLoad((signal) => readReport(token, signal), [token]);
  const { reload } = report;
  useEffect(() => {
    const timer = setInterval(
      () => document.visibilityState === "visible" && reload(),
      READ_EVERY_MS,
    );
    return () => clearInterval(timer);
  }, [reload]);
  return (
    <>
      <div class="line head">
        <h1>Operator</h1>
        <Button onClick={closeView}>Close the view</Button>
        {report.data && (
          <Badge>
            {report.data.mayControl ? "May pause" : "Read only"}, closes in{" "}
            {minutesLeft(report.data)}
          </Badge>
        )}
      </div>
      <Ready of={report} what="the service's state" lines={6}>
        {(data) => (
          <>
            <Figures report={data} />
            <Card title="Launches per hour">
              <HourBars hours={data.hours} />
            </Card>
            <div class="halves two">
              <Service report={data} />
              <Money report={data} />
              <Steering report={data} token={token} onChanged={reload} />
              {data.nodes.length > 0 && <Nodes report={data} />}
              <Servers report={data} />
            </div>
          </>
        )}
      </Ready>
    </>
  );
}

const minutesLeft = ({ expiresAt, now }: OperatorReport) =>
  `${Math.max(1, Math.round((expiresAt - now) / 60_000))} min`;

interface Shown {
  readonly report: OperatorReport;
}

function Service({ report }: Shown) {
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
      <dl>
        <dt>Chain</dt>
        <dd>
          {chain.name}
          {msPerBlock !== null && `, a block takes ${(msPerBlock / 1000).toFixed(2)} s`}
          {lamportsPerByte !== null && `, rent ${lamportsPerByte} lamports a byte`}
        </dd>
        {chain.config !== null && (
          <>
            <dt>Config</dt>
            <dd>
              <Address value={chain.config} isLinked />
            </dd>
          </>
        )}
        <dt>Admission</dt>
        <dd>{admission.mode}</dd>
        <dt>Version</dt>
        <dd>
          {version}, {database}
        </dd>
      </dl>
    </Card>
  );
}

const amount = (sol: number) => <Sol lamports={solToLamports(sol)} />;

/** A number on a card of its own, and below it what it is part of. */
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

function Figures({ report }: Shown) {
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
            `Room for ${queue.limit ?? "any number"}`
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
                class="curve-bar"
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

function Money({ report: { money } }: Shown) {
  const costs = money.launchesSOL + money.migrationsSOL + money.collectingSOL;
  const rows = [
    ["Collected", money.collectedSOL],
    ["Launches took", money.launchesSOL],
    ["Migrations took", money.migrationsSOL],
    ["Collecting took", money.collectingSOL],
  ] as const;
  const left = money.collectedSOL - costs;
  return (
    <Card title="Revenue and costs">
      <dl class="receipt">
        {rows.map(([name, sol]) => (
          <>
            <dt>{name}</dt>
            <dd>{amount(sol)}</dd>
          </>
        ))}
        <dt>Left</dt>
        <dd class={left < 0 ? "bad" : "good"}>
          {left < 0 && "−"}
          {amount(Math.abs(left))}
        </dd>
      </dl>
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

function Nodes({ report: { nodes } }: Shown) {
  return (
    <Card title="RPC nodes">
      <ul>
        {nodes.map(({ name, problem, lag }) => (
          <Item
            key={name}
            lead={
              <Dot icon={problem === null ? "check" : "cross"} tone={problem ? "bad" : "good"} />
            }
            title={name}
            sub={problem ?? "Used"}
            end={
              problem === null && lag !== null && `${lag} ${lag === 1 ? "slot" : "slots"} behind`
            }
          />
        ))}
      </ul>
    </Card>
  );
}

function Servers({ report: { servers } }: Shown) {
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

const PAUSABLE: readonly (readonly [what: Pausable, name: string])[] = [
  ["launches", "Launches"],
  ["claims", "Claims"],
  ["sign-ins", "Sign-ins"],
];

function Steering(props: Shown & { readonly token: string; readonly onChanged: () => void }) {
  const { report, token, onChanged } = props;
  const [reason, setReason] = useState("");
  const [problem, setProblem] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const change = async (work: () => Promise<unknown>, done: string) => {
    setIsBusy(true);
    setProblem(undefined);
    await work().then(
      () => notice(done),
      (error) => setProblem(inWords(error).text),
    );
    setIsBusy(false);
    onChanged();
  };
  const stop = async (what: Pausable, name: string) => {
    if (reason.trim() === "") return setProblem("Agents read the reason: enter one.");
    const yes = await confirmed({
      title: `Pause ${name.toLowerCase()}?`,
      text: `Agents are answered 503 with your reason: ${reason}`,
      yes: `Pause ${name.toLowerCase()}`,
    });
    if (yes) await change(() => pause(token, what, reason), `${name} are paused`);
  };
  return (
    <Card title="Pauses">
      <ul>
        {PAUSABLE.map(([what, name]) => {
          const paused = report.pauses[what];
          return (
            <Item
              key={what}
              lead={<Dot icon={paused ? "cross" : "check"} tone={paused ? "warn" : "good"} />}
              title={name}
              sub={paused ? `Paused: ${paused}` : "Served"}
              action={
                report.mayControl &&
                (paused ? (
                  <Button
                    disabled={isBusy}
                    aria-label={`Resume ${name.toLowerCase()}`}
                    onClick={() => void change(() => resume(token, what), `${name} go on`)}
                  >
                    Resume
                  </Button>
                ) : (
                  <Button
                    kind="danger"
                    disabled={isBusy}
                    aria-label={`Pause ${name.toLowerCase()} …`}
                    onClick={() => void stop(what, name)}
                  >
                    Pause …
                  </Button>
                ))
              }
            />
          );
        })}
      </ul>
      {report.mayControl && (
        <Field
          label="Reason of a pause"
          name="reason"
          value={reason}
          onInput={setReason}
          max={500}
          problem={problem}
          hint="Agents read it."
        />
      )}
    </Card>
  );
}
