/**
 * The limit: the same endpoints, written by hand on `Bun.serve` and bun:sqlite for speed alone. No
 * framework, no schema library, no layers; the same checks, the same answers, the same durability.
 *
 * Environment: PORT, DATABASE, JWT_SECRET, and
 * COMMIT     each | group           one transaction per launch, or one per turn of the event loop
 * ED25519    native | tweetnacl     what verifies a sign-in
 * REMEMBER   no | yes               whether a bearer token's verification is remembered
 */
import { Database } from "bun:sqlite";
import { createHmac, randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { isSafeKey, verifyNative } from "./ed25519.mjs";

const { PORT, DATABASE, JWT_SECRET, COMMIT, ED25519, REMEMBER } = process.env;
const secret = String(JWT_SECRET);

const db = new Database(String(DATABASE), { strict: true });
db.run("pragma journal_mode = wal");
db.run("pragma synchronous = full");
db.run("pragma busy_timeout = 1000");
db.run("pragma foreign_keys = on");
db.run("pragma cache_size = -65536");

const statusQuery = db.query<StatusRow, [string, string]>(
  `select event_id as eventId, ticker, status, processed_at as processedAt, error,
     token_mint as tokenMint, pool_address as poolAddress
   from launches where event_id = ? and wallet = ?`,
);
const listQuery = db.query<TokenRow, [string]>(
  `select pool_address as poolAddress, token_mint as tokenMint, ticker, name as tokenName,
     claimed_at as claimedAt, claimed_to as claimedToAddress, deployed_at as deployedAt, holder,
     image_url as imageUrl
   from tokens where wallet = ? order by id desc`,
);
const insertQuery = db.query(
  `insert into launches (event_id, wallet, name, ticker, description, image_url, created_at, run_at)
   values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (ticker) where ticker_released = 0 do nothing`,
);

interface StatusRow {
  eventId: string;
  ticker: string;
  status: string;
  processedAt: number | null;
  error: string | null;
  tokenMint: string | null;
  poolAddress: string | null;
}

interface TokenRow {
  poolAddress: string;
  tokenMint: string;
  ticker: string;
  tokenName: string;
  claimedAt: number | null;
  claimedToAddress: string | null;
  deployedAt: number;
  holder: string | null;
  imageUrl: string | null;
}

const iso = (time: number | null) => (time === null ? null : new Date(time).toISOString());

// --- answers

function answer(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", "x-request-id": randomUUID() },
  });
}

/** The codes of the errors that the harness compares. */
const codes: Readonly<Record<string, string>> = {
  "Missing or invalid authorization header": "missing_authorization",
  "Invalid or expired token": "invalid_token",
  "Launch not found": "launch_not_found",
  "Validation failed": "validation_failed",
};

const refuse = (status: number, error: string, details?: unknown[]) =>
  answer({ error, code: codes[error] ?? "other", ...(details && { details }) }, status);

// --- bearer tokens

const HEADER = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString("base64url");
const remembered = new Map<string, { wallet: string; expiresAt: number }>();

function hmac(text: string): Buffer {
  return createHmac("sha256", secret).update(text).digest();
}

function issue(wallet: string): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = { sub: wallet, iss: "tokend", aud: "tokend-api", jti: randomUUID() };
  const payload = JSON.stringify({ ...claims, iat: now, exp: now + 900 });
  const text = `${HEADER}.${Buffer.from(payload).toString("base64url")}`;
  return `${text}.${hmac(text).toString("base64url")}`;
}

