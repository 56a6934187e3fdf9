import { type TProperties, type TSchema, Type } from "@sinclair/typebox";
import type { FieldError } from "@tokenctl/sdk";
import { problemFinder } from "@tokenctl/shared/field-problems";

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
