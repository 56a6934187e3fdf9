import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Keypair, SystemProgram, Transaction, VersionedTransaction } from "@solana/web3.js";
import { TokenListSchema } from "@tokenctl/shared/contract/token";
import nacl from "tweetnacl";
import { type Agent, expectShape } from "../support/agent.ts";
import { AttackScene } from "./attack-scene.ts";
import { raised } from "./forged-keys.ts";

let scene: AttackScene;
beforeAll(async () => {
  scene = await AttackScene.open();
});
afterAll(async () => {
  await scene.printFigures("launches, tokens and claims");
  await scene[Symbol.asyncDispose]();
});

describe("another agent", () => {
  test("is answered 404 for an agent's launches and tokens by every route", async () => {
    for (const eventId of Object.values(scene.eventIds)) {
      const status = await scene.attacker.get(`/api/v1/tokens/launch/status/${eventId}`);
      scene.expectRefused(status, 404, "Launch not found");
      const retry = await scene.attacker.post(`/api/v1/tokens/launch/${eventId}/retry`);
      scene.expectRefused(retry, 404, "Launch not found");
    }
    for (const mint of scene.mints) {
      scene.expectRefused(
        await scene.attacker.get(`/api/v1/tokens/${mint}`),
        404,
        "Token not found",
      );
      const claim = await scene.attacker.post(`/api/v1/tokens/claims/${mint}`);
      scene.expectRefused(claim, 404, "Token not found");
    }
    await scene.expectUntouched();
  });

  test("lists only its own tokens with an agent's cursor", async () => {
    const page = await scene.victim.get("/api/v1/tokens/?limit=1");
    const { nextCursor } = expectShape(TokenListSchema, page.body);
    for (const path of ["/api/v1/tokens/", "/api/v1/tokens/claims"]) {
      const { status, body } = await scene.attacker.get(`${path}?limit=10&cursor=${nextCursor}`);
      // A cursor is a place in every agent's list, and the attacker has no token after this one.
      expect(status).toBe(200);
      expect(Object.values(body as object)).toEqual([[]]);
      const own = await scene.victim.get(`${path}?limit=10&cursor=${nextCursor}`);
      expect(own.status).toBe(200);
      expect(JSON.stringify(own.body)).toContain(scene.mints[0]);
    }
  });

  test("cannot take the ticker of an agent whose launch ended", async () => {
    const answer = await scene.attacker.launch({ ticker: "LIMITED" });
    scene.expectRefused(answer, 409, "Ticker LIMITED already exists");
    await scene.expectUntouched();
  });
});

describe("a claim", () => {
  const claimOf = async (agent: Agent, mint: string) =>
    Transaction.from(Buffer.from((await agent.prepareClaim(mint)).transaction, "base64"));
  const wire = (transaction: Transaction) =>
    transaction.serialize({ requireAllSignatures: false, verifySignatures: false });
  const submit = (agent: Agent, mint: string, bytes: Uint8Array) =>
    agent.submitClaim(mint, Buffer.from(bytes).toString("base64"));

  test("is refused with any byte changed, and does not reach the chain", async () => {
    const claim = await claimOf(scene.victim, scene.mints[0]);
    claim.sign(scene.victim.keypair);
    const bytes = wire(claim);
    for (let at = 0; at < bytes.length; at++) {
      const changed = Uint8Array.from(bytes).with(at, (bytes[at] ?? 0) ^ 0x80);
      scene.expectRefused(await submit(scene.victim, scene.mints[0], changed), 400);
    }
    await scene.expectUntouched();
  });

  test("is refused with an instruction added, removed or moved", async () => {
    const theft = SystemProgram.transfer({
      fromPubkey: scene.victim.keypair.publicKey,
      toPubkey: scene.attacker.keypair.publicKey,
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
      const claim = await claimOf(scene.victim, scene.mints[0]);
      change(claim);
      claim.sign(scene.victim.keypair);
      scene.expectRefused(
        await submit(scene.victim, scene.mints[0], wire(claim)),
        400,
        "Transaction does not match this claim",
      );
    }
    await scene.expectUntouched();
  });

  test("is refused if it is unsigned, or signed by another wallet or by two", async () => {
    const claim = await claimOf(scene.victim, scene.mints[0]);
    const unsigned = wire(claim);
    scene.expectRefused(await submit(scene.victim, scene.mints[0], unsigned), 400);
    const message = claim.serializeMessage();
    const by = (signature: Uint8Array) => Uint8Array.from([1, ...signature, ...message]);
    const foreign = nacl.sign.detached(message, scene.attacker.keypair.secretKey);
    scene.expectRefused(
      await submit(scene.victim, scene.mints[0], by(foreign)),
      400,
      "Transaction is not signed by the agent",
    );
    const own = nacl.sign.detached(message, scene.victim.keypair.secretKey);
    scene.expectRefused(
      await submit(scene.victim, scene.mints[0], by(raised(own))),
      400,
      "Transaction is not signed by the agent",
    );
    const both = Uint8Array.from([2, ...own, ...foreign, ...message]);
    scene.expectRefused(await submit(scene.victim, scene.mints[0], both), 400);
    const asV0 = VersionedTransaction.deserialize(by(own)).serialize();
    const v0 = Uint8Array.from([...asV0.subarray(0, 65), 0x80, ...asV0.subarray(65), 0]);
    scene.expectRefused(await submit(scene.victim, scene.mints[0], v0), 400);
    await scene.expectUntouched();
  });

  test("is refused for another token, and from another agent", async () => {
    const claim = await claimOf(scene.victim, scene.mints[0]);
    claim.sign(scene.victim.keypair);
    scene.expectRefused(await submit(scene.victim, scene.mints[1], wire(claim)), 400);
    scene.expectRefused(
      await submit(scene.attacker, scene.mints[0], wire(claim)),
      404,
      "Token not found",
    );
    scene.expectRefused(await submit(scene.attacker, scene.ownMint, wire(claim)), 400);
    // The attacker's own claim, with the victim's vaults in the place of its own.
    const own = await claimOf(scene.attacker, scene.ownMint);
    for (const [index, instruction] of own.instructions.entries()) {
      instruction.keys = claim.instructions[index]?.keys ?? [];
    }
    own.signatures = [];
    own.feePayer = scene.attacker.keypair.publicKey;
    own.sign(scene.attacker.keypair);
    scene.expectRefused(await submit(scene.attacker, scene.ownMint, wire(own)), 400);
    await scene.expectUntouched();
  });
});
