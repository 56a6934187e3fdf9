import type { JsonSchemaType } from "@modelcontextprotocol/server";
import { type TProperties, type TSchema, Type } from "@sinclair/typebox";
import { lenientSchema } from "@tokenctl/shared/contract/lenient";

type Schema = Readonly<Record<string, unknown>>;

/** Keywords that Claude, OpenAI, Gemini and Cursor accept. Errors explain the other rules. */
const OF_ARGUMENTS = ["description", "required", "additionalProperties", "minimum", "maximum"];

/** Keeps schemas short: a model reads those of all tools before its first call. */
export function inputSchema(fields: TProperties): JsonSchemaType {
  const schema = Type.Object(fields, { additionalProperties: false });
  return simple(JSON.parse(JSON.stringify(schema)), (key, value) => {
    // A long pattern helps no model: it copies addresses and ids.
    if (key === "pattern") return String(value).length <= 20;
    if (key === "maximum") return value !== Number.MAX_SAFE_INTEGER;
    return OF_ARGUMENTS.includes(key);
  });
}

/** Keeps only types: other versions of the service may add or remove fields and enum values. */
export function outputSchema(schema: TSchema): JsonSchemaType {
  return simple({ ...lenientSchema(schema) }, () => false);
}

/** Simplifies a schema to one type, or a choice of types, and to the keywords that are kept. */
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
