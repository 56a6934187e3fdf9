import type { TObject, TSchema } from "@sinclair/typebox";
import { ErrorBodySchema } from "@tokenctl/shared/contract/error";
import { type ErrorCode, errorCodes } from "@tokenctl/shared/error-codes";
import {
  HEADERS,
  type HeaderName,
  PARAMETERS,
  type Parameter,
  QUERY,
  type QueryName,
} from "./openapi-parameters.ts";
import { published } from "./openapi-schemas.ts";
import type { Tag } from "./openapi-tags.ts";

/** The errors that any route can answer, and those of routes with a token, a body or a query. */
const COMMON_ERRORS = {
  any: ["ambiguous_host", "foreign_host", "internal_error", "starting"],
  signedIn: [
    ...(["missing_authorization", "invalid_token", "too_many_requests"] as const),
    "database_unavailable",
  ],
  body: ["validation_failed", "body_too_late", "body_too_large", "unsupported_media_type"],
  query: ["validation_failed"],
} as const satisfies Record<string, readonly ErrorCode[]>;

export interface Operation {
  /** Names it in generated clients, for example `launchToken`. It never changes. */
  readonly id: string;
  /** A few words. */
  readonly summary: string;
  /** What it does and what a client has to know, in sentences. */
  readonly description: string;
  readonly tag: Tag;
  readonly answer: TSchema;
  readonly body?: TSchema;
  /** The schemas of a body that is not JSON, by media type. */
  readonly upload?: Readonly<Record<string, TSchema>>;
  /** The answer's media type, if it is not JSON. */
  readonly answerType?: string;
  /** Whether the answer has an `ETag`, by which a client may ask for it again. */
  readonly hasEtag?: boolean;
  /** Whether the body may be missing. */
  readonly bodyOptional?: boolean;
  /** Whether it needs no bearer token. */
  readonly isPublic?: boolean;
  /** The path's parameters, if they are not those of `openapi-parameters.ts`. */
  readonly params?: Readonly<Record<string, Parameter>>;
  readonly query?: readonly QueryName[];
  readonly headers?: readonly HeaderName[];
  /** Its own errors, beside the common ones. */
  readonly errors: readonly ErrorCode[];
  /** The body of its errors with 503, if it has more fields than that of other errors. */
  readonly unavailable?: TObject;
}

/** A route's operation in the document. */
type PublishedOperation = ReturnType<typeof publishedOperation>;

/** What routes give Elysia as their `detail`. */
export interface RouteDetail {
  /** @param path as the document has it */
  readonly publish: (path: string) => PublishedOperation;
}

/**
 * Describes a route for the OpenAPI document only; `validation.ts` validates. A route without it is
 * not in the document.
 */
export function operation(of: Operation) {
  // Made when the document is first asked for: a start need not wait for it.
  const detail: RouteDetail = { publish: (path) => publishedOperation(of, path) };
  return { detail: { operationId: of.id, ...detail } };
}

function publishedOperation(of: Operation, path: string) {
  const codes = codesOf(of);
  const parameters = [
    ...Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = ""]) => ({
      name,
      in: "path",
      required: true,
      ...(of.params?.[name] ?? PARAMETERS[name]),
    })),
    ...(of.query ?? []).map((name) => ({ name, in: "query", required: false, ...QUERY[name] })),
    ...headersOf(of).map((name) => ({
      name,
      in: "header",
      required: false,
      ...HEADERS[name],
    })),
  ];
  return {
    operationId: of.id,
    summary: of.summary,
    description: of.description,
    tags: [of.tag],
    security: of.isPublic ? [] : [{ bearer: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...requestBody(of),
    responses: {
      200: {
        description: "Done",
        headers: { ...headersOfAnswer(codes), ...(of.hasEtag && ETAG_HEADER) },
        ...json(of.answer, of.answerType),
      },
      ...(of.hasEtag && { 304: NOT_MODIFIED }),
      ...errorResponses(of, codes),
    },
  };
}

function requestBody({ body, bodyOptional, upload }: Operation) {
  if (body) return { requestBody: { required: !bodyOptional, ...json(body) } };
  if (!upload) return {};
  const content = Object.entries(upload).map(([type, schema]) => [
    type,
    { schema: published(schema) },
  ]);
  return { requestBody: { required: true, content: Object.fromEntries(content) } };
}

function headersOf({ headers = [], hasEtag }: Operation): readonly HeaderName[] {
  return hasEtag ? [...headers, "If-None-Match"] : headers;
}

/** Headers of answers, by reference to the document's components. */
const ANSWER_HEADERS = { "X-Request-Id": { $ref: "#/components/headers/RequestId" } };
const LATER_HEADER = { "Retry-After": { $ref: "#/components/headers/RetryAfter" } };
const LIMIT_HEADERS = {
  RateLimit: { $ref: "#/components/headers/RateLimit" },
  "RateLimit-Policy": { $ref: "#/components/headers/RateLimitPolicy" },
};
const ETAG_HEADER = { ETag: { $ref: "#/components/headers/ETag" } };
const NOT_MODIFIED = {
  description: "The answer is still the one with the `ETag` of `If-None-Match`",
  headers: { ...ANSWER_HEADERS, ...ETAG_HEADER },
};

/** @param codes the errors of the operation: requests that may be too many are counted */
function headersOfAnswer(codes: ReadonlySet<ErrorCode>) {
  return { ...ANSWER_HEADERS, ...(codes.has("too_many_requests") && LIMIT_HEADERS) };
}

/** @returns all codes of the operation; the most telling of each status first, which is the example */
function codesOf(of: Operation): Set<ErrorCode> {
  return new Set([
    ...of.errors,
    ...(of.body ? COMMON_ERRORS.body : []),
    ...(of.query ? COMMON_ERRORS.query : []),
    ...(of.isPublic ? [] : COMMON_ERRORS.signedIn),
    ...COMMON_ERRORS.any,
  ]);
}

function errorResponses(of: Operation, codes: ReadonlySet<ErrorCode>) {
  const byStatus = Map.groupBy(codes, (code) => errorCodes[code].status);
  const responses = Array.from(byStatus, ([status, ofStatus]) => [
    status,
    {
      description: ofStatus.map((code) => `- \`${code}\`: ${errorCodes[code].meaning}`).join("\n"),
      headers: {
        ...(status === 429 ? headersOfAnswer(codes) : ANSWER_HEADERS),
        ...((status === 429 || status === 503) && LATER_HEADER),
      },
      content: { "application/json": errorBody(of, status, ofStatus) },
    },
  ]);
  return Object.fromEntries(responses);
}

/** The body of errors that have one of these codes. */
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
