import type { JsonSchemaType } from "@modelcontextprotocol/server";
import { type TProperties, Type } from "@sinclair/typebox";

type Schema = Readonly<Record<string, unknown>>;

/** Keywords that Claude, OpenAI, Gemini and Cursor accept. Errors explain the other rules. */
const KEYWORDS = ["description", "required", "additionalProperties", "minimum", "maximum"];

/** Keeps schemas short: a model reads those of all tools before its first call. */
export function inputSchema(fields: TProperties): JsonSchemaType {
  const schema = Type.Object(fields, { additionalProperties: false });
  return simple(JSON.parse(JSON.stringify(schema))) as JsonSchemaType;
}

function isKept([key, value]: [string, unknown]): boolean {
  // A long pattern helps no model: it copies addresses and ids.
  if (key === "pattern") return String(value).length <= 20;
  if (key === "maximum") return value !== Number.MAX_SAFE_INTEGER;
  return KEYWORDS.includes(key);
}

/** Simplifies a schema to one type, or a choice of texts, and to the keywords that are kept. */
function simple(schema: Schema): Schema {
  const { type, properties, items, anyOf } = schema;
  const kept = Object.fromEntries(Object.entries(schema).filter(isKept));
  if (anyOf !== undefined) {
    const texts = (anyOf as readonly Schema[]).map(({ const: only }) => only);
    return { type: "string", enum: texts, ...kept };
  }
  const fields = Object.entries((properties ?? {}) as Readonly<Record<string, Schema>>);
  const below = Object.fromEntries(fields.map(([name, field]) => [name, simple(field)]));
  return {
    ...{ type, ...kept },
    ...(properties !== undefined && { properties: below }),
    ...(items !== undefined && { items: simple(items as Schema) }),
  };
}
