/** A route as Elysia lists it, for example `GET /api/v1/tokens/:mintAddress`. */
export interface RoutePattern {
  readonly method: string;
  readonly path: string;
}

/** The methods of each path, taken from the app's own routes. */
export class MethodTable {
  readonly #fixed = new Map<string, string[]>();
  readonly #patterns: { matches: RegExp; methods: readonly string[] }[] = [];

  constructor(routes: readonly RoutePattern[]) {
    for (const { method, path } of routes) {
      const methods = method === "GET" ? ["GET", "HEAD"] : [method];
      const bare = withoutSlash(path);
      // The console is for browsers; programs see no endpoint there.
      if (bare === "") continue;
      if (bare.includes("/:")) {
        this.#patterns.push({ matches: toRegExp(bare), methods });
      } else {
        this.#fixed.set(bare, [...(this.#fixed.get(bare) ?? []), ...methods]);
      }
    }
  }

  /**
   * A fixed path wins over a pattern: `/api/v1/tokens/launch` does not match `/api/v1/tokens/:mint`.
   *
   * @param path as it was sent, with or without a slash at its end
   * @returns for example `["GET", "HEAD"]`; empty if no route has this path
   */
  at(path: string): readonly string[] {
    const bare = withoutSlash(path);
    const fixed = this.#fixed.get(bare);
    if (fixed) return fixed;
    return this.#patterns.flatMap(({ matches, methods }) => (matches.test(bare) ? methods : []));
  }
}

function withoutSlash(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}

/** Dots are the only characters of our routes with a meaning in regular expressions. */
function toRegExp(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/:\w+/g, "[^/]+")}$`);
}
