/**
 * What many would write on Bun today: Hono, its JWT middleware, and bun:sqlite. The same checks, the
 * same answers, one commit per launch. Plain JavaScript because its packages are installed for the
 * benchmark alone.
 *
 * Environment: PORT, DATABASE, JWT_SECRET.
 */
import { Database } from "bun:sqlite";
import { randomBytes, randomUUID } from "node:crypto";
import bs58 from "bs58";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { sign, verify } from "hono/jwt";
import { requestId } from "hono/request-id";
import { verifyNative } from "./ed25519.mjs";

const { PORT, DATABASE, JWT_SECRET } = process.env;

const db = new Database(DATABASE, { strict: true });
db.run("pragma journal_mode = wal");
db.run("pragma synchronous = full");
db.run("pragma busy_timeout = 1000");
db.run("pragma foreign_keys = on");
db.run("pragma cache_size = -65536");

const findLaunch = db.query(
  `select event_id as eventId, ticker, status, processed_at as processedAt, error,
     token_mint as tokenMint, pool_address as poolAddress
   from launches where event_id = ? and wallet = ?`,
);
const listTokens = db.query(
  `select pool_address as poolAddress, token_mint as tokenMint, ticker, name as tokenName,
     claimed_at as claimedAt, claimed_to as claimedToAddress, deployed_at as deployedAt, holder,
     image_url as imageUrl
   from tokens where wallet = ? order by id desc`,
);
const insertLaunch = db.query(
  `insert into launches (event_id, wallet, name, ticker, description, image_url, created_at, run_at)
   values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (ticker) where ticker_released = 0 do nothing`,
);

const iso = (time) => (time === null ? null : new Date(time).toISOString());

const nonces = new Map();

function decode(text, bytes, maxLength) {
  if (typeof text !== "string" || text.length === 0 || text.length > maxLength) return null;
  const decoded = bs58.decodeUnsafe(text);
  return decoded?.length === bytes ? decoded : null;
}

const isText = (value, min, max) =>
  typeof value === "string" &&
  value.length <= 2 * max &&
  value.isWellFormed() &&
  [...value].length >= min &&
  [...value].length <= max;

function isImageUrl(url) {
  if (!/^[a-z]+:\/\/[^\s\p{Cc}]+$/iu.test(url) || !URL.canParse(url)) return false;
  return ["http:", "https:", "ipfs:", "ar:"].includes(new URL(url).protocol);
}

const FIELDS = ["name", "ticker", "description", "imageUrl"];

function faults(body) {
  const { name, ticker, description, imageUrl } = body;
  const wrong = Object.keys(body).filter((field) => !FIELDS.includes(field));
  if (!isText(name, 1, 255)) wrong.push("name");
  if (typeof ticker !== "string" || !/^[A-Z0-9]{2,10}$/.test(ticker)) wrong.push("ticker");
  if (description !== undefined && !isText(description, 0, 1000)) wrong.push("description");
  if (imageUrl !== undefined && !(isText(imageUrl, 0, 255) && isImageUrl(imageUrl))) {
    wrong.push("imageUrl");
  }
  return wrong.map((field) => ({ field }));
}

const app = new Hono();
app.use(requestId());

app.get("/health", (c) => c.json({ ok: true }));

app.post("/api/auth/challenge", async (c) => {
  const { wallet } = await c.req.json();
  if (!decode(wallet, 32, 44))
    return c.json({ error: "Validation failed", code: "validation_failed" }, 400);
  const now = Date.now();
  for (const [nonce, { expiresAt }] of nonces) {
    if (expiresAt > now) break;
    nonces.delete(nonce);
  }
  if (nonces.size >= 100_000) return c.json({ error: "Too many sign-ins are in progress" }, 503);
  const nonce = bs58.encode(randomBytes(32));
  nonces.set(nonce, { wallet, expiresAt: now + 300_000 });
  return c.json({ nonce });
});

app.post("/api/auth/verify", async (c) => {
  const { wallet, nonce, signature } = await c.req.json();
  const publicKey = decode(wallet, 32, 44);
  if (!publicKey) return c.json({ error: "Validation failed", code: "validation_failed" }, 400);
  const known = nonces.get(nonce);
  nonces.delete(nonce);
  if (known?.wallet !== wallet || known.expiresAt <= Date.now()) {
    return c.json({ error: "Invalid or expired nonce", code: "invalid_nonce" }, 401);
  }
  const message = Buffer.from(`Sign this message to authenticate: ${nonce}`);
  const bytes = decode(signature, 64, 88);
  if (!bytes || !verifyNative(message, bytes, publicKey)) {
    return c.json({ error: "Invalid signature", code: "invalid_signature" }, 401);
  }
  const iat = Math.floor(Date.now() / 1000);
  const claims = { sub: wallet, iss: "tokend", aud: "tokend-api", jti: randomUUID() };
  return c.json({ token: await sign({ ...claims, iat, exp: iat + 900 }, JWT_SECRET, "HS256") });
});

const BEARER = /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i;

app.use("/api/v1/*", async (c, next) => {
  const token = BEARER.exec(c.req.header("authorization") ?? "")?.[1];
  if (!token)
    return c.json(
      { error: "Missing or invalid authorization header", code: "missing_authorization" },
      401,
    );
  try {
    const options = { alg: "HS256", iss: "tokend", aud: "tokend-api" };
    const { sub, exp, iat, jti } = await verify(token, JWT_SECRET, options);
    if (!sub || !exp || !iat || !jti) throw new Error("a claim is missing");
    c.set("wallet", sub);
  } catch {
    return c.json({ error: "Invalid or expired token", code: "invalid_token" }, 401);
  }
  await next();
});

app.get("/api/v1/tokens/launch/status/:eventId", (c) => {
  const row = findLaunch.get(c.req.param("eventId"), c.get("wallet"));
  if (!row) return c.json({ error: "Launch not found", code: "launch_not_found" }, 404);
  return c.json({ ...row, processedAt: iso(row.processedAt) });
});

app.get("/api/v1/tokens/", (c) => {
  const tokens = listTokens.all(c.get("wallet")).map((row) => ({
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
  return c.json({ tokens });
});

app.post("/api/v1/tokens/launch", bodyLimit({ maxSize: 65_536 }), async (c) => {
  const body = await c.req.json();
  const details = faults(body);
  if (details.length > 0)
    return c.json({ error: "Validation failed", code: "validation_failed", details }, 400);
  const eventId = randomUUID();
  const now = Date.now();
  const { name, ticker, description = null, imageUrl = null } = body;
  const wallet = c.get("wallet");
  const { changes } = insertLaunch.run(
    eventId,
    wallet,
    name,
    ticker,
    description,
    imageUrl,
    now,
    now,
  );
  if (changes === 0)
    return c.json({ error: `Ticker ${ticker} already exists`, code: "ticker_taken" }, 409);
  return c.json({ success: true, eventId, message: "Launch accepted" });
});

app.notFound((c) => c.json({ error: "Not found", code: "not_found" }, 404));
app.onError((_, c) => c.json({ error: "Internal server error", code: "internal_error" }, 500));

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(PORT),
  development: false,
  fetch: app.fetch,
});
