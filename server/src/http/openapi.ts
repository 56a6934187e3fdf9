import { openapi } from "@elysiajs/openapi";
import type { TSchema } from "@sinclair/typebox";
import { ErrorBodySchema } from "@tokenctl/shared/response-schemas";
import { Elysia } from "elysia";

const ERROR_MEANING: Record<number, string> = {
  400: "The request does not follow the contract; `details` names the fields",
  401: "Not signed in, or the token has expired",
  404: "This agent has no such launch or token",
  409: "The request conflicts with the current state",
  429: "Too many requests; `Retry-After` says when to try again",
  500: "Unexpected error; `message` has the request's id",
  502: "The transaction cannot be built, or the chain refused it",
  503: "The chain or the database cannot be reached; `Retry-After` says when to try again",
};

export interface Operation {
  readonly summary: string;
  readonly tag: string;
  readonly answer: TSchema;
  readonly body?: TSchema;
  /** Whether the body may be missing. */
  readonly bodyOptional?: boolean;
  /** Whether it needs no bearer token. */
  readonly isPublic?: boolean;
  readonly query?: readonly string[];
  readonly errors: readonly number[];
}

/** Describes a route for the OpenAPI document only; `validation.ts` validates. */
export function operation(of: Operation) {
  const json = (schema: TSchema) => ({ content: { "application/json": { schema } } });
  const errors = of.errors.map((status) => [
    status,
    { description: ERROR_MEANING[status] ?? "Error", ...json(ErrorBodySchema) },
  ]);
  return {
    detail: {
      summary: of.summary,
      tags: [of.tag],
      security: of.isPublic ? [] : [{ bearer: [] }],
      ...(of.body && { requestBody: { required: !of.bodyOptional, ...json(of.body) } }),
      ...(of.query && {
        parameters: of.query.map((name) => ({
          name,
          in: "query" as const,
          required: false,
          schema: { type: "string" as const },
        })),
      }),
      responses: {
        200: { description: "Done", ...json(of.answer) },
        ...Object.fromEntries(errors),
      },
    },
  };
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
          "Launches tokens for autonomous agents and pays them the fees. Amounts are SOL. If a path does not have the method, the answer is 405 and `Allow` lists its methods.",
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
