import { ApiError } from "@tokenctl/sdk";
import type { Hour, OperatorReport, Pausable } from "@tokenctl/shared/operator-report";
import { useEffect, useState } from "preact/hooks";
import { useEvery, useLoad } from "../data/load.ts";
import { ask } from "../data/read.ts";
import { Shared, useShared } from "../data/shared.ts";
import { confirmed } from "../data/signing.ts";
import { Bars } from "../parts/charts.tsx";
import { Field, useWork } from "../parts/field.tsx";
import { Words } from "../parts/format.tsx";
import { notice } from "../parts/frame.tsx";
import { capital, Problem, Ready } from "../parts/states.tsx";
import { Badge, Button, Card, Dot, Empty, Item, Skeleton } from "../parts/ui.tsx";
import { takeOperatorSecret } from "../router.ts";
import { Figures, Money, Nodes, Servers, Service } from "./operator-cards.tsx";

/** Milliseconds between two reads while the page is visible. */
const READ_EVERY_MS = 10_000;

/** Shows what the operator sees after opening a link of `tokend admin console-link`. */
export function OperatorView() {
  const token = useShared(operatorToken);
  const [isOpening, setIsOpening] = useState(true);
  const [problem, setProblem] = useState<unknown>(null);
  useEffect(() => {
    const open = () => {
      const secret = takeOperatorSecret();
      if (secret === null) return setIsOpening(false);
      setProblem(null);
      void asked<{ token: string }>("session", { body: { secret } })
        .then(({ token }) => keep(token), setProblem)
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
      <Card>
        <Empty title="This view is closed">
          <p>
            Run{" "}
            <code>
              <Words text="tokend admin console-link" />
            </code>{" "}
            on the server, and open the link that it prints.
          </p>
        </Empty>
      </Card>
    </>
  );
}

function Report({ token }: { token: string }) {
  const report = useLoad((signal) => asked<OperatorReport>("status", { token, signal }), [token]);
  const { reload } = report;
  useEvery(READ_EVERY_MS, reload);
  return (
    <>
      <div class="line head">
        <h1>Operator</h1>
        <Button onClick={() => keep(null)}>Close the view</Button>
        {report.data && (
          <Badge>
            {report.data.mayControl ? "May pause" : "Read only"}, closes in{" "}
            {Math.max(1, Math.round((report.data.expiresAt - report.data.now) / 60_000))} min
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
            <div class="columns">
              <div>
                <Service report={data} />
                <Steering report={data} token={token} onChanged={reload} />
              </div>
              <div>
                <Money report={data} />
                {data.nodes.length > 0 && <Nodes report={data} />}
                <Servers report={data} />
              </div>
            </div>
          </>
        )}
      </Ready>
    </>
  );
}

const CLOCK = { hour: "2-digit", minute: "2-digit", hour12: false } as const;

function HourBars({ hours }: { hours: readonly Hour[] }) {
  const bars = hours.map(({ at, success, pending, failed, rate_limited }) => ({
    name: new Date(at).toLocaleTimeString("en", CLOCK),
    value: success + pending + failed + rate_limited,
  }));
  return <Bars bars={bars} label="Launches in the last 24 hours" />;
}

const PAUSABLE: readonly Pausable[] = ["launches", "claims", "sign-ins"];

function Steering(props: {
  readonly report: OperatorReport;
  readonly token: string;
  readonly onChanged: () => void;
}) {
  const { report, token, onChanged } = props;
  const [reason, setReason] = useState("");
  const { isBusy, problem, run } = useWork();
  const change = (action: "pause" | "resume", what: Pausable) =>
    run(async () => {
      const body = action === "pause" ? { reason } : {};
      await asked(`${action}/${what}`, { token, body });
      notice(`${capital(what)} ${action === "pause" ? "are paused" : "go on"}`);
    }).finally(onChanged);
  const stop = async (what: Pausable) => {
    if (reason.trim() === "")
      return run(() => Promise.reject(new Error("Agents read the reason: enter one")));
    const yes = await confirmed({
      title: `Pause ${what}?`,
      text: `Agents are answered 503 with your reason: ${reason}`,
      yes: `Pause ${what}`,
    });
    if (yes) await change("pause", what);
  };
  return (
    <Card title="Pauses">
      <ul>
        {PAUSABLE.map((what) => {
          const paused = report.pauses[what];
          return (
            <Item
              key={what}
              lead={<Dot icon={paused ? "cross" : "check"} tone={paused ? "warn" : "good"} />}
              title={capital(what)}
              sub={paused ? `Paused: ${paused}` : "Served"}
              action={
                report.mayControl && (
                  <Button
                    kind={paused ? "plain" : "danger"}
                    disabled={isBusy}
                    aria-label={paused ? `Resume ${what}` : `Pause ${what} …`}
                    onClick={() => void (paused ? change("resume", what) : stop(what))}
                  >
                    {paused ? "Resume" : "Pause …"}
                  </Button>
                )
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
          problem={problem}
          hint="Agents read it."
        />
      )}
    </Card>
  );
}

/** The tab's key for the view's token, which stays until it expires or the view is closed. */
const KEPT = "tokend.operator";

/** The view's token; null while it is closed. */
const operatorToken = new Shared<string | null>(sessionStorage.getItem(KEPT));

function keep(token: string | null): void {
  if (token === null) sessionStorage.removeItem(KEPT);
  else sessionStorage.setItem(KEPT, token);
  operatorToken.set(token);
}

async function asked<Answer>(path: string, of: Parameters<typeof ask>[1]): Promise<Answer> {
  try {
    return await ask<Answer>(`operator/${path}`, of);
  } catch (error) {
    if (error instanceof ApiError && error.status === 401 && of?.token !== undefined) keep(null);
    throw error;
  }
}
