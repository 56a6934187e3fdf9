import type { OperatorReport, Pausable } from "@tokenctl/shared/operator-report";
import { useState } from "preact/hooks";
import { pause, resume } from "../data/operator.ts";
import { confirmed } from "../parts/confirmation.tsx";
import { Field } from "../parts/field.tsx";
import { useWork } from "../parts/field-form.tsx";
import { notice } from "../parts/notices.tsx";
import { Button, Card, Dot, Item } from "../parts/ui.tsx";

const PAUSABLE: readonly (readonly [what: Pausable, name: string])[] = [
  ["launches", "Launches"],
  ["claims", "Claims"],
  ["sign-ins", "Sign-ins"],
];

export function Steering(props: {
  readonly report: OperatorReport;
  readonly token: string;
  readonly onChanged: () => void;
}) {
  const { report, token, onChanged } = props;
  const [reason, setReason] = useState("");
  const { isBusy, problem, run } = useWork();
  const change = (act: () => Promise<unknown>, done: string) =>
    run(async () => {
      await act();
      notice(done);
    }).finally(onChanged);
  const stop = async (what: Pausable, name: string) => {
    if (reason.trim() === "")
      return run(() => Promise.reject(new Error("Agents read the reason: enter one")));
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