function walletOf(token: string): string | null {
  if (REMEMBER === "yes") {
    const known = remembered.get(token);
    if (known && Date.now() < known.expiresAt) return known.wallet;
  }
  const dot = token.lastIndexOf(".");
  if (!token.startsWith(`${HEADER}.`)) return null;
  const given = Buffer.from(token.slice(dot + 1), "base64url");
  const right = hmac(token.slice(0, dot));
  if (given.length !== right.length || !timingSafeEqual(given, right)) return null;
  const claims = JSON.parse(
    Buffer.from(token.slice(HEADER.length + 1, dot), "base64url").toString(),
  );
  const { sub, iss, aud, jti, iat, exp } = claims;
  if (typeof sub !== "string" || typeof jti !== "string" || typeof iat !== "number") return null;
  if (iss !== "tokend" || aud !== "tokend-api") return null;
  if (typeof exp !== "number" || exp * 1000 <= Date.now()) return null;
  if (REMEMBER === "yes") {
    const oldest = remembered.size >= 10_000 && remembered.keys().next().value;
    if (oldest) remembered.delete(oldest);
    remembered.set(token, { wallet: sub, expiresAt: exp * 1000 });
  }
  return sub;
}

/** @returns the wallet, or the 401 */
function authorize(request: Request): string | Response {
  const header = request.headers.get("authorization");
  if (!header?.startsWith("Bearer ") || header.length > 2048) {
    return refuse(401, "Missing or invalid authorization header");
  }
  return walletOf(header.slice(7)) ?? refuse(401, "Invalid or expired token");
}

// --- sign-in

const nonces = new Map<string, { wallet: string; expiresAt: number }>();

function decode(text: unknown, bytes: number, maxLength: number): Uint8Array | null {
  if (typeof text !== "string" || text.length === 0 || text.length > maxLength) return null;
  const decoded = bs58.decodeUnsafe(text);
  return decoded?.length === bytes ? decoded : null;
}

async function challenge(request: Request): Promise<Response> {
  const { wallet } = (await request.json()) as { wallet: string };
  if (!decode(wallet, 32, 44)) return refuse(400, "Validation failed", [{ field: "wallet" }]);
  const now = Date.now();
  for (const [nonce, { expiresAt }] of nonces) {
    if (expiresAt > now) break;
    nonces.delete(nonce);
  }
  if (nonces.size >= 100_000) return refuse(503, "Too many sign-ins are in progress");
  const nonce = bs58.encode(randomBytes(32));
  nonces.set(nonce, { wallet, expiresAt: now + 300_000 });
  return answer({ nonce });
}

async function verify(request: Request): Promise<Response> {
  const body = (await request.json()) as { wallet: string; nonce: string; signature: string };
  const publicKey = decode(body.wallet, 32, 44);
  if (!publicKey) return refuse(400, "Validation failed", [{ field: "wallet" }]);
  const known = nonces.get(body.nonce);
  nonces.delete(body.nonce);
  if (known?.wallet !== body.wallet || known.expiresAt <= Date.now()) {
    return refuse(401, "Invalid or expired nonce");
  }
  const message = Buffer.from(`Sign this message to authenticate: ${body.nonce}`);
  const signature = decode(body.signature, 64, 88);
  const isGood =
    signature !== null &&
    (ED25519 === "tweetnacl"
      ? isSafeKey(publicKey) && nacl.sign.detached.verify(message, signature, publicKey)
      : verifyNative(message, signature, publicKey));
  return isGood ? answer({ token: issue(body.wallet) }) : refuse(401, "Invalid signature");
}

// --- launches

interface Launch {
  name: string;
  ticker: string;
  description?: string;
  imageUrl?: string;
}

const FIELDS = new Set(["name", "ticker", "description", "imageUrl"]);
const isText = (value: unknown, min: number, max: number): value is string =>
  typeof value === "string" &&
  value.length <= 2 * max &&
  value.isWellFormed() &&
  [...value].length >= min &&
  [...value].length <= max;

/** @returns the fields that are not as they should be */
function faults(body: Record<string, unknown>): { field: string }[] {
  const { name, ticker, description, imageUrl } = body;
  const wrong = Object.keys(body).filter((field) => !FIELDS.has(field));
  if (!isText(name, 1, 255)) wrong.push("name");
  if (typeof ticker !== "string" || !/^[A-Z0-9]{2,10}$/.test(ticker)) wrong.push("ticker");
  if (description !== undefined && !isText(description, 0, 1000)) wrong.push("description");
  if (imageUrl !== undefined && !(isText(imageUrl, 0, 255) && isImageUrl(imageUrl))) {
    wrong.push("imageUrl");
  }
  return wrong.map((field) => ({ field }));
}

