/** Browsers must not guess content types, and caches store only what a route allows. */
export const ANSWER_HEADERS = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
} as const;

export type AnswerHeaders = Record<string, string | number | string[] | undefined>;

export function addItem(headers: AnswerHeaders, field: string, item: string): void {
  const before = headers[field];
  headers[field] = before === undefined ? item : `${before}, ${item}`;
}

/** What API requests need beyond what every page may send. `solana-client` is for `/dev/rpc`. */
const PREFLIGHT_HEADERS = {
  "access-control-allow-methods": "GET, POST, PUT, DELETE",
  "access-control-allow-headers":
    "authorization, content-type, idempotency-key, last-event-id, solana-client",
  /** In seconds: browsers ask again after at most two hours. */
  "access-control-max-age": "7200",
} as const;

const EXPOSED = "x-request-id, retry-after, ratelimit, ratelimit-policy";

export interface CorsAnswer {
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the request only asks for permission, so that these headers are the whole answer. */
  readonly isPreflight: boolean;
}

/** The Fetch standard's CORS protocol; `*` allows all origins. No cookies: they do not sign in. */
export function corsAnswers(origins: readonly string[]): (request: Request) => CorsAnswer {
  const allowsAll = origins.includes("*");
  const allowed = new Set(origins);
  // A cache must not serve one origin's answer to another.
  const vary = allowsAll || origins.length === 0 ? {} : { vary: "Origin" };
  return ({ method, headers }) => {
    const origin = headers.get("origin");
    if (origin === null || !(allowsAll || allowed.has(origin))) {
      return { headers: vary, isPreflight: false };
    }
    const isPreflight = method === "OPTIONS" && headers.has("access-control-request-method");
    return {
      isPreflight,
      headers: {
        ...vary,
        "access-control-allow-origin": allowsAll ? "*" : origin,
        "access-control-expose-headers": EXPOSED,
        ...(isPreflight && PREFLIGHT_HEADERS),
      },
    };
  };
}
