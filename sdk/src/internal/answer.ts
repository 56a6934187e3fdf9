import type { LenientSchema } from "@tokenctl/shared/contract/lenient-schema";

export interface Answer<T> {
  /** Returns a body's problem, for example `.tokens[2].ticker is not a string`, or null. */
  readonly check: (body: unknown) => string | null;
  /** Never set: it only carries the type. */
  readonly type?: T;
}

export function answer<T>(schema: LenientSchema): Answer<T> {
  return { check: (body) => problemOf(schema, body) };
}

/** Makes the schema of an object, whose fields are required unless `optional` names them. */
export function shape(
  properties: Readonly<Record<string, LenientSchema>>,
  optional: readonly string[] = [],
): LenientSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", properties, required };
}

export const string: LenientSchema = { type: "string" };
export const number: LenientSchema = { type: "number" };
export const boolean: LenientSchema = { type: "boolean" };

export function list(items: LenientSchema): LenientSchema {
  return { type: "array", items };
}

export function orNull(schema: LenientSchema): LenientSchema {
  return { ...schema, type: [schema.type ?? [], "null"].flat() };
}

/** Ignores unknown fields, so that a newer server can add some. Refuses negative numbers. */
function problemOf(schema: LenientSchema, value: unknown): string | null {
  const [type, orNull] = [schema.type].flat();
  if (orNull === undefined) return problemOfType(schema, type, value);
  const problem = value === null ? null : problemOfType(schema, type, value);
  return problem && `${problem} or null`;
}

function problemOfType(schema: LenientSchema, type: unknown, value: unknown): string | null {
  const { pattern, properties = {}, required = [], items = {} } = schema;
  const choices = "const" in schema ? [schema.const] : schema.enum;
  if (choices) return choices.includes(value) ? null : `is none of ${choices.join(", ")}`;
  switch (type) {
    case "integer":
      return Number.isSafeInteger(value) && Number(value) >= 0 ? null : "is not a whole number";
    case "number":
      return Number.isFinite(value) && Number(value) >= 0 ? null : "is not an amount";
    case "array":
      if (!Array.isArray(value)) return "is not an array";
      // Not by `map`: an answer of 8 MiB has millions of items.
      for (let at = 0; at < value.length; at++) {
        const problem = problemOf(items, value[at]);
        if (problem !== null) return under(`[${at}]`, problem);
      }
      return null;
    case "object":
      if (typeof value !== "object" || value === null) return " is not an object";
      for (const [name, field] of Object.entries(properties)) {
        const given: unknown = Reflect.get(value, name);
        if (given === undefined && !required.includes(name)) continue;
        const problem = problemOf(field, given);
        if (problem !== null) return under(`.${name}`, problem);
      }
      return null;
    case undefined:
      return null;
    default:
      if (typeof value !== type) return `is not a ${type}`;
      return pattern === undefined || new RegExp(pattern).test(String(value))
        ? null
        : "is not a number in digits";
  }
}

export function under(place: string, problem: string): string {
  return /^\w/.test(problem) ? `${place} ${problem}` : place + problem;
}
