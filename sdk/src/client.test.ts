import { describe, expect, spyOn, test } from "bun:test";
import { signInMessage } from "@tokenctl/shared/sign-in";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { agent } from "../test/claim-transactions.ts";
import {
  accepted,
  claimPath,
  eventId,
  fault,
  launchCheck,
  launchPath,
  launchStatus,
  mintAddress,
  ok,
  prepared,
  receipt,
  refusal,
  signedClaim,
  statusPath,
  thrown,
  token,
  useScriptedServer,
} from "../test/client-fixtures.ts";
import type { SeenRequest } from "../test/scripted-server.ts";
import { TokenctlClient } from "./client.ts";
import { ConnectionError, InvalidArgumentError, InvalidResponseError } from "./errors.ts";
import { explainTransaction } from "./explain-transaction.ts";
import type { ClientOptions } from "./options.ts";

const scripted = useScriptedServer();
const { client } = scripted;

describe("the client speaks the contract", () => {
  test("login signs the server's nonce and returns the token", async () => {
    const { wallet, token: bearer, expiresInSeconds } = await client().login();
    expect(wallet).toBe(agent.publicKey.toBase58());
    expect(expiresInSeconds).toBe(900);
    expect(bearer.split(".")).toHaveLength(3);
    const [challenge, verify] = scripted.server.seen;
    expect(challenge).toMatchObject({
      method: "POST",
      path: "/api/auth/challenge",
      headers: { accept: "application/json", "accept-encoding": "identity" },
      body: { wallet },
    });
    expect(verify).toMatchObject({ method: "POST", path: "/api/auth/verify" });
    const { nonce, signature } = (verify?.body ?? {}) as Record<string, string>;
    expect(nonce).toBe(scripted.server.nonce(1));
    const message = new TextEncoder().encode(signInMessage(nonce ?? ""));
    const key = agent.publicKey.toBytes();
    expect(nacl.sign.detached.verify(message, bs58.decode(signature ?? ""), key)).toBe(true);
  });

  test("a launch whose name would be cut on chain is sent only if that is allowed, or another one is chosen", async () => {
    scripted.server.script(launchPath, ok(accepted));
    const request = { name: "A name that has more than 32 bytes", ticker: "WIF" };
    expect(await thrown(client().launch(request))).toMatchObject({
      code: "invalid_argument",
      message: expect.stringContaining('where it would be "A name that has more than 32 byt"'),
      hint: expect.stringMatching(/onChainName.*allowShortenedName/),
    });
    expect(scripted.server.seen).toEqual([]);
    await client().launch(request, { allowShortenedName: true });
    const chosen = { ...request, onChainName: "A name" };
    await client().launch(chosen);
    expect(scripted.server.to(launchPath).map(({ body }) => body)).toEqual([request, chosen]);
  });

  test("an unknown option is refused by name before anything is sent, by every method and the constructor", async () => {
    const wrong = { timeout: 5 } as object;
    const c = client();
    const calls: Record<string, () => unknown> = {
      constructor: () => client(wrong),
      launch: () => c.launch({ name: "A", ticker: "WIF" }, wrong),
      launches: () => c.launches(wrong),
      launchStatus: () => c.launchStatus(eventId, wrong),
      waitForLaunch: () => c.waitForLaunch(eventId, wrong),
      events: () => c.events(wrong),
      eventList: () => c.eventList(wrong),
      tokens: () => c.tokens(wrong),
      claims: () => c.claims(wrong),
      claimHistory: () => c.claimHistory(wrong).next(),
      claim: () => c.claim(mintAddress, wrong),
      claimMany: () => c.claimMany([mintAddress], wrong),
      claimAll: () => c.claimAll(wrong),
      signClaim: () => c.signClaim(mintAddress, prepared as never, wrong),
      login: () => c.login(wrong),
      health: () => c.health(wrong),
      setFeeThreshold: () => c.setFeeThreshold({ claimableSOL: 1, ...wrong }),
      deleteFeeThreshold: () => c.deleteFeeThreshold(wrong),
      deliveries: () => c.webhooks.deliveries(eventId, wrong),
      airdrop: () => c.dev.airdrop({ sol: 1 }, wrong),
    };
    for (const [name, call] of Object.entries(calls)) {
      const error = await thrown(Promise.try(call));
      expect([name, error.code, error.message]).toEqual([
        ...[name, "invalid_argument", "There is no option timeout"],
      ]);
    }
    expect(scripted.server.seen).toEqual([]);
  });

  test("uploadImage says what it takes if it is given the name of a file", async () => {
    expect(await thrown(client().uploadImage("logo.png" as never))).toMatchObject({
      code: "invalid_argument",
      hint: expect.stringContaining("readFile"),
    });
  });

  /** A call, the request that it makes, and the answer that it returns unchanged. */
  const calls: Record<
    string,
    [(c: TokenctlClient) => Promise<unknown>, Partial<SeenRequest>, unknown]
  > = {
    checkLaunch: [
      (c) => c.checkLaunch({ name: "dogwifhat", ticker: "WIF" }),
      {
        method: "POST",
        path: `${launchPath}/check`,
        body: { name: "dogwifhat", ticker: "WIF" },
      },
      launchCheck,
    ],
    launches: [
      (c) => c.launches({ status: "failed", limit: 1, cursor: "a b" }),
      { method: "GET", path: `${launchPath}es?status=failed&limit=1&cursor=a+b` },
      {
        launches: [
          { ...launchStatus("pending"), tokenName: "dogwifhat", createdAt: token.deployedAt },
        ],
        nextCursor: "next",
      },
    ],
  };
  for (const [name, [call, request, answer]] of Object.entries(calls)) {
    test(`${name} makes its request and returns the answer`, async () => {
      scripted.server.script(request.path?.split("?")[0] ?? "", ok(answer));
      expect(await call(client())).toEqual(answer);
      expect(scripted.server.seen.map(({ path }) => path)).toEqual([
        "/api/auth/challenge",
        "/api/auth/verify",
        request.path ?? "",
      ]);
      const made = scripted.server.seen.at(-1);
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
    scripted.server.script("/health", ok(health), { status: 503, json: ill });
    const anyone = new TokenctlClient({ apiUrl: `${scripted.server.url}/` });
    expect(await anyone.health()).toEqual(health as never);
    expect(await anyone.health()).toEqual(ill as never);
    expect(scripted.server.seen).toHaveLength(2);
    scripted.server.script("/health", { status: 503, text: "<html>" });
    expect(await thrown(anyone.health())).toMatchObject({ code: "api_error", status: 503 });
    expect(scripted.server.seen).toHaveLength(3);
  });
});

describe("what goes wrong becomes an error", () => {
  test("a server that cannot be reached throws ConnectionError", async () => {
    const c = client({ apiUrl: "http://127.0.0.1:9", maxRetries: 0 });
    const error = await thrown(c.health());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({
      code: "connection_failed",
      message: "Cannot reach http://127.0.0.1:9: ECONNREFUSED",
      systemCode: "ECONNREFUSED",
    });
  });

  test("what a browser does not say is in the hint", async () => {
    const fetch = () => Promise.reject(new TypeError("Failed to fetch"));
    const error = await thrown(client({ fetch, maxRetries: 0 }).health());
    expect(error).toMatchObject({
      systemCode: null,
      hint: expect.stringContaining("CORS_ORIGINS"),
    });
  });

  test("the stack of every error begins where the caller called", async () => {
    scripted.server.script("/api/v1/tokens/", refusal("internal_error"));
    const c = client({ maxRetries: 0 });
    const events = async () => {
      for await (const _ of c.events());
    };
    const calls = [
      () => c.tokens(),
      () => c.dev.airdrop({ sol: 1 }),
      () => c.webhooks.test("no id"),
      () => c.claimMany([mintAddress]),
      () => explainTransaction("?"),
      events,
    ];
    for (const call of calls) {
      const { stack = "", name, message } = await thrown(call());
      const [first, second] = stack.split("\n");
      expect([first, second]).toEqual([
        `${name}: ${message}`,
        expect.stringContaining(import.meta.file),
      ]);
    }
  });

  test.each<[string, (c: TokenctlClient) => Promise<unknown>]>([
    ["receivers that are no list", (c) => c.claim(mintAddress, { to: { addr: 100 } as never })],
    ["receivers that are no objects", (c) => c.claim(mintAddress, { to: [null] as never })],
    ["mints that are no list", (c) => c.claimMany(mintAddress as never)],
    ["a launch that is no object", (c) => c.launch("WIF" as never)],
  ])("%s are refused before anything is sent", async (_, call) => {
    expect((await thrown(call(client()))).code).toBe("invalid_argument");
    expect(scripted.server.seen).toBeEmpty();
  });

  test("an answer that does not come in time throws TimeoutError", async () => {
    scripted.server.script("/health", "hang");
    const error = await thrown(client({ timeoutMs: 20 }).health());
    expect(error).toMatchObject({ name: "TimeoutError", code: "timeout", timeoutMs: 20 });
  });

  test("an abort ends a call before it is sent, and while it waits", async () => {
    scripted.server.script(statusPath, "hang");
    const c = client({ maxRetries: 0 });
    await c.login();
    const before = await thrown(c.launchStatus(eventId, { signal: AbortSignal.abort("no") }));
    expect(before).toMatchObject({ name: "AbortError", code: "aborted", cause: "no" });
    expect(scripted.server.to(statusPath)).toHaveLength(0);
    const abort = new AbortController();
    const call = thrown(c.launchStatus(eventId, { signal: abort.signal }));
    while (scripted.server.to(statusPath).length === 0) await Bun.sleep(1);
    abort.abort();
    expect((await call).code).toBe("aborted");
    expect(scripted.server.to(statusPath)).toHaveLength(1);
  });

  test("no call leaves a listener on the caller's signal", async () => {
    const { signal } = new AbortController();
    const added = spyOn(signal, "addEventListener");
    const removed = spyOn(signal, "removeEventListener");
    scripted.server.script(
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

  test("an answer that is not of the contract throws InvalidResponseError, and says where", async () => {
    const status = (c: TokenctlClient) => c.launchStatus(eventId);
    const submit = (c: TokenctlClient) => c.submitClaim(mintAddress, signedClaim);
    for (const [call, step, problem] of [
      [status, ok({ ...launchStatus("pending"), ticker: null }), "body.ticker is not a string"],
      [status, ok(null), "body is not an object"],
      [status, { status: 200, text: "<html>" }, "body is not JSON"],
      [submit, ok({ ...receipt, claimedSOL: -1 }), "body.claimedSOL is not an amount"],
      [submit, ok({ ...receipt, success: false }), "body.success is none of true"],
    ] as const) {
      scripted.server.script(call === status ? statusPath : claimPath, step);
      const error = await thrown(call(client()));
      expect(error).toBeInstanceOf(InvalidResponseError);
      expect(error).toMatchObject({ code: "invalid_response", status: 200, requestId: "req-1" });
      expect(error.message).toContain(problem);
    }
  });

  test("fields that a newer server adds are allowed", async () => {
    scripted.server.script(statusPath, ok({ ...launchStatus("pending"), progress: 0.5 }));
    expect(await client().launchStatus(eventId)).toMatchObject({ status: "pending" });
  });

  test("a redirect is an error even with a valid body, and is not followed with the bearer token", async () => {
    const headers = { location: "/elsewhere" };
    for (const status of [300, 307]) {
      scripted.server.script(statusPath, { status, json: launchStatus("success"), headers });
      expect(await thrown(client().launchStatus(eventId))).toMatchObject({
        code: "api_error",
        status,
      });
    }
    expect(scripted.server.to("/elsewhere")).toHaveLength(0);
  });

  test("calls that need a wallet are refused without one", async () => {
    const anyone = new TokenctlClient({ apiUrl: scripted.server.url });
    expect(() => anyone.address).toThrow("the client has no signer");
    for (const call of [
      ...[() => anyone.tokens(), () => anyone.login()],
      () => anyone.signClaim(mintAddress, prepared),
    ]) {
      expect(await thrown(call())).toMatchObject({ code: "signer_required" });
    }
    expect(scripted.server.seen).toEqual([]);
  });

  test("arguments that would reach another endpoint are never sent", async () => {
    const c = client();
    const mints = ["", "claims", "..", "../x", "a/b", `${mintAddress}?x`, "0".repeat(40)];
    const events = ["", "..", "x", `${eventId}/retry`];
    const keys = ["", "a b", "ä", "x".repeat(256), "a\r\nb"];
    const order = { name: "n", ticker: "WIF" };
    for (const call of [
      ...mints.flatMap((mint) => [() => c.token(mint), () => c.prepareClaim(mint)]),
      ...mints.flatMap((mint) => [() => c.submitClaim(mint, signedClaim), () => c.claim(mint)]),
      ...events.flatMap((event) => [() => c.launchStatus(event), () => c.retryLaunch(event)]),
      ...events.flatMap((event) => [() => c.cancelLaunch(event), () => c.waitForLaunch(event)]),
      ...keys.map((idempotencyKey) => () => c.launch(order, { idempotencyKey })),
    ]) {
      expect(await thrown(call())).toBeInstanceOf(InvalidArgumentError);
    }
    expect(scripted.server.seen).toEqual([]);
  });

  test("options that cannot be used throw InvalidArgumentError", () => {
    const wrong: ClientOptions[] = [
      { apiUrl: "" },
      { apiUrl: "localhost:8787" },
      { apiUrl: "ftp://x" },
      { apiUrl: "http://user:pass@x" },
      { apiUrl: "http://x/?a=1" },
      { apiUrl: "http://x/#a" },
      { apiUrl: "http://x/api/v1" },
      { apiUrl: "http://x/api/" },
      { timeoutMs: 0 },
      { timeoutMs: Number.NaN },
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
