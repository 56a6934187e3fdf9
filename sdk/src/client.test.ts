import { afterAll, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { signInMessage } from "@tokenctl/shared/sign-in";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { agent, build, localClaim, mint, pool } from "../test/claim-transactions.ts";
import type { ScriptedServer, SeenRequest } from "../test/scripted-server.ts";
import { startScriptedServer } from "../test/scripted-server.ts";
import { AuthenticationError, ConflictError, InsufficientSolError } from "./api-errors.ts";
import { ClaimCheckError, ClaimUnsettledError } from "./claim-errors.ts";
import { TokenctlClient } from "./client.ts";
import type { TokenctlError } from "./errors.ts";
import {
  ConnectionError,
  InvalidArgumentError,
  InvalidResponseError,
  SignerError,
  SignerRequiredError,
  TimeoutError,
} from "./errors.ts";
import type { RetryNotice } from "./internal/retry.ts";
import type { ClientOptions } from "./options.ts";
import { keypairSigner } from "./signer.ts";

const mintAddress = mint.toBase58();
const eventId = "0b5b7a34-3f1c-4d0e-9a52-0f6d1d5a7c11";
const launchPath = "/api/v1/tokens/launch";
const statusPath = `${launchPath}/status/${eventId}`;
const claimPath = `/api/v1/tokens/claims/${mintAddress}`;
/** Where the client asks for the pool of a sandbox's claim. */
const tokenPath = `/api/v1/tokens/${mintAddress}`;

const accepted = { success: true, eventId, message: "Launch accepted" };
const token = {
  poolAddress: pool.toBase58(),
  tokenMint: mintAddress,
  ticker: "WIF",
  tokenName: "dogwifhat",
  isClaimed: false,
  claimedAt: null,
  claimedToAddress: null,
  deployedAt: "2026-01-01T00:00:00.000Z",
};
const prepared = {
  success: true,
  transaction: Buffer.from(build(localClaim())).toString("base64"),
  expiresInSeconds: 60,
};
const signedBytes = await keypairSigner(agent).signTransaction(build(localClaim()));
const signedClaim = Buffer.from(signedBytes).toString("base64");
const hash = bs58.encode(signedBytes.subarray(1, 65));
const receipt = { success: true, transactionHash: hash, claimedSOL: 0.5 };
const launchStatus = (status: string) => ({
  eventId,
  ticker: "WIF",
  status,
  processedAt: null,
  tokenMint: null,
  poolAddress: null,
  error: null,
});
const ok = (json: unknown) => ({ status: 200, json });
const fault = (status: number, error: string, headers: Record<string, string> = {}) => ({
  status,
  json: { error },
  headers,
});

// Back-off is random from nothing upwards: here it is always nothing.
const random = spyOn(Math, "random").mockReturnValue(0);
afterAll(() => random.mockRestore());

let server: ScriptedServer;
beforeEach(async () => {
  server = await startScriptedServer();
  server.script(tokenPath, ok(token));
  return () => server[Symbol.asyncDispose]();
});

function client(options: ClientOptions = {}): TokenctlClient {
  return new TokenctlClient({ apiUrl: server.url, signer: keypairSigner(agent), ...options });
}

/** What a call throws. */
async function thrown(call: Promise<unknown>): Promise<TokenctlError> {
  try {
    await call;
  } catch (error) {
    return error as TokenctlError;
  }
  throw new Error("nothing was thrown");
}

describe("the client speaks the contract", () => {
  test("login signs the server's nonce and returns the token", async () => {
    const { wallet, token: bearer, expiresInSeconds } = await client().login();
    expect(wallet).toBe(agent.publicKey.toBase58());
    expect(expiresInSeconds).toBe(900);
    expect(bearer.split(".")).toHaveLength(3);
    const [challenge, verify] = server.seen;
    expect(challenge).toMatchObject({
      method: "POST",
      path: "/api/auth/challenge",
      headers: { accept: "application/json", "accept-encoding": "identity" },
      body: { wallet },
    });
    expect(verify).toMatchObject({ method: "POST", path: "/api/auth/verify" });
    const { nonce, signature } = (verify?.body ?? {}) as Record<string, string>;
    expect(nonce).toBe(server.nonce(1));
    const message = new TextEncoder().encode(signInMessage(nonce ?? ""));
    const key = agent.publicKey.toBytes();
    expect(nacl.sign.detached.verify(message, bs58.decode(signature ?? ""), key)).toBe(true);
  });

  /** Each method: its call, the request that it makes, the answer that it returns as it is. */
  const calls: Record<
    string,
    [(c: TokenctlClient) => Promise<unknown>, Partial<SeenRequest>, unknown]
  > = {
    launch: [
      (c) => c.launch({ name: "dogwifhat", ticker: "WIF" }),
      { method: "POST", path: launchPath, body: { name: "dogwifhat", ticker: "WIF" } },
      accepted,
    ],
    retryLaunch: [
      (c) => c.retryLaunch(eventId),
      { method: "POST", path: `${launchPath}/${eventId}/retry`, body: undefined },
      accepted,
    ],
    launchStatus: [
      (c) => c.launchStatus(eventId),
      { method: "GET", path: statusPath },
      launchStatus("pending"),
    ],
    tokens: [(c) => c.tokens(), { method: "GET", path: "/api/v1/tokens/" }, { tokens: [token] }],
    "tokens with a page": [
      (c) => c.tokens({ limit: 1, cursor: "a b" }),
      { method: "GET", path: "/api/v1/tokens/?limit=1&cursor=a+b" },
      { tokens: [token], nextCursor: "c" },
    ],
    token: [(c) => c.token(mintAddress), { path: `/api/v1/tokens/${mintAddress}` }, token],
    claims: [
      (c) => c.claims({ limit: 10 }),
      { path: "/api/v1/tokens/claims?limit=10" },
      {
        claims: [
          {
            tokenMint: mintAddress,
            poolAddress: token.poolAddress,
            ticker: "WIF",
            dbcClaimableFees: 0.5,
            dbcTotalFees: 0.75,
            dbcClaimedFees: 0.25,
            lpClaimableFees: 0,
            lpTotalFees: 0,
            lpClaimedFees: 0,
            isMigrated: false,
          },
        ],
        unreadable: [{ tokenMint: token.poolAddress, ticker: "GONE", error: "It is not there" }],
      },
    ],
    prepareClaim: [
      (c) => c.prepareClaim(mintAddress),
      { method: "POST", path: claimPath, body: undefined },
      prepared,
    ],
    submitClaim: [
      (c) => c.submitClaim(mintAddress, signedClaim),
      { method: "POST", path: claimPath, body: { signedTransaction: signedClaim } },
      receipt,
    ],
  };
  for (const [name, [call, request, answer]] of Object.entries(calls)) {
    test(`${name} makes its request and returns the answer`, async () => {
      server.script(request.path?.split("?")[0] ?? "", ok(answer));
      expect(await call(client())).toEqual(answer);
      expect(server.seen.map(({ path }) => path)).toEqual([
        "/api/auth/challenge",
        "/api/auth/verify",
        request.path ?? "",
      ]);
      const made = server.seen.at(-1);
      expect(made).toMatchObject(request);
      expect(made?.headers.authorization).toMatch(/^Bearer eyJ/);
      expect(made?.headers["accept-encoding"]).toBe("identity");
      expect(made?.headers["content-type"]).toBe(
        request.body === undefined ? undefined : "application/json",
      );
    });
  }

  test("health needs no wallet and also returns the health of a server that is not well", async () => {
    const health = { ok: true, db: "connected", timestamp: "2026-01-01T00:00:00.000Z" };
    const ill = { ...health, ok: false, message: "The cluster cannot be reached" };
    server.script("/health", ok(health), { status: 503, json: ill });
    const anyone = new TokenctlClient({ apiUrl: `${server.url}/` });
    expect(await anyone.health()).toEqual(health as never);
    expect(await anyone.health()).toEqual(ill as never);
    expect(server.seen).toHaveLength(2);
    server.script("/health", { status: 503, text: "<html>" });
    expect(await thrown(anyone.health())).toMatchObject({ code: "service_unavailable" });
    expect(server.seen).toHaveLength(3);
  });

  test("claim signs what was prepared and submits it", async () => {
    server.script(claimPath, ok(prepared), ok(receipt));
    expect(await client().claim(mintAddress)).toEqual(receipt as never);
    const handedIn = server.to(claimPath)[1]?.body as { signedTransaction: string } | undefined;
    const signed = Buffer.from(handedIn?.signedTransaction ?? "", "base64");
    const unsigned = Buffer.from(prepared.transaction, "base64");
    expect(signed.subarray(65).equals(unsigned.subarray(65))).toBe(true);
    expect(signed.subarray(1, 65).equals(unsigned.subarray(1, 65))).toBe(false);
  });
});

describe("the session", () => {
  beforeEach(() => server.script("/api/v1/tokens/", ok({ tokens: [] })));
  const logins = () => server.to("/api/auth/verify").length;

  test("one sign-in serves many calls", async () => {
    const c = client();
    for (let i = 0; i < 3; i++) await c.tokens();
    expect(logins()).toBe(1);
  });

  test("calls at the same time share one sign-in", async () => {
    const c = client();
    await Promise.all([c.login(), ...Array.from({ length: 10 }, () => c.tokens())]);
    expect(logins()).toBe(1);
    await c.login();
    expect(logins()).toBe(2);
  });

  test("a refused token is renewed once for each call, and once for calls at the same time", async () => {
    const c = client();
    await c.tokens();
    const old = server.seen.at(-1)?.headers.authorization;
    server.script("/api/v1/tokens/", (request) =>
      request.headers.authorization === old
        ? fault(401, "Invalid or expired token")
        : ok({ tokens: [] }),
    );
    await Promise.all([c.tokens(), c.tokens(), c.tokens()]);
    expect(logins()).toBe(2);
  });

  test("a server that refuses every token is asked only twice", async () => {
    server.script("/api/v1/tokens/", fault(401, "Invalid or expired token"));
    const error = await thrown(client().tokens());
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({ code: "unauthorized", requestId: "req-1" });
    expect(server.to("/api/v1/tokens/")).toHaveLength(2);
    expect(logins()).toBe(2);
  });

  test("a token is renewed before it expires, even if the clocks disagree", async () => {
    server.tokenLifeSeconds = 900;
    const c = client();
    const now = spyOn(performance, "now");
    try {
      now.mockReturnValue(1_000_000);
      await c.tokens();
      now.mockReturnValue(1_000_000 + 839_999);
      await c.tokens();
      expect(logins()).toBe(1);
      now.mockReturnValue(1_000_000 + 840_000);
      await c.tokens();
      expect(logins()).toBe(2);
    } finally {
      now.mockRestore();
    }
  });

  test("a token that does not say when it expires is used until it is refused", async () => {
    server.script("/api/auth/verify", ok({ token: "opaque" }));
    const c = client();
    expect((await c.login()).expiresInSeconds).toBeNull();
    await c.tokens();
    expect(logins()).toBe(1);
  });

  test("a refused sign-in is final", async () => {
    server.script("/api/auth/verify", fault(401, "Invalid signature"));
    const error = await thrown(client().tokens());
    expect(error).toMatchObject({ name: "AuthenticationError", code: "invalid_signature" });
    expect(server.seen).toHaveLength(2);
  });

  test("a lost answer to verify makes the client ask for a new challenge", async () => {
    server.script("/api/auth/verify", "hang up", fault(503, "Busy"), ok({ token: "opaque" }));
    await client().tokens();
    const nonces = server
      .to("/api/auth/verify")
      .map(({ body }) => (body as { nonce: string }).nonce);
    expect(nonces).toEqual([1, 2, 3].map(server.nonce));
  });

  test("verify is sent once if the caller calls it", async () => {
    server.script("/api/auth/verify", fault(503, "Busy"));
    const proof = { wallet: client().address, nonce: "n", signature: "s" };
    await thrown(new TokenctlClient({ apiUrl: server.url }).verify(proof));
    expect(logins()).toBe(1);
  });

  test("one caller's abort does not end the sign-in of another", async () => {
    const c = client();
    const abort = new AbortController();
    server.script("/api/auth/verify", (request) => {
      abort.abort();
      return request.body ? ok({ token: "opaque" }) : "hang";
    });
    const [aborted, served] = await Promise.allSettled([
      c.tokens({ signal: abort.signal }),
      c.tokens(),
    ]);
    expect(aborted).toMatchObject({ status: "rejected", reason: { name: "AbortError" } });
    expect(served.status).toBe("fulfilled");
    expect(logins()).toBe(1);
  });

  test("an abort ends the sign-in that a refused token made necessary", async () => {
    const abort = new AbortController();
    server.script("/api/v1/tokens/", fault(401, "Invalid or expired token"));
    server.script("/api/auth/verify", ok({ token: "opaque" }), () => {
      abort.abort();
      return "hang";
    });
    const error = await thrown(client().tokens({ signal: abort.signal }));
    expect(error).toMatchObject({ name: "AbortError" });
  });

  test("the sign-in ends when all callers have aborted, and the next call begins another", async () => {
    server.script("/api/auth/challenge", "hang", ok({ nonce: server.nonce(1) }));
    const c = client({ maxRetries: 0 });
    const abort = new AbortController();
    const call = thrown(c.tokens({ signal: abort.signal }));
    while (server.seen.length === 0) await Bun.sleep(1);
    abort.abort();
    expect((await call).code).toBe("aborted");
    await c.tokens();
    expect(server.to("/api/auth/challenge")).toHaveLength(2);
  });

  test("a signer that fails throws another error than a server that refuses", async () => {
    const locked = {
      publicKey: agent.publicKey.toBase58(),
      signMessage: () => Promise.reject(new Error("locked")),
      signTransaction: () => Promise.reject(new Error("locked")),
    };
    const error = await thrown(client({ signer: locked }).tokens());
    expect(error).toBeInstanceOf(SignerError);
    expect(error.cause).toEqual(new Error("locked"));
    const short = { ...locked, signMessage: () => new Uint8Array(63) };
    expect((await thrown(client({ signer: short }).tokens())).message).toContain("63 bytes");
  });
});

describe("sending again", () => {
  test("a read is sent again after silence, 500, 502 of a gateway, 503 and 429", async () => {
    server.script(
      statusPath,
      "hang",
      fault(500, "Internal server error"),
      { status: 502, text: "<html>" },
      fault(503, "Down", { "retry-after": "0" }),
      fault(429, "Too many requests", { "retry-after": "0" }),
      ok(launchStatus("pending")),
    );
    const notices: RetryNotice[] = [];
    const onRetry = (notice: RetryNotice) => notices.push(notice);
    const c = client({ maxRetries: 5, timeoutMs: 500, onRetry });
    expect(await c.launchStatus(eventId)).toMatchObject({ status: "pending" });
    expect(notices.map(({ error, retry }) => [(error as TokenctlError).code, retry])).toEqual([
      ["timeout", 1],
      ["server_error", 2],
      ["bad_gateway", 3],
      ["service_unavailable", 4],
      ["too_many_requests", 5],
    ]);
  });

  test("a request is sent again three times by default", async () => {
    server.script(statusPath, fault(503, "Down"));
    await thrown(client().launchStatus(eventId));
    expect(server.to(statusPath)).toHaveLength(4);
  });

  test("a launch is sent again under its own key, and two launches have two keys", async () => {
    server.script(launchPath, "hang up", fault(503, "Launch queue is full"), ok(accepted));
    const c = client();
    const order = { name: "dogwifhat", ticker: "WIF" };
    expect((await c.launch(order)).eventId).toBe(eventId);
    await c.launch(order);
    await c.launch(order, { idempotencyKey: "mine" });
    const keys = server.to(launchPath).map(({ headers }) => String(headers["idempotency-key"]));
    expect(keys.slice(0, 3)).toEqual(Array(3).fill(keys[0]));
    expect(new Set(keys).size).toBe(3);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(keys[4]).toBe("mine");
  });

  test("a launch that failed inside the server is not sent again", async () => {
    server.script(launchPath, fault(500, "Failed to register launch"));
    const error = await thrown(client().launch({ name: "n", ticker: "WIF" }));
    expect(error).toMatchObject({ code: "server_error", text: "Failed to register launch" });
    expect(server.to(launchPath)).toHaveLength(1);
  });

  test("a retry of a launch whose answer was lost is left to the caller", async () => {
    server.script(`${launchPath}/${eventId}/retry`, "hang up");
    expect(await thrown(client().retryLaunch(eventId))).toBeInstanceOf(ConnectionError);
    expect(server.to(`${launchPath}/${eventId}/retry`)).toHaveLength(1);
  });

  test("a claim that the chain refuses is not sent again", async () => {
    server.script(claimPath, fault(502, "The claim cannot be built"));
    const error = await thrown(client().prepareClaim(mintAddress));
    expect(error).toMatchObject({ name: "ChainRefusedError", code: "chain_refused" });
    expect(server.to(claimPath)).toHaveLength(1);
  });

  test("a signed claim whose answer was lost is submitted again unchanged", async () => {
    server.script(claimPath, ok(prepared), "hang up", fault(503, "Away"), ok(receipt));
    expect(await client().claim(mintAddress)).toMatchObject({ claimedSOL: 0.5 });
    const bodies = server.to(claimPath).map(({ body }) => body);
    expect(bodies[0]).toBeUndefined();
    expect(bodies[2]).toEqual(bodies[1]);
    expect(bodies[3]).toEqual(bodies[1]);
  });

  test.each([
    ["its connection was lost", "hang up", "connection_failed"],
    ["a gateway says that the server is gone", { status: 502, text: "<html>" }, "bad_gateway"],
    ["a gateway gives up", { status: 504, text: "" }, "server_error"],
    ["the service cannot say", fault(503, "Not known yet"), "service_unavailable"],
    ["the service fails", fault(500, "Internal server error"), "server_error"],
    ["the answer is none of the contract", { status: 200, text: "<html>" }, "invalid_response"],
  ] as const)("the outcome of a signed claim is unknown if %s", async (_, step, code) => {
    server.script(claimPath, ok(prepared), step);
    const error = await thrown(client().claim(mintAddress));
    expect(error).toBeInstanceOf(ClaimUnsettledError);
    expect(error).toMatchObject({
      ...{ code: "claim_unsettled", tokenMint: mintAddress, cause: { code } },
      ...{ name: "ClaimUnsettledError", hint: expect.stringContaining("cannot pay twice") },
    });
    const { signedTransaction } = error as ClaimUnsettledError;
    expect(server.to(claimPath).at(-1)?.body).toEqual({ signedTransaction });
  });

  test("the outcome of a signed claim is unknown if no answer comes in time", async () => {
    server.script(claimPath, ok(prepared), "hang");
    const c = client({ submitTimeoutMs: 20, maxRetries: 0 });
    const error = await thrown(c.claim(mintAddress));
    expect(error).toMatchObject({ code: "claim_unsettled", cause: { name: "TimeoutError" } });
  });

  test("the outcome of a claim is known if it was not submitted, or was refused", async () => {
    server.script(claimPath, "hang up");
    expect(await thrown(client().claim(mintAddress))).toBeInstanceOf(ConnectionError);
    server.script(claimPath, ok(prepared), fault(502, "The chain refused it"));
    expect((await thrown(client().claim(mintAddress))).code).toBe("chain_refused");
    server.script(claimPath, ok(prepared), fault(400, "Transaction is not signed by the agent"));
    expect((await thrown(client().claim(mintAddress))).code).toBe("claim_unsigned");
  });

  test("a claim that the server no longer knows starts over once", async () => {
    const unknown = fault(400, "Transaction does not match this claim");
    server.script(claimPath, ok(prepared), unknown, ok(prepared), ok(receipt));
    expect(await client().claim(mintAddress)).toMatchObject({ claimedSOL: 0.5 });
    server.script(claimPath, ok(prepared), unknown, ok(prepared), unknown);
    expect((await thrown(client().claim(mintAddress))).code).toBe("claim_mismatch");
    expect(server.to(claimPath)).toHaveLength(8);
  });

  test("a claim without enough SOL names the wallet and is not sent again", async () => {
    const figures = { code: "insufficient_sol", requiredSOL: 0.002, balanceSOL: 0 };
    server.script(claimPath, { status: 409, json: { error: "Too little SOL", ...figures } });
    const error = await thrown(client().claim(mintAddress));
    expect(error).toBeInstanceOf(InsufficientSolError);
    expect(error.hint).toBe(`Send at least 0.002 SOL to ${agent.publicKey.toBase58()}`);
    expect(server.to(claimPath)).toHaveLength(1);
  });

  test("a claim that expired starts over once", async () => {
    const expired = fault(409, "Claim transaction expired, request a new one");
    server.script(claimPath, ok(prepared), expired, ok(prepared), ok(receipt));
    expect(await client().claim(mintAddress)).toMatchObject({ claimedSOL: 0.5 });
    server.script(claimPath, ok(prepared), expired, ok(prepared), expired);
    const error = await thrown(client().claim(mintAddress));
    expect(error).toBeInstanceOf(ConflictError);
    expect(error.code).toBe("claim_expired");
    expect(server.to(claimPath)).toHaveLength(8);
  });

  test("a Retry-After of more than a minute is left to the caller", async () => {
    server.script(statusPath, fault(429, "Too many requests", { "retry-after": "3600" }));
    const error = await thrown(client().launchStatus(eventId));
    expect(error).toMatchObject({ name: "RateLimitError", retryAfterSeconds: 3600 });
    expect(server.to(statusPath)).toHaveLength(1);
  });

  test("a request that changes something is not sent again after a 500", async () => {
    server.script(claimPath, fault(500, "Internal server error"));
    await thrown(client().submitClaim(mintAddress, signedClaim));
    expect(server.to(claimPath)).toHaveLength(1);
  });
});

describe("waitForLaunch", () => {
  const quick = { intervalMs: 1 };

  for (const end of ["success", "failed", "rate_limited"]) {
    test(`stops polling at ${end}`, async () => {
      const pending = ok(launchStatus("pending"));
      server.script(statusPath, pending, pending, ok(launchStatus(end)));
      const seen: string[] = [];
      const onStatus = ({ status }: { status: string }) => seen.push(status);
      const status = await client().waitForLaunch(eventId, { ...quick, onStatus });
      expect(status).toEqual(launchStatus(end) as never);
      expect(seen).toEqual(["pending", "pending", end]);
      expect(server.to(statusPath)).toHaveLength(3);
    });
  }

  test("gives up after its timeout, with the last status in the error", async () => {
    server.script(statusPath, ok(launchStatus("pending")));
    const error = await thrown(client().waitForLaunch(eventId, { ...quick, timeoutMs: 30 }));
    expect(error).toMatchObject({
      name: "LaunchWaitTimeoutError",
      code: "timeout",
      eventId,
      lastStatus: launchStatus("pending"),
    });
    expect(error).toBeInstanceOf(TimeoutError);
  });

  test("gives up on a poll that hangs", async () => {
    server.script(statusPath, "hang");
    const error = await thrown(client().waitForLaunch(eventId, { timeoutMs: 20 }));
    expect(error).toMatchObject({ name: "LaunchWaitTimeoutError", lastStatus: null });
  });

  test("ends when aborted", async () => {
    server.script(statusPath, ok(launchStatus("pending")));
    const abort = new AbortController();
    const waiting = client().waitForLaunch(eventId, {
      signal: abort.signal,
      timeoutMs: 60_000,
      onStatus: () => abort.abort("bored"),
    });
    expect(await thrown(waiting)).toMatchObject({ name: "AbortError", cause: "bored" });
    expect(server.to(statusPath)).toHaveLength(1);
  });

  test("goes on after an outage that begins while it waits", async () => {
    const down = fault(503, "Down");
    server.script(
      statusPath,
      ok(launchStatus("pending")),
      down,
      down,
      "hang up",
      ok(launchStatus("success")),
    );
    const status = await client({ maxRetries: 0 }).waitForLaunch(eventId, quick);
    expect(status.status).toBe("success");
  });

  test("gives up after an outage of more than a minute", async () => {
    const now = spyOn(performance, "now").mockReturnValue(0);
    try {
      server.script(statusPath, ok(launchStatus("pending")), () => {
        now.mockReturnValue(60_001);
        return fault(503, "Down");
      });
      const waiting = client({ maxRetries: 0 }).waitForLaunch(eventId, quick);
      expect((await thrown(waiting)).code).toBe("service_unavailable");
    } finally {
      now.mockRestore();
    }
  });

  test("does not wait for a server that never answered, or for a launch that does not exist", async () => {
    server.script(statusPath, fault(503, "Down"));
    const c = client({ maxRetries: 0 });
    expect((await thrown(c.waitForLaunch(eventId, quick))).code).toBe("service_unavailable");
    server.script(statusPath, ok(launchStatus("pending")), fault(404, "Launch not found"));
    expect((await thrown(c.waitForLaunch(eventId, quick))).code).toBe("launch_not_found");
  });
});

describe("what goes wrong becomes an error", () => {
  test("a server that cannot be reached throws ConnectionError", async () => {
    const c = client({ apiUrl: "http://127.0.0.1:9", maxRetries: 0 });
    const error = await thrown(c.health());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({
      code: "connection_failed",
      message: "Cannot reach http://127.0.0.1:9",
    });
    expect(error.hint).toBeString();
  });

  test("an answer that does not come in time throws TimeoutError", async () => {
    server.script("/health", "hang");
    const error = await thrown(client({ timeoutMs: 20 }).health());
    expect(error).toMatchObject({ name: "TimeoutError", code: "timeout", timeoutMs: 20 });
  });

  test("an abort ends a call before it is sent, and while it waits", async () => {
    server.script(statusPath, "hang");
    const c = client();
    await c.login();
    const before = await thrown(c.launchStatus(eventId, { signal: AbortSignal.abort("no") }));
    expect(before).toMatchObject({ name: "AbortError", code: "aborted", cause: "no" });
    expect(server.to(statusPath)).toHaveLength(0);
    const abort = new AbortController();
    const call = thrown(c.launchStatus(eventId, { signal: abort.signal }));
    while (server.to(statusPath).length === 0) await Bun.sleep(1);
    abort.abort();
    expect((await call).code).toBe("aborted");
    expect(server.to(statusPath)).toHaveLength(1);
  });

  test("no call leaves a listener on the caller's signal", async () => {
    const { signal } = new AbortController();
    const added = spyOn(signal, "addEventListener");
    const removed = spyOn(signal, "removeEventListener");
    server.script(
      statusPath,
      fault(503, "Down"),
      ok(launchStatus("pending")),
      ok(launchStatus("success")),
    );
    const c = client();
    await c.launchStatus(eventId, { signal });
    await c.waitForLaunch(eventId, { signal, intervalMs: 1 });
    expect(added.mock.calls.length).toBeGreaterThan(4);
    expect(removed.mock.calls.length).toBe(added.mock.calls.length);
  });

  const notOfTheContract: Record<string, [unknown, string]> = {
    "a missing field": [
      { ...launchStatus("pending"), ticker: undefined },
      "body.ticker is not a string",
    ],
    "a field of another type": [
      { ...launchStatus("pending"), error: 5 },
      "body.error is not a string or null",
    ],
    "an unknown status": [launchStatus("done"), "body.status is none of pending"],
    "a list as its body": [[], "body.eventId is not a string"],
    "null as its body": [null, "body is not an object"],
  };
  for (const [name, [json, problem]] of Object.entries(notOfTheContract)) {
    test(`an answer with ${name} throws InvalidResponseError`, async () => {
      server.script(statusPath, ok(json));
      const error = await thrown(client().launchStatus(eventId));
      expect(error).toBeInstanceOf(InvalidResponseError);
      expect(error).toMatchObject({ code: "invalid_response", status: 200, requestId: "req-1" });
      expect(error.message).toContain(problem);
    });
  }

  test("an answer that is not JSON, or whose fee is not an amount, is refused", async () => {
    server.script(statusPath, { status: 200, text: "<html>" });
    expect((await thrown(client().launchStatus(eventId))).message).toContain("body is not JSON");
    server.script(claimPath, ok({ ...receipt, claimedSOL: -1 }));
    const error = await thrown(client().submitClaim(mintAddress, signedClaim));
    expect(error.message).toContain("body.claimedSOL is not an amount");
    server.script(claimPath, ok({ ...receipt, success: false }));
    expect((await thrown(client().submitClaim(mintAddress, signedClaim))).message).toContain(
      "body.success is none of true",
    );
  });

  test("fields that a newer server adds are allowed", async () => {
    server.script(statusPath, ok({ ...launchStatus("pending"), progress: 0.5 }));
    expect(await client().launchStatus(eventId)).toMatchObject({ status: "pending" });
  });

  test("a 300 with a valid body is an error, not an answer", async () => {
    server.script(statusPath, { status: 300, json: launchStatus("success") });
    expect((await thrown(client().launchStatus(eventId))).code).toBe("redirected");
  });

  test("a redirect is not followed with the bearer token", async () => {
    server.script(statusPath, { status: 307, text: "", headers: { location: "/elsewhere" } });
    expect(await thrown(client().launchStatus(eventId))).toMatchObject({ code: "redirected" });
    expect(server.to("/elsewhere")).toHaveLength(0);
  });

  test("a claim that would cost the agent something is neither signed nor submitted", async () => {
    const theft = build(localClaim().slice(0, 1));
    server.script(
      claimPath,
      ok({ ...prepared, transaction: Buffer.from(theft).toString("base64") }),
    );
    const error = await thrown(client().claim(mintAddress));
    expect(error).toBeInstanceOf(ClaimCheckError);
    expect(error.message).toBe("Refused to sign the claim: it takes no fees");
    expect(server.to(claimPath)).toHaveLength(1);
  });

  test("a network fee above the client's limit is refused", async () => {
    server.script(claimPath, ok(prepared));
    const error = await thrown(client({ maxNetworkFeeLamports: 4_999 }).claim(mintAddress));
    expect(error.message).toContain("costs 5000 lamports of network fee");
  });

  test("calls that need a wallet throw SignerRequiredError without one", async () => {
    const anyone = new TokenctlClient({ apiUrl: server.url });
    expect(() => anyone.address).toThrow(SignerRequiredError);
    expect(await thrown(anyone.tokens())).toBeInstanceOf(SignerRequiredError);
    expect(await thrown(anyone.login())).toBeInstanceOf(SignerRequiredError);
    expect(await thrown(anyone.challenge())).toBeInstanceOf(SignerRequiredError);
    expect(await thrown(anyone.signClaim(mintAddress, prepared))).toBeInstanceOf(
      SignerRequiredError,
    );
    expect(server.seen).toEqual([]);
  });

  test("arguments that would reach another endpoint are never sent", async () => {
    const c = client();
    for (const mint of ["", "claims", "..", "../x", "a/b", `${mintAddress}?x`, "0".repeat(40)]) {
      for (const call of [
        c.token(mint),
        c.prepareClaim(mint),
        c.submitClaim(mint, signedClaim),
        c.claim(mint),
      ]) {
        expect(await thrown(call)).toBeInstanceOf(InvalidArgumentError);
      }
    }
    for (const event of ["", "..", "x", `${eventId}/retry`]) {
      expect(await thrown(c.launchStatus(event))).toBeInstanceOf(InvalidArgumentError);
      expect(await thrown(c.retryLaunch(event))).toBeInstanceOf(InvalidArgumentError);
      expect(await thrown(c.waitForLaunch(event))).toBeInstanceOf(InvalidArgumentError);
    }
    const order = { name: "n", ticker: "WIF" };
    for (const idempotencyKey of ["", "a b", "ä", "x".repeat(256), "a\r\nb"]) {
      expect(await thrown(c.launch(order, { idempotencyKey }))).toBeInstanceOf(
        InvalidArgumentError,
      );
    }
    expect(server.seen).toEqual([]);
  });

  test("options that cannot be used throw InvalidArgumentError", () => {
    const wrong: ClientOptions[] = [
      { apiUrl: "" },
      { apiUrl: "localhost:8787" },
      { apiUrl: "ftp://x" },
      { apiUrl: "http://user:pass@x" },
      { apiUrl: "http://x/?a=1" },
      { apiUrl: "http://x/#a" },
      { timeoutMs: 0 },
      { timeoutMs: Number.NaN },
      { submitTimeoutMs: -1 },
      { maxRetries: 1.5 },
      { maxRetries: -1 },
      { maxNetworkFeeLamports: -1n },
      { maxNetworkFeeLamports: 0.5 },
    ];
    for (const options of wrong) {
      expect(() => new TokenctlClient(options)).toThrow(InvalidArgumentError);
    }
    expect(new TokenctlClient().apiUrl).toBe("http://127.0.0.1:8787");
    expect(new TokenctlClient({ apiUrl: "https://x.org/base/" }).apiUrl).toBe("https://x.org/base");
  });
});

test("a fetch of the caller sends all requests", async () => {
  const seen: string[] = [];
  const c = client({
    fetch: (url, init) => {
      seen.push(`${init.method} ${url}`);
      return fetch(url, init);
    },
  });
  server.script("/api/v1/tokens/", ok({ tokens: [] }));
  expect(await c.tokens()).toEqual({ tokens: [] });
  expect(seen).toEqual([
    `POST ${server.url}/api/auth/challenge`,
    `POST ${server.url}/api/auth/verify`,
    `GET ${server.url}/api/v1/tokens/`,
  ]);
});
