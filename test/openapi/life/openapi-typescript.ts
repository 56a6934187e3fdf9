import assert from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import bs58 from "bs58";
import createClient from "openapi-fetch";
import type { components, paths } from "./generated/types.ts";

/**
 * A token's whole life by the types of openapi-typescript, and by what the API document says alone: it knows
 * nothing of Solana's libraries. Argument: the server's URL.
 */
const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const { x } = publicKey.export({ format: "jwk" });
const address = bs58.encode(Buffer.from(String(x), "base64url"));

/** Signs a transaction in the last of its places for signatures, of 64 bytes each. */
function signTransaction(transaction: string): string {
  const bytes = Buffer.from(transaction, "base64");
  const end = 1 + (bytes[0] ?? 0) * 64;
  bytes.set(sign(null, bytes.subarray(end), privateKey), end - 64);
  return bytes.toString("base64");
}

const api = createClient<paths>({ baseUrl: String(process.argv[2]) });

const health = await api.GET("/health");
assert(health.data?.ok, "the server is not well");

const challenge = await api.POST("/api/auth/challenge", { body: { wallet: address } });
assert(challenge.data, "no nonce");
const { nonce } = challenge.data;
const message = Buffer.from(`Sign this message to authenticate: ${nonce}`);
const signature = bs58.encode(sign(null, message, privateKey));
const session = await api.POST("/api/auth/verify", {
  body: { wallet: address, nonce, signature },
});
assert(session.data, "no token");
const { token } = session.data;
api.use({
  onRequest({ request }) {
    request.headers.set("authorization", `Bearer ${token}`);
  },
});

await api.POST("/dev/airdrop", { body: { sol: 1 } });
const launch = { name: "Typed", ticker: "TYPED" };
const header = { "Idempotency-Key": "one" };
const accepted = await api.POST("/api/v1/tokens/launch", { body: launch, params: { header } });
assert(accepted.data, "the launch was refused");
const { eventId } = accepted.data;
const again = await api.POST("/api/v1/tokens/launch", { body: launch, params: { header } });
assert(again.data?.eventId === eventId, "the key did not keep it from launching twice");
const taken = await api.POST("/api/v1/tokens/launch", { body: launch });
// Compared with a code that the operation does not list, this would not compile.
assert(taken.error?.code === "ticker_taken", "the ticker was given twice");

let status: components["schemas"]["LaunchStatus"];
do {
  const answer = await api.GET("/api/v1/tokens/launch/status/{eventId}", {
    params: { path: { eventId } },
  });
  assert(answer.data, "no status");
  status = answer.data;
} while (status.status === "pending");
const { tokenMint } = status;
assert(status.status === "success" && tokenMint !== null, `${status.status}: ${status.error}`);

const path = { mintAddress: tokenMint };
await api.POST("/dev/trade", { body: { tokenMint, side: "buy", sol: 2 } });
const fees = await api.GET("/api/v1/tokens/claims", { params: { query: { limit: 10 } } });
const claimable = fees.data?.claims[0]?.dbcClaimableFees ?? 0;
assert(claimable > 0, "a trade earned no fees");

const claim = "/api/v1/tokens/claims/{mintAddress}";
const prepared = await api.POST(claim, { params: { path } });
assert(prepared.data && "transaction" in prepared.data, "no transaction");
const signedTransaction = signTransaction(prepared.data.transaction);
const receipt = await api.POST(claim, { params: { path }, body: { signedTransaction } });
assert(receipt.data && "claimedSOL" in receipt.data, "the claim was refused");
assert(receipt.data.claimedSOL === claimable, `it paid ${receipt.data.claimedSOL}`);

const claimed = await api.GET("/api/v1/tokens/{mintAddress}", { params: { path } });
assert(claimed.data?.claimedToAddress === address, "the token does not say who claimed");
const tokens = await api.GET("/api/v1/tokens/", {});
assert(tokens.data?.tokens[0]?.isClaimed, "the list does not say that it is claimed");
console.log("lived");
