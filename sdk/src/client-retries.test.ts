import { describe, expect, test } from "bun:test";
import { agent } from "../test/claim-transactions.ts";
import {
  accepted,
  claimPath,
  eventId,
  fault,
  launchPath,
  mintAddress,
  ok,
  prepared,
  receipt,
  refusal,
  statusPath,
  thrown,
  useScriptedServer,
} from "../test/client-fixtures.ts";
import { ClaimUnsettledError } from "./claim-errors.ts";
import { ConnectionError } from "./errors.ts";
import { keypairSigner } from "./signer.ts";

const scripted = useScriptedServer();
const { client } = scripted;

describe("sending again", () => {
  test("a request is sent again three times by default", async () => {
    scripted.server.script(statusPath, fault(503, "Down"));
    await thrown(client().launchStatus(eventId));
    expect(scripted.server.to(statusPath)).toHaveLength(4);
  });

  test("a launch is sent again under its own key, and two launches have two keys", async () => {
    scripted.server.script(launchPath, "hang up", refusal("queue_full"), ok(accepted));
    const c = client();
    const order = { name: "dogwifhat", ticker: "WIF" };
    expect((await c.launch(order)).eventId).toBe(eventId);
    await c.launch(order);
    await c.launch(order, { idempotencyKey: "mine" });
    const keys = scripted.server
      .to(launchPath)
      .map(({ headers }) => String(headers["idempotency-key"]));
    expect(keys.slice(0, 3)).toEqual(Array(3).fill(keys[0]));
    expect(new Set(keys).size).toBe(3);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(keys[4]).toBe("mine");
  });

  test("a retry of a launch whose answer was lost is left to the caller", async () => {
    scripted.server.script(`${launchPath}/${eventId}/retry`, "hang up");
    expect(await thrown(client().retryLaunch(eventId))).toBeInstanceOf(ConnectionError);
    expect(scripted.server.to(`${launchPath}/${eventId}/retry`)).toHaveLength(1);
  });

  test("a signed claim whose answer was lost is submitted again unchanged", async () => {
    scripted.server.script(claimPath, ok(prepared), "hang up", fault(503, "Away"), ok(receipt));
    expect(await client().claim(mintAddress)).toMatchObject({ claimedSOL: 0.5 });
    const bodies = scripted.server.to(claimPath).map(({ body }) => body);
    expect(bodies[0]).toBeUndefined();
    expect(bodies[2]).toEqual(bodies[1]);
    expect(bodies[3]).toEqual(bodies[1]);
  });

  const stop = new AbortController();
  const aborting = <T>(abort: AbortController, given: T) => [given, abort.abort()][0] as T;
  test.each([
    ["its connection was lost", "hang up", "connection_failed"],
    ["a gateway says that the server is gone", { status: 502, text: "<html>" }, "api_error"],
    ["a gateway gives up", { status: 504, text: "" }, "api_error"],
    ["the service cannot say", refusal("claim_unsettled"), "claim_unsettled"],
    ["an answer without a code cannot say", fault(503, "Not known yet"), "api_error"],
    ["the service fails", refusal("internal_error"), "internal_error"],
    ["the answer is none of the contract", { status: 200, text: "<html>" }, "invalid_response"],
    ["its call is aborted", () => aborting(stop, "hang" as const), "aborted"],
  ] as const)("the outcome of a signed claim is unknown if %s", async (_, step, code) => {
    scripted.server.script(claimPath, ok(prepared), step);
    const error = await thrown(client().claim(mintAddress, { signal: stop.signal }));
    expect(error).toBeInstanceOf(ClaimUnsettledError);
    expect(error).toMatchObject({
      code: "claim_unsettled",
      tokenMint: mintAddress,
      cause: { code },
      name: "ClaimUnsettledError",
      hint: expect.stringContaining("pays fees only once"),
    });
    const { signedTransaction } = error as ClaimUnsettledError;
    expect(scripted.server.to(claimPath).at(-1)?.body).toEqual({ signedTransaction });
  });

  test("the outcome of a claim is known if it was not submitted, or was refused", async () => {
    scripted.server.script(claimPath, "hang up");
    expect(await thrown(client().claim(mintAddress))).toBeInstanceOf(ConnectionError);
    scripted.server.script(claimPath, ok(prepared), refusal("claim_refused"));
    expect((await thrown(client().claim(mintAddress))).code).toBe("claim_refused");
    scripted.server.script(claimPath, ok(prepared), refusal("claim_unsigned"));
    expect((await thrown(client().claim(mintAddress))).code).toBe("claim_unsigned");
    const late = new AbortController();
    const { signTransaction, ...signer } = keypairSigner(agent);
    const sign = (bytes: Uint8Array) => aborting(late, signTransaction(bytes));
    const slow = client({ signer: { ...signer, signTransaction: sign } });
    scripted.server.script(claimPath, ok(prepared));
    const unsent = await thrown(slow.claim(mintAddress, { signal: late.signal }));
    expect(unsent.code).toBe("aborted");
  });

  test.each(["claim_mismatch", "claim_expired"] as const)(
    "a claim that the server answers with %s starts over once",
    async (code) => {
      const refused = refusal(code);
      scripted.server.script(claimPath, ok(prepared), refused, ok(prepared), ok(receipt));
      expect(await client().claim(mintAddress)).toMatchObject({ claimedSOL: 0.5 });
      scripted.server.script(claimPath, ok(prepared), refused, ok(prepared), refused);
      expect(await thrown(client().claim(mintAddress))).toMatchObject({ code });
      expect(scripted.server.to(claimPath)).toHaveLength(8);
    },
  );

  test("a claim without enough SOL names the wallet and is not sent again", async () => {
    const figures = { code: "insufficient_sol", requiredSOL: 0.002, balanceSOL: 0 };
    scripted.server.script(claimPath, {
      status: 409,
      json: { error: "Too little SOL", ...figures },
    });
    const error = await thrown(client().claim(mintAddress));
    expect(error.hint).toBe(`Send at least 0.002 SOL to ${agent.publicKey.toBase58()}`);
    expect(scripted.server.to(claimPath)).toHaveLength(1);
  });

  test("a claim is not made again if it is refused without a code", async () => {
    const expired = fault(409, "Claim transaction expired, request a new one");
    scripted.server.script(claimPath, ok(prepared), expired, ok(prepared), ok(receipt));
    const error = await thrown(client().claim(mintAddress));
    expect(error).toMatchObject({ code: "api_error", status: 409 });
    expect(scripted.server.to(claimPath)).toHaveLength(2);
  });
});
