import type { ComponentChildren } from "preact";

interface Props {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  /** Most characters; they are counted beside the label. */
  readonly max: number;
  /** What is wrong with it. */
  readonly problem?: string | undefined;
  readonly hint?: ComponentChildren;
  readonly isLong?: boolean;
  readonly isRequired?: boolean;
}

/** A field of a form with its label, counter, hint and problem. */
export function Field(props: Props) {
  const { label, name, value, onInput, max, problem, hint, isLong, isRequired } = props;
  // As the limits count: by code points.
  const used = [...value].length;
  const described = [problem && `${name}-problem`, hint && `${name}-hint`]
    .filter(Boolean)
    .join(" ");
  const common = {
    id: name,
    name,
    value,
    required: isRequired ?? false,
    "aria-invalid": problem !== undefined,
    "aria-describedby": described || undefined,
  } as const;
  return (
    <div class="field">
      <div class="row">
        <label for={name}>{label}</label>
        <span class={`counter ${used > max ? "bad" : ""}`}>
          {used} of {max}
        </span>
      </div>
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
