import type { TObject, TSchema } from "@sinclair/typebox";
import { contract } from "@tokenctl/shared/contract/contract";
import { ErrorBodySchema } from "@tokenctl/shared/contract/error";
import { type ErrorCode, errorCodes } from "@tokenctl/shared/error-codes";
import type { Pausable } from "../domain/steering.ts";
import { mayBeNull } from "./body.ts";
import {
  type DescribedParameter,
  IF_NONE_MATCH,
  PATH_PARAMETERS,
  type Parameter,
  type Parameters,
} from "./parameters.ts";

export const TAGS = {
  Health: "Whether the service can do its work",
  "Sign-in": "A nonce, signed with the wallet's key, becomes a bearer token",
  Launches: "A launch waits in a queue, and becomes a token on the chain",
  Tokens: "The agent's own tokens",
  Events: "The outcomes of launches and claims, as they happen",
  Webhooks: "Receivers to which the agent's events are sent, as Standard Webhooks specifies",
  Messages: "What a webhook's receiver is sent",
  Claims: "The fees that tokens earn, and their way to the agent's wallet",
  Wallet: "The agent's own SOL",
  Images: "Pictures for launches",
  Metadata: "What wallets and explorers read of a token",
  Texts: "What models read: a skill, and indexes of the texts for them",
  Public: "What anyone may know of a token",
  Sandbox: "Only on a server with the embedded chain, whose SOL is worth nothing",
} as const satisfies Record<string, string>;

type Tag = keyof typeof TAGS;

const COMMON_ERRORS = {
  any: ["ambiguous_host", "foreign_host", "internal_error", "starting"],
  signedIn: ["missing_authorization", "invalid_token", "too_many_requests", "database_unavailable"],
  body: [
    "validation_failed",
    "body_too_late",
    "body_too_large",
    "unsupported_media_type",
    "unsupported_content_encoding",
  ],
  query: ["validation_failed"],
} as const satisfies Record<string, readonly ErrorCode[]>;

export interface Operation {
  /** The name in generated clients, for example `launchToken`. It never changes. */
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  readonly tag: Tag;
  readonly auth?: "none";
  readonly params?: Readonly<Record<string, DescribedParameter>>;
  readonly query?: Parameters;
  readonly headers?: Parameters;
  readonly body?: { readonly schema: TSchema };
  readonly isBodyOptional?: boolean;
  readonly upload?: Readonly<Record<string, TSchema>>;
  readonly answer: TSchema;
  readonly answerType?: string;
  readonly hasEtag?: boolean;
  readonly errors: readonly ErrorCode[];
  readonly pausable?: Pausable;
  readonly unavailable?: TSchema;
}

export interface RouteDetail {
  readonly operationId: string;
  readonly publish: (path: string, links: object | false) => ReturnType<typeof publishedOperation>;
}

