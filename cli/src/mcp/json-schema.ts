import type { JsonSchemaType } from "@modelcontextprotocol/server";
import type { TSchema } from "@sinclair/typebox";

/** What tells a reader of an answer nothing that its value does not. */
const LEFT_OUT: readonly string[] = [
  ...["description", "pattern", "format", "examples", "additionalProperties", "required"],
  ...["minLength", "maxLength", "minimum", "exclusiveMinimum", "maximum", "minItems", "maxItems"],
];

/** What is said if an argument breaks it. */
const SAID_LATER: readonly string[] = ["examples", "format", "minLength", "maxLength"];

/**
 * A model reads the schemas of all tools before its first call, so they have only what it needs to make one.
 *
 * @returns the schema as plain JSON Schema, without the symbols of TypeBox and without some rules
 */
export function jsonSchema(schema: TSchema): JsonSchemaType {
  return JSON.parse(JSON.stringify(schema), (key, value) =>
    key.startsWith("x-") || (SAID_LATER.includes(key) && !isSchema(value)) ? undefined : value,
  );
}

/**
 * @returns the schema of a result: the types of its fields. Other services may have more fields or fewer,
 * and new names, and neither this server nor a client may refuse their answers for that
 */
export function lenientSchema(schema: TSchema): JsonSchemaType {
  return JSON.parse(JSON.stringify(schema), (key, value) =>
    LEFT_OUT.includes(key) && !isSchema(value) ? undefined : oneType(value),
  );
}

/** @returns whether it is a property's schema: a property may have the name of a keyword */
function isSchema(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @returns a name as a text, and a choice of types as one schema; else the value itself */
function oneType(value: unknown): unknown {
  if (!isSchema(value)) return value;
  if (typeof value.const === "string") return { type: "string" };
  if (!Array.isArray(value.anyOf)) return value;
  const types = [...new Set(value.anyOf.map(({ type }) => type))];
  const [more, ...others] = value.anyOf.filter((choice) => Object.keys(choice).length > 1);
  if (types.includes(undefined) || others.length > 0) return value;
  return { ...more, type: types.length === 1 ? types[0] : types };
}
