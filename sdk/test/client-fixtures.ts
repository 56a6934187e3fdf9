import { afterAll, beforeEach, spyOn } from "bun:test";
import { type ErrorCode, errorCodes } from "@tokenctl/shared/error-codes";
import bs58 from "bs58";
import { TokenctlClient } from "../src/client.ts";
import type { TokenctlError } from "../src/errors.ts";
import type { ClientOptions } from "../src/options.ts";
import { keypairSigner } from "../src/signer.ts";
import { agent, build, localClaim, mint, pool } from "./claim-transactions.ts";
import type { ScriptedServer } from "./scripted-server.ts";
import { startScriptedServer } from "./scripted-server.ts";

export const mintAddress = mint.toBase58();
export const eventId = "0b5b7a34-3f1c-4d0e-9a52-0f6d1d5a7c11";
export const launchPath = "/api/v1/tokens/launch";
export const statusPath = `${launchPath}/status/${eventId}`;
export const claimPath = `/api/v1/tokens/claims/${mintAddress}`;
const tokenPath = `/api/v1/tokens/${mintAddress}`;

export const accepted = { success: true, eventId, message: "Launch accepted" };
export const launchCheck = {
  ok: false,
  refusals: [
    { code: "ticker_taken", error: "Ticker WIF already exists" },
    { code: "queue_full", error: "Launch queue is full", message: "Wait", retryAfterSeconds: 30 },
  ],
  endsAs: null,
  agent: { hasLaunchedToday: false, waiting: 0, accepted: 1, limit: 20 },
  queue: { depth: 2, place: 3, limit: null },
  service: { ok: true, message: null },
  fees: {
    bondingCurve: { startBps: 100, endBps: 100, creatorSharePercent: 80 },
    liquidityPool: { startBps: 100, endBps: 100, creatorSharePercent: 80 },
  },
};
export const token = {
  poolAddress: pool.toBase58(),
  tokenMint: mintAddress,
  ticker: "WIF",
  tokenName: "dogwifhat",
  isClaimed: false,
  claimedAt: null,
  claimedToAddress: null,
  deployedAt: "2026-01-01T00:00:00.000Z",
};
export const prepared = {
  success: true,
  transaction: Buffer.from(build(localClaim())).toString("base64"),
  expiresInSeconds: 60,
};
const signedBytes = await keypairSigner(agent).signTransaction(build(localClaim()));
export const signedClaim = Buffer.from(signedBytes).toString("base64");
const hash = bs58.encode(signedBytes.subarray(1, 65));
export const receipt = { success: true, transactionHash: hash, claimedSOL: 0.5 };
/** A claim of the history, with this many lamports of the curve. */
export const paidClaim = (lamports: string) => ({
  tokenMint: mintAddress,
  ticker: "WIF",
  transactionHash: hash,
  claimedSOL: Number(lamports) / 1e9,
  claimedLamports: lamports,
  dbcClaimedLamports: lamports,
  lpClaimedLamports: "0",
  claimedAt: "2026-01-01T00:00:00.000Z",
});
export const launchStatus = (status: string) => ({
  eventId,
  ticker: "WIF",
  status,
  processedAt: null,
  tokenMint: status === "success" ? mintAddress : null,
  poolAddress: status === "success" ? pool.toBase58() : null,
  error: null,
});
export const ok = (json: unknown) => ({ status: 200, json });
export const refusal = (code: ErrorCode) => {
  const { status, text } = errorCodes[code];
  return { status, json: { error: text, code } };
};
export const fault = (status: number, error: string, headers: Record<string, string> = {}) => ({
  status,
  json: { error },
  headers,
});

/** @returns what a call throws */
export async function thrown(call: Promise<unknown>): Promise<TokenctlError> {
  try {
    await call;
  } catch (error) {
    return error as TokenctlError;
  }
  throw new Error("nothing was thrown");
}

interface Scripted {
  readonly server: ScriptedServer;
  readonly client: (options?: ClientOptions) => TokenctlClient;
}

/** Starts a scripted server before each test of the file, and lets retries follow at once. */
export function useScriptedServer(): Scripted {
  let server: ScriptedServer;
  beforeEach(async () => {
    server = await startScriptedServer();
    server.script(tokenPath, ok(token));
    return () => server[Symbol.asyncDispose]();
  });
  // The delay before a retry is random, from 0 ms on.
  const random = spyOn(Math, "random").mockReturnValue(0);
  afterAll(() => random.mockRestore());
  return {
    get server() {
      return server;
    },
    client: (options = {}) =>
      new TokenctlClient({ apiUrl: server.url, signer: keypairSigner(agent), ...options }),
  };
}
