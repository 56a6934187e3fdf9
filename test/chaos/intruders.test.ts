import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  Connection,
  Keypair,
  SystemProgram,
  Transaction,
  VersionedTransaction,
} from "@solana/web3.js";
import {
  ChallengeSchema,
  ClaimListSchema,
  TokenListSchema,
} from "@tokenctl/shared/response-schemas";
import { signInMessage } from "@tokenctl/shared/sign-in";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { Agent, type Answer, expectShape, send } from "../support/agent.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { forgedSignatures, raised, SMALL_ORDER_KEYS } from "./forged-keys.ts";
import { forgedTokens } from "./forged-tokens.ts";
import { figures } from "./scale.ts";

const DAY_MS = 86_400_000;
const SECRET = "the very secret with which this server signs";

let server: TestServer;
/** Steps by which anything could reach the chain. */
let steps = 0;
/** Attempts that were refused. */
let refused = 0;
let victim: Agent;
let intruder: Agent;
/** The victim's two tokens with fees, its launches, and the intruder's own token. */
let mints: [string, string];
let eventIds: { success: string; limited: string };
let ownMint: string;
/** What may not change: transactions on the chain, steps towards it, and the victim's fees. */
let before: Awaited<ReturnType<typeof look>>;

beforeAll(async () => {
  const env = { JWT_SECRET: SECRET, TICKER_HOLD_HOURS: "48" };
  server = await startTestServer(env, { checkpoint: () => void steps++ });
  victim = await Agent.signedIn(server);
  intruder = await Agent.signedIn(server);
  const first = await victim.launched("VICTIM1");
  const limited = await victim.launched("LIMITED");
  server.clock.advance(DAY_MS);
  await Promise.all([victim.signIn(), intruder.signIn()]);
  const second = await victim.launched("VICTIM2");
  ownMint = (await intruder.launched("INTRUDER")).tokenMint ?? "";
  mints = [first.tokenMint ?? "", second.tokenMint ?? ""];
  eventIds = { success: first.eventId, limited: limited.eventId };
  for (const agent of [victim, intruder]) await agent.post("/dev/airdrop", { sol: 1 });
  for (const tokenMint of [...mints, ownMint]) {
    await victim.post("/dev/trade", { tokenMint, side: "buy", sol: 1 });
  }
  before = await look();
});

afterAll(async () => {
  figures("intruders", {
    refused,
    reachedTheChain: (await look()).transactions - before.transactions,
  });
  await server[Symbol.asyncDispose]();
});

async function look() {
  const chain = new Connection(`${server.url}/dev/rpc`, "confirmed");
  const { body } = await victim.get("/api/v1/tokens/claims");
  return {
    transactions: await chain.getTransactionCount(),
    steps,
    claims: expectShape(ClaimListSchema, body).claims,
  };
}

/** An attempt must be refused with this status, and with this text where one is given. */
function expectRefused({ status, body }: Answer, wanted: number, error?: string): void {
  expect(status).toBe(wanted);
  if (error !== undefined) expect((body as { error: string }).error).toBe(error);
  refused += 1;
}

/** Whatever was tried, nothing came of it. */
async function expectUntouched(): Promise<void> {
  expect(await look()).toEqual(before);
}

