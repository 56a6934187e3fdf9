import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { inWords } from "./states.tsx";
import { Button } from "./ui.tsx";

export interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly problem?: string | undefined;
  readonly hint?: ComponentChildren;
  readonly placeholder?: string;
  readonly isLong?: boolean;
  readonly isRequired?: boolean;
}

export function Field(props: FieldProps) {
  const { label, name, value, onInput, problem, hint, placeholder, isLong, isRequired } = props;
  const described = [problem && `${name}-problem`, hint && `${name}-hint`]
    .filter(Boolean)
    .join(" ");
  const common = {
    id: name,
    name,
    value,
    placeholder,
    autocomplete: "off",
    dir: "auto",
    required: isRequired ?? false,
    "aria-invalid": problem !== undefined,
    "aria-describedby": described || undefined,
  } as const;
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {isLong ? (
        <textarea {...common} rows={3} onInput={(event) => onInput(event.currentTarget.value)} />
      ) : (
        <input {...common} onInput={(event) => onInput(event.currentTarget.value)} />
      )}
      {hint && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {problem !== undefined && (
        <p class="bad" id={`${name}-problem`}>
          {problem}
        </p>
      )}
    </div>
  );
}

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
}

/** A field with a button. The field is cleared once `onSubmit` succeeds. */
export function FieldForm({ work, yes, onSubmit, ...field }: Props) {
  const [typed, setTyped] = useState("");
  const { isBusy, problem, run } = work;
  const submit = async () => {
    await onSubmit(typed.trim());
    setTyped("");
  };
  return (
    <form
      class="inline"
      onSubmit={(event) => {
        event.preventDefault();
        void run(submit);
      }}
    >
      <Field {...field} value={typed} problem={problem} onInput={setTyped} />
      <Button type="submit" isBusy={isBusy} disabled={typed.trim() === ""}>
        {yes}
      </Button>
    </form>
  );
}
