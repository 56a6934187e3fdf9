/** Browsers guess no other content type, and no cache stores an answer unless its route says so. */
export const ANSWER_HEADERS = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
} as const;

export type AnswerHeaders = Record<string, string | number | string[] | undefined>;

export function addItem(headers: AnswerHeaders, field: string, item: string): void {
  const before = headers[field];
  headers[field] = before === undefined ? item : `${before}, ${item}`;
}

/** What the API's requests need beyond what every page may send; `solana-client` for `/dev/rpc`. */
const PREFLIGHT_HEADERS = {
  "access-control-allow-methods": "GET, POST, PUT, DELETE",
  "access-control-allow-headers":
    "authorization, content-type, idempotency-key, last-event-id, solana-client",
  /** Seconds; browsers ask again after two hours at the latest. */
  "access-control-max-age": "7200",
} as const;

const EXPOSED = "x-request-id, retry-after, ratelimit, ratelimit-policy";

export interface CorsAnswer {
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the request only asks for permission, and these headers are the answer. */
  readonly isPreflight: boolean;
}

/** The Fetch standard's CORS protocol; `*` for all origins. No page may send cookies: they do not sign in. */
export function corsAnswers(origins: readonly string[]): (request: Request) => CorsAnswer {
  const allowsAll = origins.includes("*");
  const allowed = new Set(origins);
  // A cache must not give one origin's answer to another.
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
