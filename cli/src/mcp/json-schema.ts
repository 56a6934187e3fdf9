import type { JsonSchemaType } from "@modelcontextprotocol/server";
import type { TSchema } from "@sinclair/typebox";
import { lenientSchema } from "@tokenctl/shared/contract/lenient";

/** Rules that a refusal explains. */
const SAID_LATER: readonly string[] = ["examples", "format", "minLength", "maxLength"];

/** Keywords that add nothing to the value of an answer. */
const IN_THE_VALUE: readonly string[] = ["required", "enum", "pattern"];

/** A model reads all tools' schemas before its first call, so they contain only what it needs for one. */
export function inputSchema(schema: TSchema): JsonSchemaType {
  const short = without(
    schema,
    (key, value) => key.startsWith("x-") || SAID_LATER.includes(key) || isOfCopied(key, value),
  );
  return JSON.parse(JSON.stringify(short), (_, value) => withEnum(value));
}

/** Whether it is the long pattern of an address or an id, which a model copies. */
function isOfCopied(key: string, value: unknown): boolean {
  return key === "pattern" && typeof value === "string" && value.length > 20;
}

/** @returns a choice of texts in its shortest form; anything else as it is */
function withEnum(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("anyOf" in value)) return value;
  const { anyOf, ...rest } = value as { anyOf: readonly { readonly const?: unknown }[] };
  const texts = anyOf.map(({ const: text }) => text);
  return texts.every((text) => typeof text === "string") ? { ...rest, enum: texts } : value;
}

/** Only the types of fields: other services may have more fields or fewer, and new names. */
export function outputSchema(schema: TSchema): JsonSchemaType {
  return without(lenientSchema(schema), (key) => IN_THE_VALUE.includes(key));
}

/** Omits keywords, but not properties with the same name. */
function without(
  schema: object,
  isLeftOut: (key: string, value: unknown) => boolean,
): JsonSchemaType {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    const isProperty = typeof value === "object" && value !== null && !Array.isArray(value);
    return isLeftOut(key, value) && !isProperty ? undefined : value;
  });
}
