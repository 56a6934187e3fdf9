import { type TProperties, type TSchema, Type } from "@sinclair/typebox";
import type { FieldError } from "@tokenctl/sdk";
import { problemFinder } from "@tokenctl/shared/field-problems";
import { UsageError } from "../errors.ts";
import { type Command, typedFields } from "./command.ts";
import { GLOBALS } from "./common.ts";
import { flagsOf, mayBeLeftOut, operandOf } from "./field.ts";

export type Given = Readonly<Record<string, unknown>>;

/** Returns a function that parses input from a terminal or a model, and lists its problems. */
export function inputReader(fields: TProperties) {
  const problems = problemFinder(Type.Object(fields, { additionalProperties: false }));
  return (given: Given): { input: Record<string, unknown>; problems: FieldError[] } => {
    const input: Record<string, unknown> = {};
    for (const [name, schema] of Object.entries(fields)) {
      if (schema.default !== undefined) input[name] = schema.default;
    }
    for (const [name, value] of Object.entries(given)) {
      // Models often send null for an argument that they omit.
      const isAbsent = value === undefined || (value === null && fields[name] !== undefined);
      if (!isAbsent) input[name] = typed(fields[name], value);
    }
    return { input, problems: problems(input) };
  };
}

function typed(schema: TSchema | undefined, value: unknown): unknown {
  if (typeof value !== "string") return value;
  const isNumber = schema?.type === "number" || schema?.type === "integer";
  if (isNumber && /^\d{1,15}(\.\d{1,9})?$/.test(value)) return Number(value);
  return value;
}

/** Reads what was typed. @throws {UsageError} */
export function readTyped(
  command: Command,
  given: Given,
  globals: { readonly json?: boolean },
): Given {
  const own = typedFields(command);
  const fields: TProperties = { ...GLOBALS, ...own };
  const everywhere = Object.entries(globals).filter(([field]) => field in GLOBALS);
  const { input, problems } = inputReader(fields)({ ...Object.fromEntries(everywhere), ...given });
  const { name, operands = {}, unless } = command;
  const misuse = () => {
    for (const { field, message } of problems) {
      const [at = ""] = field.split("/");
      const schema = fields[at] ?? {};
      if (input[at] === undefined) continue;
      const where = at in operands ? `as ${operandOf(at, schema)}` : `for ${flagsOf(at, schema)}`;
      return `'${given[at] ?? input[at]}' is not valid ${where}: it ${message}`;
    }
    const missing = Object.entries(fields).filter(
      ([field, schema]) => input[field] === undefined && !mayBeLeftOut(schema),
    );
    if (missing.length === 0) return unless?.(input);
    return `missing ${missing.map(([field, schema]) => `'${flagsOf(field, schema)}'`).join(" and ")}`;
  };
  const why = misuse();
  if (why) throw new UsageError(why, `\`tokenctl ${name} --help\` shows how to use it`);
  return Object.fromEntries(Object.entries(input).filter(([field]) => field in own));
}
