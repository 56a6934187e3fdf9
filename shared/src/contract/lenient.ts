import type { TSchema } from "@sinclair/typebox";
import type { LenientSchema } from "./lenient-schema.ts";
import { LAMPORTS_PATTERN, Open } from "./values.ts";

/**
 * Keeps the types of an answer's fields, and which fields are required. Clients must accept other
 * servers' additional fields, longer texts and new values of open choices. Closed choices and the
 * digits of amounts are still checked.
 */
export function lenientSchema(schema: TSchema): LenientSchema {
  const { anyOf, const: only, type, pattern, properties, required, items } = schema;
  if (anyOf) return lenientChoice(anyOf, Open in schema);
  if (only !== undefined) {
    return typeof only === "string" ? { type, enum: [only] } : { type, const: only };
  }
  return {
    ...(type !== undefined && { type: type === "integer" ? "number" : type }),
    ...(pattern === LAMPORTS_PATTERN && { pattern }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries<TSchema>(properties).map(([name, field]) => [name, lenientSchema(field)]),
      ),
    }),
    ...(required?.length > 0 && { required }),
    ...(items && { items: lenientSchema(items) }),
  };
}

function lenientChoice(anyOf: readonly TSchema[], isOpen: boolean): LenientSchema {
  const [first, ...others] = anyOf.filter(({ type }) => type !== "null");
  const isText = [first, ...others].every((one) => typeof one?.const === "string");
  if (first === undefined || (others.length > 0 && !isText)) return {};
  const { type = [], enum: only, ...rest } = lenientSchema(first);
  const isNullable = anyOf.length > others.length + 1;
  return {
    type: isNullable ? [type, "null"].flat() : type,
    ...rest,
    ...(only && !isOpen && { enum: [first, ...others].map((one) => one.const) }),
  };
}
