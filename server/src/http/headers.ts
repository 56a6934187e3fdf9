/**
 * The headers of every answer: browsers guess no other content type, and no cache stores it. A
 * route whose answer may be cached sets its own `cache-control`.
 */
export const ANSWER_HEADERS = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
} as const;

/** The headers of an answer, as Elysia's `set` holds them. */
export type AnswerHeaders = Record<string, string | number | string[] | undefined>;

/** Adds an item to a header that is a list, which other parts of the answer may have begun. */
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

/** The headers of answers that browsers hide from pages of other origins otherwise. */
const EXPOSED = "x-request-id, retry-after, ratelimit, ratelimit-policy";

/** What one request's answer says to browsers. */
export interface CorsAnswer {
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the request only asks for permission, and these headers are the answer. */
  readonly isPreflight: boolean;
}

/**
 * Lets pages of other origins call the API (the Fetch standard's CORS protocol). Bearer tokens sign in
 * and cookies do not, so no page gets permission to send cookies.
 *
 * @param origins those allowed, for example `https://app.example`; `*` for all; none adds nothing
 * @returns what is added to a request's answer
 */
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
