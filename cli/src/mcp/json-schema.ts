import type { JsonSchemaType } from "@modelcontextprotocol/server";
import type { TSchema } from "@sinclair/typebox";
import { lenientSchema } from "@tokenctl/shared/contract/lenient";

/** What is said if an argument breaks it. */
const SAID_LATER: readonly string[] = ["examples", "format", "minLength", "maxLength"];

/** What tells a reader of an answer nothing that its value does not. */
const IN_THE_VALUE: readonly string[] = ["required", "enum", "pattern"];

/**
 * A model reads the schemas of all tools before its first call, so they have only what it needs to make one.
 *
 * @returns the schema as plain JSON Schema, without the symbols of TypeBox and without some rules
 */
export function inputSchema(schema: TSchema): JsonSchemaType {
  return without(schema, (key) => key.startsWith("x-") || SAID_LATER.includes(key));
}

/**
 * @returns the schema of a result: the types of its fields. Neither this server nor a client may refuse the
 * answers of other services, which may have more fields or fewer, and new names
 */
export function outputSchema(schema: TSchema): JsonSchemaType {
  return without(lenientSchema(schema), (key) => IN_THE_VALUE.includes(key));
}

/** Leaves out keywords, and no property that has the name of one. */
function without(schema: object, isLeftOut: (key: string) => boolean): JsonSchemaType {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    const isProperty = typeof value === "object" && value !== null && !Array.isArray(value);
    return isLeftOut(key) && !isProperty ? undefined : value;
  });
}
