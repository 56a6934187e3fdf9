import { openapi } from "@elysiajs/openapi";
import type { TSchema } from "@sinclair/typebox";
import { ErrorBodySchema } from "@tokenctl/shared/response-schemas";
import { Elysia } from "elysia";

const ERROR_MEANING: Record<number, string> = {
  400: "The request is not as the contract wants it; `details` names the fields",
  401: "Not signed in, or no longer",
  404: "There is no such thing for this agent",
  409: "It conflicts with what there is",
  429: "Too many requests; `Retry-After` says when to come again",
  500: "Unexpected error; `message` names the request",
  502: "The transaction cannot be built, or the chain refused it",
  503: "The chain or the database cannot be reached; `Retry-After` says when to come again",
};

export interface Operation {
  readonly summary: string;
  readonly tag: string;
  readonly answer: TSchema;
  readonly body?: TSchema;
  /** Whether a request may come without its body. */
  readonly bodyOptional?: boolean;
  /** Whether it wants no bearer token. */
  readonly isPublic?: boolean;
  readonly query?: readonly string[];
  readonly errors: readonly number[];
}

/** Describes a route for the OpenAPI document. Validation is not Elysia's: see `validation.ts`. */
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

/** Of `@scalar/api-reference`, which shows the document: pinned, so that the page never changes by itself. */
const SCALAR_VERSION = "1.72.1";

/**
 * What the page may do: run that viewer, whose texts and styles are its own, load its fonts, and ask
 * this server. `@elysiajs/openapi` builds the same address of the viewer from its version.
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
    // The page's viewer comes from a public CDN; the document itself needs none.
    scalar: { version: SCALAR_VERSION },
    documentation: {
      info: {
        title: "Token launch service",
        version,
        description:
          "Launches tokens for autonomous agents and pays them the fees. Amounts are SOL. A path that does not have the method is answered 405, with those that it has in Allow.",
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
