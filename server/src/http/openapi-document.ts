import { type RouteDetail, TAGS } from "./openapi.ts";
import { PROSE } from "./openapi-prose.ts";
import { referredSchemas } from "./openapi-schemas.ts";

export interface ListedRoute {
  readonly method: string;
  /** For example `/api/v1/tokens/:mintAddress`. */
  readonly path: string;
  readonly hooks: { readonly detail?: object };
}

/** The one path that the contract writes with a slash at its end. */
const WITH_SLASH = "/api/v1/tokens/";

/** Builds the OpenAPI 3.1 document of the routes that an `endpoint()` declares. */
export function openapiDocument(
  routes: readonly ListedRoute[],
  publicUrl: string,
  version: string,
) {
  const paths: Record<string, Record<string, ReturnType<RouteDetail["publish"]>>> = {};
  for (const { method, path, hooks } of routes) {
    const { detail } = hooks;
    if (!isDescribed(detail)) continue;
    const published = publishedPath(path);
    paths[published] = { ...paths[published], [method.toLowerCase()]: detail.publish(published) };
  }
  const used = new Set(
    Object.values(paths).flatMap((methods) => Object.values(methods).flatMap(({ tags }) => tags)),
  );
  return {
    openapi: "3.1.1",
    info: {
      title: "Token launch service",
      version,
      description: PROSE,
      license: { name: "MIT", identifier: "MIT" },
      contact: { name: "The operator of this server", url: publicUrl },
    },
    servers: [{ url: publicUrl, description: "This server" }],
    tags: Object.entries(TAGS)
      .filter(([name]) => used.has(name as keyof typeof TAGS))
      .map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: "The `token` of `signIn`, valid for 15 minutes",
        },
      },
      headers: {
        RequestId: header("Identifies the request in the server's log", { format: "uuid" }),
        ETag: header("Names this version of the answer"),
        RateLimit: header(
          'How many requests are left of each limit, and for how many seconds: `"agent";r=599;t=60`. Absent without a limit',
        ),
        RateLimitPolicy: header(
          'How many requests each limit admits, and in how many seconds: `"agent";q=600;w=60`. Absent without a limit',
        ),
        RetryAfter: {
          description: "Seconds after which the request may be sent again, if that is known",
          schema: { type: "integer", minimum: 0 },
        },
      },
      schemas: referredSchemas(paths),
    },
  };
}

function header(description: string, rules: object = {}) {
  return { description, schema: { type: "string", ...rules } };
}

function isDescribed(detail: object | undefined): detail is RouteDetail {
  return detail !== undefined && "publish" in detail;
}

function publishedPath(path: string): string {
  const published = path.replaceAll(/:(\w+)/g, "{$1}");
  return published === WITH_SLASH ? published : published.replace(/(?<=.)\/$/, "");
}
