import type { TSchema } from "@sinclair/typebox";
import { contract } from "@tokenctl/shared/contract/contract";

const PREFIX = "#/components/schemas/";

/** The named schemas, without choices of texts: those stand where they are used. */
const schemas = new Map([...contract].filter(([, { anyOf }]) => anyOf === undefined));
const names = new Map<object, string>(Array.from(schemas, ([name, schema]) => [schema, name]));

/** @returns a reference to a named schema, or the JSON Schema itself with such references inside */
export function published(schema: TSchema): object {
  return publishedValue(schema, false) as object;
}

function publishedValue(value: unknown, isClosed: boolean): unknown {
  if (typeof value !== "object" || value === null) return value;
  const name = names.get(value);
  return name === undefined ? contentOf(value, isClosed) : { $ref: PREFIX + name };
}

/** @param isClosed whether its objects say that they admit no other fields */
function contentOf(value: object, isClosed: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => publishedValue(item, isClosed));
  const { anyOf, additionalProperties, ...rest } = value as SchemaParts;
  const fields = Object.entries(rest).map(([key, field]) => [key, publishedValue(field, isClosed)]);
  const content = {
    ...(isClosed && additionalProperties !== undefined && { additionalProperties }),
    ...Object.fromEntries(fields),
  };
  if (anyOf === undefined) return content;
  const texts = textsOf(anyOf);
  // A list of texts reads better than one schema for each, and gives generated clients an enum.
  return texts
    ? { type: "string", enum: texts, ...content }
    : { anyOf: publishedValue(anyOf, isClosed), ...content };
}

interface SchemaParts {
  readonly anyOf?: unknown;
  readonly additionalProperties?: unknown;
}

/** A server refuses unknown fields of a request; a client must accept those of newer answers. */
function isRequest(name: string): boolean {
  return name.endsWith("Request");
}

function textsOf(anyOf: unknown): unknown[] | null {
  if (!Array.isArray(anyOf)) return null;
  const texts = anyOf.map((schema: { const?: unknown }) => schema.const);
  return texts.every((text) => typeof text === "string") ? texts : null;
}

/** @returns the named schemas that a part of the document refers to, and those that they refer to */
export function referredSchemas(part: unknown): Record<string, unknown> {
  const found = new Map<string, unknown>();
  const visit = (value: unknown) => {
    for (const [, name = ""] of JSON.stringify(value).matchAll(
      /"#\/components\/schemas\/(\w+)"/g,
    )) {
      const schema = schemas.get(name);
      if (found.has(name) || schema === undefined) continue;
      const content = contentOf(schema, isRequest(name));
      found.set(name, content);
      visit(content);
    }
  };
  visit(part);
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}
