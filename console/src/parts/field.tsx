import type { ComponentChildren } from "preact";

export interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  /** Maximum number of characters; a counter appears when few are left. */
  readonly max?: number;
  readonly problem?: string | undefined;
  readonly hint?: ComponentChildren;
  readonly placeholder?: string;
  readonly isLong?: boolean;
  readonly isRequired?: boolean;
}

export function Field(props: FieldProps) {
  const { label, name, value, onInput, max, problem, hint, placeholder, isLong, isRequired } =
    props;
  // The limits count code points.
  const used = [...value].length;
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
    "aria-required": isRequired ?? false,
    "aria-invalid": problem !== undefined,
    "aria-describedby": described || undefined,
  } as const;
  return (
    <div class="field">
      <div class="line">
        <label for={name}>{label}</label>
        {max !== undefined && used > max * COUNTED_FROM && (
          <span class={used > max ? "counter bad" : "counter"}>
            {used} of {max}
          </span>
        )}
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

/** The counter appears from this share of the maximum. */
const COUNTED_FROM = 0.8;
