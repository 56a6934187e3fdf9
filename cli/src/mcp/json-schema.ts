import type { JsonSchemaType } from "@modelcontextprotocol/server";
import type { TSchema } from "@sinclair/typebox";

/** @returns the schema as plain JSON Schema, without the symbols of TypeBox */
export function jsonSchema(schema: TSchema): JsonSchemaType {
  return JSON.parse(JSON.stringify(schema));
}

/**
 * @returns the schema of a result, with objects that may have more fields and names that may be new: a
 * newer service may add some, and neither this server nor a client may refuse its answer for that
 */
export function lenientSchema(schema: TSchema): JsonSchemaType {
  return JSON.parse(JSON.stringify(schema), (key, value) =>
    key === "additionalProperties" ? undefined : anyName(value),
  );
}

/** @returns one name, or a choice of several, as a text with these examples; else the value itself */
function anyName(value: Readonly<Record<string, unknown>> | null): unknown {
  if (typeof value?.const === "string") return { type: "string", examples: [value.const] };
  const choices = Array.isArray(value?.anyOf) ? value.anyOf : [];
  const names = choices.flatMap(({ type, examples }) =>
    type === "string" ? (examples ?? []) : [],
  );
  if (choices.length === 0 || names.length < choices.length) return value;
  return { type: "string", examples: names };
}
