import type { FuzzRequest } from "./request.ts";

const JSON_TYPE = ["Content-Type", "application/json"] as const;
const SIGNED_IN = ["Authorization", "Bearer {{token}}"] as const;

function post(target: string, body: unknown, ...headers: FuzzRequest["headers"]): FuzzRequest {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { method: "POST", target, headers: [JSON_TYPE, ...headers], body: text, isChunked: false };
}

function get(target: string, ...headers: FuzzRequest["headers"]): FuzzRequest {
  return { method: "GET", target, headers, body: null, isChunked: false };
}

const digits = (count: number) => "2".repeat(count);
const CHALLENGE = "/api/auth/challenge";
const VERIFY = "/api/auth/verify";
const LAUNCH = "/api/v1/tokens/launch";
const goodVerify = { wallet: "{{wallet}}", nonce: "none", signature: digits(88) };

/** A refusal that takes no work, with which the others are compared. */
export const TRIVIAL = post(CHALLENGE, { wallet: "short" });

/** Requests that ask for much work, by what is costly in them; each must be refused. */
export const COSTLY: Readonly<Record<string, FuzzRequest>> = {
  "a wallet of 10,000 characters, challenge": post(CHALLENGE, { wallet: digits(10_000) }),
  "a wallet of 10,000 characters, verify": post(VERIFY, { ...goodVerify, wallet: digits(10_000) }),
  "a signature of 10,000 characters": post(VERIFY, { ...goodVerify, signature: digits(10_000) }),
  "a nonce of 10,000 characters": post(VERIFY, { ...goodVerify, nonce: digits(10_000) }),
  "a transaction of 60,000 characters": post(
    "/api/v1/tokens/claims/{{mint}}",
    { signedTransaction: "A".repeat(60_000) },
    SIGNED_IN,
  ),
  "a mint of 10,000 characters": get(`/api/v1/tokens/${digits(10_000)}`, SIGNED_IN),
  "a metadata file of 10,000 characters": get(`/metadata/${digits(10_000)}.json`),
  "a cursor of 10,000 characters": get(
    `/api/v1/tokens?limit=1&cursor=${digits(10_000)}`,
    SIGNED_IN,
  ),
  "a bearer token of 12,000 characters": get("/api/v1/tokens", [
    "Authorization",
    `Bearer ${digits(12_000)}`,
  ]),
  "a forwarded address of 12,000 characters": post(CHALLENGE, { wallet: "short" }, [
    "X-Forwarded-For",
    `${"1:".repeat(6_000)}1`,
  ]),
  "an idempotency key of 12,000 characters": post(LAUNCH, { name: "A", ticker: "KEY" }, SIGNED_IN, [
    "Idempotency-Key",
    digits(12_000),
  ]),
  "30,000 levels of JSON": post(LAUNCH, "[".repeat(30_000) + "]".repeat(30_000), SIGNED_IN),
  "4,000 unknown fields": post(
    LAUNCH,
    Object.fromEntries(Array.from({ length: 4_000 }, (_, index) => [`field${index}`, 1])),
    SIGNED_IN,
  ),
  "a field's name of 60,000 characters": post(LAUNCH, { ["a".repeat(60_000)]: 1 }, SIGNED_IN),
  "a name of 60,000 characters": post(LAUNCH, { name: "a".repeat(60_000), ticker: "A" }, SIGNED_IN),
  "an amount of 60,000 digits": post("/dev/airdrop", `{"sol":${"9".repeat(60_000)}}`, SIGNED_IN),
  "a body of 70,000 bytes": post(CHALLENGE, `"${"a".repeat(69_998)}"`),
};
