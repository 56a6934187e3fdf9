import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Field, type FieldProps } from "./field.tsx";
import { inWords } from "./states.tsx";
import { Button } from "./ui.tsx";

/** Runs work that a person starts, and keeps its error; `problem` is the error as a sentence. */
export function useWork() {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const run = async (work: () => Promise<unknown>) => {
    setIsBusy(true);
    setError(null);
    await work().catch(setError);
    setIsBusy(false);
  };
  return { isBusy, error, problem: error === null ? undefined : inWords(error).text, run };
}

interface Props extends Omit<FieldProps, "value" | "problem" | "onInput"> {
  readonly work: ReturnType<typeof useWork>;
  readonly yes: string;
  readonly onSubmit: (text: string) => Promise<unknown>;
  readonly kind?: "inline" | "inline threshold" | "stacked";
  /** Choices that precede the field. */
  readonly children?: ComponentChildren;
}

/** A field with a button. The field is cleared once `onSubmit` succeeds. */
export function FieldForm({ work, yes, onSubmit, kind = "inline", children, ...field }: Props) {
  const [typed, setTyped] = useState("");
  const { isBusy, problem, run } = work;
  const submit = async () => {
    await onSubmit(typed.trim());
    setTyped("");
  };
  return (
    <form
      class={kind}
      onSubmit={(event) => {
        event.preventDefault();
        void run(submit);
      }}
    >
      {children}
      <Field {...field} value={typed} problem={problem} onInput={setTyped} />
      <Button type="submit" isBusy={isBusy} disabled={typed.trim() === ""}>
        {yes}
      </Button>
    </form>
  );
}
