import type { JsonSchemaType } from "@modelcontextprotocol/server";
import type { TSchema } from "@sinclair/typebox";
import { lenientSchema } from "@tokenctl/shared/contract/lenient";

/** Rules that a refusal explains. */
const SAID_LATER: readonly string[] = ["examples", "format", "minLength", "maxLength"];

/** Keywords that add nothing to the value of an answer. */
const IN_THE_VALUE: readonly string[] = ["required", "enum", "pattern"];

/** A model reads all tools' schemas before its first call, so they contain only what it needs for one. */
export function inputSchema(schema: TSchema): JsonSchemaType {
  return without(schema, (key) => key.startsWith("x-") || SAID_LATER.includes(key));
}

/** Only the types of fields: other services may have more fields or fewer, and new names. */
export function outputSchema(schema: TSchema): JsonSchemaType {
  return without(lenientSchema(schema), (key) => IN_THE_VALUE.includes(key));
}

/** Omits keywords, but not properties with the same name. */
function without(schema: object, isLeftOut: (key: string) => boolean): JsonSchemaType {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    const isProperty = typeof value === "object" && value !== null && !Array.isArray(value);
    return isLeftOut(key) && !isProperty ? undefined : value;
  });
}
