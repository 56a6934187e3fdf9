/**
 * What a TypeScript team would pick: Fastify with @fastify/jwt, its own schemas for bodies and
 * answers, and better-sqlite3, on Node. The same checks, the same answers, one commit per launch.
 *
 * Environment: PORT, DATABASE, JWT_SECRET.
 */
import { randomBytes, randomUUID } from "node:crypto";
import jwt from "@fastify/jwt";
import Database from "better-sqlite3";
import bs58 from "bs58";
import createFastify from "fastify";
import { verifyNative } from "./ed25519.mjs";

const { PORT, DATABASE, JWT_SECRET } = process.env;

const db = new Database(DATABASE);
db.pragma("journal_mode = wal");
db.pragma("synchronous = full");
db.pragma("busy_timeout = 1000");
db.pragma("foreign_keys = on");
db.pragma("cache_size = -65536");

const findLaunch = db.prepare(
  `select event_id as eventId, ticker, status, processed_at as processedAt, error,
     token_mint as tokenMint, pool_address as poolAddress
   from launches where event_id = ? and wallet = ?`,
);
const listTokens = db.prepare(
  `select pool_address as poolAddress, token_mint as tokenMint, ticker, name as tokenName,
     claimed_at as claimedAt, claimed_to as claimedToAddress, deployed_at as deployedAt, holder,
     image_url as imageUrl
   from tokens where wallet = ? order by id desc`,
);
const insertLaunch = db.prepare(
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

// Fastify refuses unknown fields only where Ajv does not drop them.
const fastify = createFastify({
  bodyLimit: 65_536,
  genReqId: () => randomUUID(),
  ajv: { customOptions: { removeAdditional: false, coerceTypes: false } },
});
await fastify.register(jwt, {
  secret: JWT_SECRET,
  sign: { algorithm: "HS256", iss: "tokend", aud: "tokend-api", expiresIn: 900_000 },
  verify: {
    algorithms: ["HS256"],
    allowedIss: "tokend",
    allowedAud: "tokend-api",
    requiredClaims: ["sub", "iat", "exp", "jti"],
  },
});

fastify.addHook("onRequest", async (request, reply) => {
  reply.header("x-request-id", request.id);
});

async function authenticate(request, reply) {
  if (!/^Bearer +[A-Za-z0-9._~+/=-]+ *$/i.test(request.headers.authorization ?? "")) {
    return reply
      .code(401)
      .send({ error: "Missing or invalid authorization header", code: "missing_authorization" });
  }
  try {
    await request.jwtVerify();
  } catch {
    return reply.code(401).send({ error: "Invalid or expired token", code: "invalid_token" });
  }
}

const text = { type: "string" };
const nullable = { type: ["string", "null"] };
const object = (properties) => ({ type: "object", properties });
const answers = (schema) => ({ response: { 200: schema } });

fastify.get("/health", async () => ({ ok: true }));

const walletBody = { ...object({ wallet: text }), required: ["wallet"] };

fastify.post(
  "/api/auth/challenge",
  { schema: { body: walletBody, ...answers(object({ nonce: text })) } },
  async (request, reply) => {
    const { wallet } = request.body;
    if (!decode(wallet, 32, 44))
      return reply.code(400).send({ error: "Validation failed", code: "validation_failed" });
    const now = Date.now();
    for (const [nonce, { expiresAt }] of nonces) {
      if (expiresAt > now) break;
      nonces.delete(nonce);
    }
    if (nonces.size >= 100_000) {
      return reply.code(503).send({ error: "Too many sign-ins are in progress" });
    }
    const nonce = bs58.encode(randomBytes(32));
    nonces.set(nonce, { wallet, expiresAt: now + 300_000 });
    return { nonce };
  },
);

const verifyBody = {
  ...object({ wallet: text, nonce: text, signature: text }),
  required: ["wallet", "nonce", "signature"],
};

fastify.post(
  "/api/auth/verify",
  { schema: { body: verifyBody, ...answers(object({ token: text })) } },
  async (request, reply) => {
    const { wallet, nonce, signature } = request.body;
    const publicKey = decode(wallet, 32, 44);
    if (!publicKey)
      return reply.code(400).send({ error: "Validation failed", code: "validation_failed" });
    const known = nonces.get(nonce);
    nonces.delete(nonce);
    if (known?.wallet !== wallet || known.expiresAt <= Date.now()) {
      return reply.code(401).send({ error: "Invalid or expired nonce", code: "invalid_nonce" });
    }
    const message = Buffer.from(`Sign this message to authenticate: ${nonce}`);
    const bytes = decode(signature, 64, 88);
    if (!bytes || !verifyNative(message, bytes, publicKey)) {
      return reply.code(401).send({ error: "Invalid signature", code: "invalid_signature" });
    }
    return { token: await reply.jwtSign({ sub: wallet, jti: randomUUID() }) };
  },
);

const launchBody = {
  ...object({
    name: { ...text, minLength: 1, maxLength: 255 },
    ticker: { ...text, minLength: 2, maxLength: 10, pattern: "^[A-Z0-9]+$" },
    description: { ...text, maxLength: 1000 },
    imageUrl: { ...text, maxLength: 255, pattern: "^(https?|ipfs|ar)://[^\\s]+$" },
  }),
  required: ["name", "ticker"],
  additionalProperties: false,
};
const launchAnswer = object({ success: { type: "boolean" }, eventId: text, message: text });

fastify.post(
  "/api/v1/tokens/launch",
  { onRequest: authenticate, schema: { body: launchBody, ...answers(launchAnswer) } },
  async (request, reply) => {
    const { name, ticker, description = null, imageUrl = null } = request.body;
    if (imageUrl !== null && !URL.canParse(imageUrl)) {
      return reply.code(400).send({ error: "Validation failed", code: "validation_failed" });
    }
    const eventId = randomUUID();
    const now = Date.now();
    const { changes } = insertLaunch.run(
      eventId,
      request.user.sub,
      name,
      ticker,
      description,
      imageUrl,
      now,
      now,
    );
    if (changes === 0)
      return reply
        .code(409)
        .send({ error: `Ticker ${ticker} already exists`, code: "ticker_taken" });
    return { success: true, eventId, message: "Launch accepted" };
  },
);

const statusAnswer = object({
  eventId: text,
  ticker: text,
  status: text,
  processedAt: nullable,
  tokenMint: nullable,
  poolAddress: nullable,
  error: nullable,
});

fastify.get(
  "/api/v1/tokens/launch/status/:eventId",
  { onRequest: authenticate, schema: answers(statusAnswer) },
  async (request, reply) => {
    const row = findLaunch.get(request.params.eventId, request.user.sub);
    if (!row) return reply.code(404).send({ error: "Launch not found", code: "launch_not_found" });
    return { ...row, processedAt: iso(row.processedAt) };
  },
);

const tokenAnswer = object({
  poolAddress: text,
  tokenMint: text,
  ticker: text,
  tokenName: text,
  isClaimed: { type: "boolean" },
  claimedAt: nullable,
  claimedToAddress: nullable,
  deployedAt: text,
  holder: text,
  imageUrl: text,
});

fastify.get(
  "/api/v1/tokens/",
  {
    onRequest: authenticate,
    schema: answers(object({ tokens: { type: "array", items: tokenAnswer } })),
  },
  async (request) => ({
    tokens: listTokens.all(request.user.sub).map((row) => ({
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
    })),
  }),
);

fastify.setNotFoundHandler((_, reply) =>
  reply.code(404).send({ error: "Not found", code: "not_found" }),
);
fastify.setErrorHandler((error, _, reply) => {
  const isBad = error.statusCode === 400;
  const body = isBad
    ? { error: "Validation failed", code: "validation_failed", details: error.validation }
    : { error: "Internal server error", code: "internal_error" };
  reply.code(error.statusCode ?? 500).send(body);
});

await fastify.listen({ host: "127.0.0.1", port: Number(PORT) });
