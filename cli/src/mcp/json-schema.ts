import type { JsonSchemaType } from "@modelcontextprotocol/server";
import { type TProperties, type TSchema, Type } from "@sinclair/typebox";
import { lenientSchema } from "@tokenctl/shared/contract/lenient";

type Schema = Readonly<Record<string, unknown>>;

/** The keywords that Claude, OpenAI, Gemini and Cursor accept. A refusal explains the other rules of an argument. */
const OF_ARGUMENTS = ["description", "required", "additionalProperties", "minimum", "maximum"];

/** A model reads all tools' schemas before its first call, so they contain only what it needs for one. */
export function inputSchema(fields: TProperties): JsonSchemaType {
  const schema = Type.Object(fields, { additionalProperties: false });
  return simple(JSON.parse(JSON.stringify(schema)), (key, value) => {
    // The long pattern of an address or an id, which a model copies, says little.
    if (key === "pattern") return String(value).length <= 20;
    if (key === "maximum") return value !== Number.MAX_SAFE_INTEGER;
    return OF_ARGUMENTS.includes(key);
  });
}

/** Only the types of fields: other services may have more fields or fewer, and new names. */
export function outputSchema(schema: TSchema): JsonSchemaType {
  return simple({ ...lenientSchema(schema) }, () => false);
}

/** @returns a schema with one type, or a choice of two, and with the keywords that are kept */
function simple(schema: Schema, isKept: (key: string, value: unknown) => boolean): JsonSchemaType {
  const { type, properties, items, anyOf } = schema;
  const rest = Object.entries(schema).filter(([key, value]) => isKept(key, value));
  const below = (one: unknown) => simple(one as Schema, isKept);
  const parts = {
    ...Object.fromEntries(rest),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties as Schema).map(([name, field]) => [name, below(field)]),
      ),
    }),
    ...(items !== undefined && { items: below(items) }),
  };
  const texts = (anyOf as readonly Schema[] | undefined)?.map(({ const: only }) => only);
  if (texts?.every((one) => typeof one === "string")) {
    return { type: "string", enum: texts, ...parts };
  }
  if (!Array.isArray(type))
    return (type === undefined ? parts : { type, ...parts }) as JsonSchemaType;
  return { anyOf: type.map((one) => (one === "null" ? { type: one } : { type: one, ...parts })) };
}
