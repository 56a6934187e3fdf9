import { openapi } from "@elysiajs/openapi";
import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import { type ErrorCode, errorCodes } from "@tokenctl/shared/error-codes";
import { ErrorBodySchema } from "@tokenctl/shared/response-schemas";
import { Elysia } from "elysia";

/** The errors that any route can answer, and those of routes with a token, a body or a query. */
const COMMON_ERRORS = {
  any: ["ambiguous_host", "internal_error", "starting"],
  signedIn: [
    ...(["missing_authorization", "invalid_token", "too_many_requests"] as const),
    "database_unavailable",
  ],
  body: ["validation_failed", "body_too_late", "body_too_large", "unsupported_media_type"],
  query: ["validation_failed"],
} as const satisfies Record<string, readonly ErrorCode[]>;

export interface Operation {
  readonly summary: string;
  readonly tag: string;
  readonly answer: TSchema;
  readonly body?: TSchema;
  /** The schemas of a body that is not JSON, by media type. */
  readonly upload?: Readonly<Record<string, TSchema>>;
  /** The answer's media type, if it is not JSON. */
  readonly answerType?: string;
  /** Whether the body may be missing. */
  readonly bodyOptional?: boolean;
  /** Whether it needs no bearer token. */
  readonly isPublic?: boolean;
  readonly query?: readonly string[];
  /** Its own errors, beside the common ones. */
  readonly errors: readonly ErrorCode[];
  /** The body of its errors with 503, if it has more fields than that of other errors. */
  readonly unavailable?: TObject;
}

/** Describes a route for the OpenAPI document only; `validation.ts` validates. */
export function operation(of: Operation) {
  return {
    detail: {
      summary: of.summary,
      tags: [of.tag],
      security: of.isPublic ? [] : [{ bearer: [] }],
      ...(of.body && { requestBody: { required: !of.bodyOptional, ...json(of.body) } }),
      ...(of.upload && {
        requestBody: {
          required: true,
          content: Object.fromEntries(
            Object.entries(of.upload).map(([type, schema]) => [type, { schema }]),
          ),
        },
      }),
      ...(of.query && {
        parameters: of.query.map((name) => ({
          name,
          in: "query" as const,
          required: false,
          schema: { type: "string" as const },
        })),
      }),
      responses: {
        200: { description: "Done", ...json(of.answer, of.answerType) },
        ...errorResponses(of),
      },
    },
  };
}

function errorResponses(of: Operation) {
  const codes = new Set<ErrorCode>([
    ...COMMON_ERRORS.any,
    ...(of.isPublic ? [] : COMMON_ERRORS.signedIn),
    ...(of.body ? COMMON_ERRORS.body : []),
    ...(of.query ? COMMON_ERRORS.query : []),
    ...of.errors,
  ]);
  const byStatus = Map.groupBy(codes, (code) => errorCodes[code].status);
  const responses = Array.from(byStatus, ([status, ofStatus]) => {
    const body = status === 503 ? (of.unavailable ?? ErrorBodySchema) : ErrorBodySchema;
    const description = ofStatus.map((code) => `- \`${code}\`: ${errorCodes[code].meaning}`);
    return [status, { description: description.join("\n"), ...json(withCodes(body, ofStatus)) }];
  });
  return Object.fromEntries(responses);
}

/** @returns the schema of an error body that has one of these codes */
function withCodes(body: TObject, codes: readonly ErrorCode[]): TObject {
  const code = Type.String({ enum: codes });
  return Type.Object({ ...body.properties, code }, { additionalProperties: false });
}

function json(schema: TSchema, type = "application/json") {
  return { content: { [type]: { schema } } };
}

/** The version of `@scalar/api-reference`, the page's viewer: pinned, so that the page never changes by itself. */
const SCALAR_VERSION = "1.72.1";

/**
 * The page may run the viewer, use inline styles, load the viewer's fonts, and call this server.
 * `@elysiajs/openapi` builds the same script URL from the version.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  `script-src https://cdn.jsdelivr.net/npm/@scalar/api-reference@${SCALAR_VERSION}/dist/browser/standalone.min.js`,
  "style-src 'unsafe-inline'",
  "font-src https://fonts.scalar.com",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Serves the OpenAPI page at `/openapi` and the document at `/openapi/json`. */
export function openapiPlugin(publicUrl: string, version: string) {
  const plugin = openapi({
    path: "/openapi",
    // The page loads its viewer from a public CDN; the JSON document needs no CDN.
    scalar: { version: SCALAR_VERSION },
    documentation: {
      info: {
        title: "Token launch service",
        version,
        description:
          "Launches tokens for autonomous agents and pays them the fees. Amounts are SOL. Every error has a stable `code`. A path that does not exist is answered with 404 `not_found`; if it does not have the method, with 405 `method_not_allowed`, and `Allow` lists its methods.",
      },
      servers: [{ url: publicUrl }],
      components: {
        securitySchemes: { bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" } },
      },
    },
  });
  return new Elysia()
    .onBeforeHandle(({ set }) => {
      set.headers["content-security-policy"] = PAGE_POLICY;
    })
    .use(plugin);
}