export function publishedOperation(of: Operation, path: string, links: object | false) {
  const codes = codesOf(of);
  const parameters = [
    ...Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = ""]) => ({
      name,
      in: "path",
      required: true,
      ...(of.params?.[name] ?? PATH_PARAMETERS[name]),
    })),
    ...optional("query", of.query),
    ...optional("header", { ...of.headers, ...(of.hasEtag && { "If-None-Match": IF_NONE_MATCH }) }),
  ];
  return {
    operationId: of.id,
    summary: of.summary,
    description: of.description,
    tags: [of.tag],
    security: of.auth === "none" ? [] : [{ bearer: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...requestBody(of),
    responses: {
      200: {
        description: "Done",
        headers: { ...ANSWER_HEADERS, ...(of.hasEtag && ETAG_HEADER) },
        ...json(of.answer, of.answerType),
        ...links,
      },
      ...(of.hasEtag && { 304: NOT_MODIFIED }),
      ...errorResponses(of, codes),
    },
  };
}

const SIGNED_HEADERS = {
  "webhook-id": "Identifies the message; the same for each attempt",
  "webhook-timestamp": "When it was sent, in seconds since the Unix epoch",
  "webhook-signature": "One signature or several, with spaces between them",
};

export function publishedMessage(
  { id, ...of }: Pick<Operation, "id" | "summary" | "description">,
  body: TSchema,
) {
  const signed = Object.entries(SIGNED_HEADERS).map(([name, description]) => ({
    name,
    in: "header",
    required: true,
    description,
    schema: { type: "string" },
  }));
  return {
    post: {
      operationId: id,
      ...of,
      tags: ["Messages"] as Tag[],
      security: [],
      parameters: signed,
      requestBody: { required: true, ...json(body) },
      responses: {
        "2XX": { description: "The receiver has the message" },
        default: { description: "The message is sent again" },
      },
    },
  };
}

function optional(place: "query" | "header", table: Parameters = {}) {
  return Object.entries<Parameter>(table).map(([key, { name = key, description, schema }]) => ({
    name,
    in: place,
    required: false,
    description,
    schema,
  }));
}

function requestBody({ body, isBodyOptional, upload }: Operation) {
  if (body) return { requestBody: { required: !isBodyOptional, ...json(body.schema) } };
  if (!upload) return {};
  const content = Object.entries(upload).map(([type, schema]) => [
    type,
    { schema: published(schema) },
  ]);
  return { requestBody: { required: true, content: Object.fromEntries(content) } };
}

const ANSWER_HEADERS = { "X-Request-Id": { $ref: "#/components/headers/RequestId" } };
const LATER_HEADER = { "Retry-After": { $ref: "#/components/headers/RetryAfter" } };
const ETAG_HEADER = { ETag: { $ref: "#/components/headers/ETag" } };
const NOT_MODIFIED = {
  description: "The answer is still the one with the `ETag` of `If-None-Match`",
  headers: { ...ANSWER_HEADERS, ...ETAG_HEADER },
};

/** Returns the operation's codes. Per status, the most specific comes first, as its example. */
function codesOf(of: Operation): Set<ErrorCode> {
  return new Set([
    ...(of.pausable ? (["paused"] as const) : []),
    ...of.errors,
    ...(of.body ? COMMON_ERRORS.body : []),
    ...(of.query ? COMMON_ERRORS.query : []),
    ...(of.auth === "none" ? [] : COMMON_ERRORS.signedIn),
    ...COMMON_ERRORS.any,
  ]);
}

function errorResponses(of: Operation, codes: ReadonlySet<ErrorCode>) {
  const byStatus = Map.groupBy(codes, (code) => errorCodes[code].status);
  const responses = Array.from(byStatus, ([status, ofStatus]) => [
    status,
    {
      description: ofStatus.map((code) => `- \`${code}\`: ${errorCodes[code].meaning}`).join("\n"),
      headers: { ...ANSWER_HEADERS, ...((status === 429 || status === 503) && LATER_HEADER) },
      content: { "application/json": errorBody(of, status, ofStatus) },
    },
  ]);
  return Object.fromEntries(responses);
}

function errorBody(of: Operation, status: number, codes: readonly ErrorCode[]) {
  const isHealth = status === 503 && of.unavailable !== undefined;
  const body = published(isHealth && of.unavailable ? of.unavailable : ErrorBodySchema);
  const code = { type: "string", enum: codes };
  const [first] = codes;
  return {
    schema: { allOf: [body, { type: "object", required: ["code"], properties: { code } }] },
    ...(first && !isHealth && { example: { error: errorCodes[first].text, code: first } }),
  };
}

function json(schema: TSchema, type = "application/json") {
  return { content: { [type]: { schema: published(schema) } } };
}

const names = new Map<object, string>(Array.from(contract, ([name, schema]) => [schema, name]));

/** Returns a reference to a named schema, or the JSON Schema itself with such references inside. */
const published = (schema: TSchema) => publishedValue(schema, false) as object;

function publishedValue(value: unknown, isClosed: boolean): unknown {
  if (typeof value !== "object" || value === null) return value;
  const name = names.get(value);
  return name === undefined ? contentOf(value, isClosed) : { $ref: `#/components/schemas/${name}` };
}

function contentOf(value: object, isClosed: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => publishedValue(item, isClosed));
  const { anyOf, additionalProperties, const: only, ...rest } = value as TSchema;
  const fields = Object.entries(rest).map(([key, field]) => [
    key,
    isClosed && key === "properties"
      ? propertiesOfRequest(value as TObject)
      : publishedValue(field, isClosed),
  ]);
  const content = {
    // Otherwise some clients would read amounts with the seven digits of a 32-bit number.
    ...(rest.type === "number" && { format: "double" }),
    // OpenAPI Generator would read a constant boolean as a text in Rust, and refuse the answer.
    ...(only !== undefined && typeof only !== "boolean" && { const: only }),
    ...(isClosed && additionalProperties !== undefined && { additionalProperties }),
    ...Object.fromEntries(fields),
  };
  if (anyOf === undefined) return content;
  const texts = textsOf(anyOf);
  // A list of texts is easier to read than one schema each, and becomes an enum in clients.
  if (texts) return { type: "string", enum: texts, ...content };
  // OpenAPI Generator would read an answer that is any of several objects, in Rust, as all of them.
  const choice = anyOf.every((schema: TSchema) => names.has(schema)) ? "oneOf" : "anyOf";
  return { [choice]: publishedValue(anyOf, isClosed), ...content };
}

function propertiesOfRequest(schema: TObject): object {
  const properties = Object.entries(schema.properties).map(([field, property]) => {
    const content = publishedValue(property, true) as Record<string, unknown>;
    if (!mayBeNull(schema, field)) return [field, content];
    const { description, examples, ...rules } = content;
    return [field, { description, examples, anyOf: [rules, { type: "null" }] }];
  });
  return Object.fromEntries(properties);
}

function textsOf(anyOf: readonly TSchema[]): unknown[] | null {
  const texts = anyOf.map((schema) => schema.const);
  return texts.every((text) => typeof text === "string") ? texts : null;
}

export function referredSchemas(part: unknown): Record<string, unknown> {
  const found = new Map<string, unknown>();
  const visit = (value: unknown) => {
    for (const [, name = ""] of JSON.stringify(value).matchAll(
      /"#\/components\/schemas\/(\w+)"/g,
    )) {
      const schema = contract.get(name);
      if (found.has(name) || schema === undefined) continue;
      // Servers refuse unknown fields in requests; clients must accept new ones in answers.
      const content = contentOf(schema, name.endsWith("Request"));
      found.set(name, content);
      visit(content);
    }
  };
  visit(part);
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}