function isImageUrl(url: string): boolean {
  if (!/^[a-z]+:\/\/[^\s\p{Cc}]+$/iu.test(url) || !URL.canParse(url)) return false;
  return ["http:", "https:", "ipfs:", "ar:"].includes(new URL(url).protocol);
}

/** @returns whether the ticker was free */
function insert(eventId: string, wallet: string, launch: Launch): boolean {
  const { name, ticker, description = null, imageUrl = null } = launch;
  const now = Date.now();
  return (
    insertQuery.run(eventId, wallet, name, ticker, description, imageUrl, now, now).changes > 0
  );
}

type Waiting = { eventId: string; wallet: string; launch: Launch; done: (free: boolean) => void };
let waiting: Waiting[] = [];
const insertAll = db.transaction((batch: Waiting[]) =>
  batch.map(({ eventId, wallet, launch }) => insert(eventId, wallet, launch)),
);

function flush(): void {
  const batch = waiting;
  waiting = [];
  const outcomes = insertAll.immediate(batch);
  for (const [index, { done }] of batch.entries()) done(outcomes[index] === true);
}

function store(eventId: string, wallet: string, launch: Launch): boolean | Promise<boolean> {
  if (COMMIT === "each") return insert(eventId, wallet, launch);
  if (waiting.length === 0) setImmediate(flush);
  return new Promise((done) => waiting.push({ eventId, wallet, launch, done }));
}

async function launch(request: Request): Promise<Response> {
  const wallet = authorize(request);
  if (typeof wallet !== "string") return wallet;
  if (Number(request.headers.get("content-length")) > 65_536) {
    return refuse(413, "Request body too large");
  }
  const body = (await request.json()) as Record<string, unknown> & Launch;
  const details = faults(body);
  if (details.length > 0) return refuse(400, "Validation failed", details);
  const eventId = randomUUID();
  if (!(await store(eventId, wallet, body))) {
    const error = `Ticker ${body.ticker} already exists`;
    return answer({ error, code: "ticker_taken" }, 409);
  }
  return answer({ success: true, eventId, message: "Launch accepted" });
}

// --- reads

function status(request: Request, eventId: string): Response {
  const wallet = authorize(request);
  if (typeof wallet !== "string") return wallet;
  const row = statusQuery.get(eventId, wallet);
  if (!row) return refuse(404, "Launch not found");
  return answer({ ...row, processedAt: iso(row.processedAt) });
}

function list(request: Request): Response {
  const wallet = authorize(request);
  if (typeof wallet !== "string") return wallet;
  const tokens = listQuery.all(wallet).map((row) => ({
    poolAddress: row.poolAddress,
    tokenMint: row.tokenMint,
    ticker: row.ticker,
    tokenName: row.tokenName,
    isClaimed: row.claimedAt !== null,
    claimedAt: iso(row.claimedAt),
    claimedToAddress: row.claimedToAddress,
    deployedAt: iso(row.deployedAt),
    ...(row.holder !== null && { holder: row.holder }),
    ...(row.imageUrl !== null && { imageUrl: row.imageUrl }),
  }));
  return answer({ tokens });
}

const STATUS = "/api/v1/tokens/launch/status/";

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(PORT),
  reusePort: false,
  development: false,
  fetch(request) {
    const { url, method } = request;
    const path = url.slice(url.indexOf("/", 8));
    if (method === "GET") {
      if (path.startsWith(STATUS)) return status(request, path.slice(STATUS.length));
      if (path === "/api/v1/tokens/" || path === "/api/v1/tokens") return list(request);
      if (path === "/health") return answer({ ok: true });
    } else if (method === "POST") {
      if (path === "/api/v1/tokens/launch") return launch(request);
      if (path === "/api/auth/challenge") return challenge(request);
      if (path === "/api/auth/verify") return verify(request);
    }
    return refuse(404, "Not found");
  },
  error: () => refuse(500, "Internal server error"),
});
