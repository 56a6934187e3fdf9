import type { Hour } from "@tokenctl/shared/operator-report";
import { useEffect, useState } from "preact/hooks";
import { useEvery, useLoad } from "../data/load.ts";
import { closeView, openView, operatorToken, readReport } from "../data/operator.ts";
import { useShared } from "../data/shared.ts";
import { Bars } from "../parts/bars.tsx";
import { Words } from "../parts/code.tsx";
import { Problem, Ready } from "../parts/states.tsx";
import { Badge, Button, Card, Empty, Skeleton } from "../parts/ui.tsx";
import { takeOperatorSecret } from "../router.ts";
import { Figures, Money, Nodes, Servers, Service } from "./operator-cards.tsx";
import { Steering } from "./operator-steering.tsx";

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

function Report({ token }: { readonly token: string }) {
  const report = useLoad((signal) => readReport(token, signal), [token]);
  const { reload } = report;
  useEvery(READ_EVERY_MS, reload);
  return (
    <>
      <div class="line head">
        <h1>Operator</h1>
        <Button onClick={closeView}>Close the view</Button>
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
            <div class="halves">
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

function HourBars({ hours }: { readonly hours: readonly Hour[] }) {
  const bars = hours.map((hour) => ({
    name: new Date(hour.at).toLocaleTimeString("en", CLOCK),
    values: [hour.success, hour.pending, hour.failed + hour.rate_limited],
  }));
  const sumOf = (part: number) => bars.reduce((sum, { values }) => sum + (values[part] ?? 0), 0);
  const [launched, waiting, failed] = [sumOf(0), sumOf(1), sumOf(2)];
  return (
    <Bars
      bars={bars}
      parts={[
        ["success", `${launched} launched`],
        ["pending", `${waiting} waiting`],
        ["failed", `${failed} without a token`],
      ]}
      label={`${launched + waiting + failed} launches in the last 24 hours`}
      textOf={String}
    />
  );
}