describe("signatures", () => {
  /** Asks for a challenge of a wallet and answers it. */
  async function verify(wallet: string, sign: (message: Uint8Array) => Uint8Array) {
    const challenge = await intruder.post("/api/auth/challenge", { wallet });
    const { nonce } = expectShape(ChallengeSchema, challenge.body);
    const signature = bs58.encode(sign(new TextEncoder().encode(signInMessage(nonce))));
    return intruder.post("/api/auth/verify", { wallet, nonce, signature });
  }

  test("one with any byte changed is refused", async () => {
    for (let at = 0; at < 64; at++) {
      const answer = await verify(victim.wallet, (message) => {
        const signature = nacl.sign.detached(message, victim.keypair.secretKey);
        return signature.with(at, (signature[at] ?? 0) ^ 0x10);
      });
      expectRefused(answer, 401, "Invalid signature");
    }
  });

  test("one with S + L in place of S is refused", async () => {
    const sign = (message: Uint8Array) => nacl.sign.detached(message, victim.keypair.secretKey);
    expect((await verify(victim.wallet, sign)).status).toBe(200);
    const answer = await verify(victim.wallet, (message) => raised(sign(message)));
    expectRefused(answer, 401, "Invalid signature");
  });

  test("another key's, and one of another message, are refused", async () => {
    const foreign = await verify(victim.wallet, (message) =>
      nacl.sign.detached(message, intruder.keypair.secretKey),
    );
    expectRefused(foreign, 401, "Invalid signature");
    const other = await verify(victim.wallet, () =>
      nacl.sign.detached(new TextEncoder().encode("hello"), victim.keypair.secretKey),
    );
    expectRefused(other, 401, "Invalid signature");
  });

  test("none lets anyone in as a wallet of small order, though others take them", async () => {
    let lax = 0;
    for (const key of SMALL_ORDER_KEYS) {
      const publicKey = Uint8Array.from(Buffer.from(key, "hex"));
      for (const forged of forgedSignatures()) {
        const answer = await verify(bs58.encode(publicKey), (message) => {
          if (nacl.sign.detached.verify(message, forged, publicKey)) lax += 1;
          return forged;
        });
        expectRefused(answer, 401, "Invalid signature");
      }
    }
    // The attempts were good ones: tweetnacl lets about one in eight in.
    expect(lax).toBeGreaterThanOrEqual(SMALL_ORDER_KEYS.length / 2);
  });
});

describe("tokens", () => {
  const routes = () =>
    [
      ["POST", "/api/v1/tokens/launch"],
      ["GET", `/api/v1/tokens/launch/status/${eventIds.success}`],
      ["POST", `/api/v1/tokens/launch/${eventIds.limited}/retry`],
      ["GET", "/api/v1/tokens/"],
      ["GET", `/api/v1/tokens/${mints[0]}`],
      ["GET", "/api/v1/tokens/claims"],
      ["POST", `/api/v1/tokens/claims/${mints[0]}`],
      ["POST", "/dev/airdrop"],
      ["POST", "/dev/trade"],
      ["POST", "/dev/graduate"],
    ] as const;

  test("forged ones are refused by every route, and no key is fetched", async () => {
    let fetched = 0;
    await using keyServer = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => {
        fetched += 1;
        return Response.json({ keys: [] });
      },
    });
    const { origin } = keyServer.url;
    const tokens = forgedTokens(SECRET, victim.wallet, server.clock.now(), origin);
    for (const [what, token] of Object.entries(tokens)) {
      for (const [method, path] of routes()) {
        const answer = await send(server.url, method, path, { token });
        expect([what, answer.status]).toEqual([what, 401]);
        expectRefused(answer, 401);
      }
    }
    expect(fetched).toBe(0);
    await expectUntouched();
  });

  test("one that was good is refused by every route once it has expired", async () => {
    const late = await Agent.signedIn(server);
    server.clock.advance(15 * 60_000);
    for (const [method, path] of routes()) {
      const answer = await send(server.url, method, path, { token: late.token });
      expectRefused(answer, 401, "Invalid or expired token");
    }
    await Promise.all([victim.signIn(), intruder.signIn()]);
    await expectUntouched();
  });
});

describe("another agent's", () => {
  test("launches and tokens do not exist, in any route", async () => {
    for (const eventId of Object.values(eventIds)) {
      const status = await intruder.get(`/api/v1/tokens/launch/status/${eventId}`);
      expectRefused(status, 404, "Launch not found");
      const retry = await intruder.post(`/api/v1/tokens/launch/${eventId}/retry`);
      expectRefused(retry, 404, "Launch not found");
    }
    for (const mint of mints) {
      expectRefused(await intruder.get(`/api/v1/tokens/${mint}`), 404, "Token not found");
      const claim = await intruder.post(`/api/v1/tokens/claims/${mint}`);
      expectRefused(claim, 404, "Token not found");
    }
    await expectUntouched();
  });

  test("cursors open nobody's list", async () => {
    const page = await victim.get("/api/v1/tokens/?limit=1");
    const { nextCursor } = expectShape(TokenListSchema, page.body);
    for (const path of ["/api/v1/tokens/", "/api/v1/tokens/claims"]) {
      const { status, body } = await intruder.get(`${path}?limit=10&cursor=${nextCursor}`);
      // A cursor is a place in any list: behind this one is nothing of the intruder's.
      expect(status).toBe(200);
      expect(Object.values(body as object)).toEqual([[]]);
      const own = await victim.get(`${path}?limit=10&cursor=${nextCursor}`);
      expect(own.status).toBe(200);
      expect(JSON.stringify(own.body)).toContain(mints[0]);
    }
  });

  test("a ticker stays its owner's, whose launch ended", async () => {
    const answer = await intruder.launch({ ticker: "LIMITED" });
    expectRefused(answer, 409, "Ticker LIMITED already exists");
    await expectUntouched();
  });
});

