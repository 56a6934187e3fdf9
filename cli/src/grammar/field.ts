import { OptionalKind, type TOptional, type TSchema, Type } from "@sinclair/typebox";
import * as t from "@tokenctl/shared/contract/values";

interface Typed {
  /** The field's flags. Default: `--` and the field's name. */
  readonly flag?: string;
  /** What a value must be; the error about an invalid value says it. */
  readonly rule?: string;
  /** What the value names, for completion. Tokens and launches become mints and event ids. */
  readonly names?: "token" | "waiting" | "launch" | "file";
  readonly not?: string;
  readonly pattern?: string;
  readonly default?: unknown;
}

const options = (help: string, { flag, rule, names, not, ...schema }: Typed) => ({
  description: help,
  ...(rule !== undefined && { "x-rule": `must be ${rule}` }),
  ...Object.fromEntries(
    Object.entries({ flag, names, not }).flatMap(([key, value]) =>
      value === undefined ? [] : [[`x-${key}`, value]],
    ),
  ),
  ...schema,
});

// Fields are optional unless they are `required`.

export function required<T extends TSchema>(field: TOptional<T>): T {
  const { [OptionalKind]: _, ...schema } = field as TSchema;
  return schema as T;
}

export const text = (help: string, typed: Typed = {}) =>
  t.optional(Type.String(options(help, typed)));

export const texts = (help: string, typed: Typed = {}) =>
  t.optional(Type.Array(Type.String(), options(help, typed)));

export const flag = (help: string, typed: Typed = {}) =>
  t.optional(Type.Boolean(options(help, typed)));

export const choice = <const Text extends string>(
  values: readonly Text[],
  help: string,
  typed: Typed = {},
) =>
  t.optional(
    t.choice(values, help, options(help, { rule: `one of ${values.join(", ")}`, ...typed })),
  );

const ADDRESS = {
  pattern: "^[1-9A-HJ-NP-Za-km-z]{32,44}$",
  rule: "an address: 32 to 44 characters of base58",
};

export const address = (help: string, typed: Typed = {}) => text(help, { ...ADDRESS, ...typed });

export const number = (help: string, minimum: number, maximum: number, typed: Typed = {}) => {
  const rule = `a number from ${minimum} to ${maximum}`;
  return t.optional(Type.Number({ minimum, maximum, ...options(help, { rule, ...typed }) }));
};

export const sol = (help: string, typed: Typed = {}, maximum = 9e6) => {
  const rule = `an amount of SOL above 0, at most ${maximum}, such as 1 or 0.25, with at most 9 decimals`;
  return number(help, 1e-9, maximum, { rule, ...typed });
};

export const whole = (help: string, minimum: number, maximum?: number, typed: Typed = {}) => {
  const rule = `a whole number from ${minimum}${maximum === undefined ? "" : ` to ${maximum}`}`;
  const bounds = { minimum, maximum: maximum ?? Number.MAX_SAFE_INTEGER };
  return t.optional(Type.Integer({ ...bounds, ...options(help, { rule, ...typed }) }));
};

/** Returns the flags of a field, for example `--limit <n>`. */
export function flagsOf(name: string, schema: Partial<TSchema>): string {
  const own: unknown = schema["x-flag"];
  if (typeof own === "string") return own;
  const flag = name.replace(/[A-Z]+/g, (capitals) => `-${capitals.toLowerCase()}`);
  if (schema.type === "boolean") return `--${flag}`;
  return `--${flag} <${schema.type === "integer" ? "n" : flag.split("-").at(-1)}>`;
}

export function flagOf(name: string, schema: Partial<TSchema>): string {
  return /--[a-z-]+/.exec(flagsOf(name, schema))?.[0] ?? name;
}

/** Returns an operand's label, such as `<token>`, or `[token]` if it is optional. */
export function operandOf(name: string, schema: Partial<TSchema>): string {
  const label = String(schema["x-flag"] ?? schema["x-names"] ?? name).replace(/[<>]/g, "");
  return mayBeLeftOut(schema) ? `[${label}]` : `<${label}>`;
}

export const mayBeLeftOut = (schema: Partial<TSchema>) =>
  OptionalKind in schema || schema.default !== undefined;