describe("claims", () => {
  const claimOf = async (agent: Agent, mint: string) =>
    Transaction.from(Buffer.from((await agent.prepareClaim(mint)).transaction, "base64"));
  const wire = (transaction: Transaction) =>
    transaction.serialize({ requireAllSignatures: false, verifySignatures: false });
  const submit = (agent: Agent, mint: string, bytes: Uint8Array) =>
    agent.submitClaim(mint, Buffer.from(bytes).toString("base64"));

  test("one with any byte changed is refused, and does not reach the chain", async () => {
    const claim = await claimOf(victim, mints[0]);
    claim.sign(victim.keypair);
    const bytes = wire(claim);
    for (let at = 0; at < bytes.length; at++) {
      const changed = Uint8Array.from(bytes).with(at, (bytes[at] ?? 0) ^ 0x80);
      expectRefused(await submit(victim, mints[0], changed), 400);
    }
    await expectUntouched();
  });

  test("one with an instruction more, less or in another place is refused", async () => {
    const theft = SystemProgram.transfer({
      fromPubkey: victim.keypair.publicKey,
      toPubkey: intruder.keypair.publicKey,
      lamports: 1,
    });
    const changes: ((claim: Transaction) => void)[] = [
      (claim) => claim.instructions.push(theft),
      (claim) => claim.instructions.unshift(theft),
      (claim) => claim.instructions.pop(),
      (claim) => claim.instructions.reverse(),
      (claim) => {
        claim.recentBlockhash = Keypair.generate().publicKey.toBase58();
      },
      (claim) => {
        for (const instruction of claim.instructions) {
          for (const key of instruction.keys) key.isWritable = true;
        }
      },
    ];
    for (const change of changes) {
      const claim = await claimOf(victim, mints[0]);
      change(claim);
      claim.sign(victim.keypair);
      expectRefused(
        await submit(victim, mints[0], wire(claim)),
        400,
        "Transaction does not match this claim",
      );
    }
    await expectUntouched();
  });

  test("one that another signed, nobody signed or two signed is refused", async () => {
    const claim = await claimOf(victim, mints[0]);
    const unsigned = wire(claim);
    expectRefused(await submit(victim, mints[0], unsigned), 400);
    const message = claim.serializeMessage();
    const by = (signature: Uint8Array) => Uint8Array.from([1, ...signature, ...message]);
    const foreign = nacl.sign.detached(message, intruder.keypair.secretKey);
    expectRefused(
      await submit(victim, mints[0], by(foreign)),
      400,
      "Transaction is not signed by the agent",
    );
    const own = nacl.sign.detached(message, victim.keypair.secretKey);
    expectRefused(
      await submit(victim, mints[0], by(raised(own))),
      400,
      "Transaction is not signed by the agent",
    );
    const both = Uint8Array.from([2, ...own, ...foreign, ...message]);
    expectRefused(await submit(victim, mints[0], both), 400);
    const asV0 = VersionedTransaction.deserialize(by(own)).serialize();
    const v0 = Uint8Array.from([...asV0.subarray(0, 65), 0x80, ...asV0.subarray(65), 0]);
    expectRefused(await submit(victim, mints[0], v0), 400);
    await expectUntouched();
  });

  test("one of another token, or in another agent's hands, is refused", async () => {
    const claim = await claimOf(victim, mints[0]);
    claim.sign(victim.keypair);
    expectRefused(await submit(victim, mints[1], wire(claim)), 400);
    expectRefused(await submit(intruder, mints[0], wire(claim)), 404, "Token not found");
    expectRefused(await submit(intruder, ownMint, wire(claim)), 400);
    // The intruder's own claim, with the victim's vaults in the place of its own.
    const own = await claimOf(intruder, ownMint);
    for (const [index, instruction] of own.instructions.entries()) {
      instruction.keys = claim.instructions[index]?.keys ?? [];
    }
    own.signatures = [];
    own.feePayer = intruder.keypair.publicKey;
    own.sign(intruder.keypair);
    expectRefused(await submit(intruder, ownMint, wire(own)), 400);
    await expectUntouched();
  });
});
