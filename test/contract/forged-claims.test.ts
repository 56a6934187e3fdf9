import { afterAll, expect, test } from "bun:test";
import { Connection, Transaction } from "@solana/web3.js";
import { ClaimListSchema } from "@tokenctl/shared/contract/claim";
import { Agent, type Answer, expectShape } from "../support/agent.ts";
import { startTestServer } from "../support/test-server.ts";

let steps = 0;

const server = await startTestServer({}, { crashPoint: () => void steps++ });
/** An agent with two tokens that have earned fees, and one with a token of its own. */
const [victim, attacker] = [await Agent.signedIn(server), await Agent.signedIn(server)];
const mint = (await victim.launched("VICTIM1")).tokenMint ?? "";
const ownMint = (await attacker.launched("ATTACKER")).tokenMint ?? "";
server.clock.advance(86_400_000);
await Promise.all([victim.signIn(), attacker.signIn()]);
const other = (await victim.launched("VICTIM2")).tokenMint ?? "";
for (const agent of [victim, attacker]) await agent.post("/dev/airdrop", { sol: 1 });
for (const tokenMint of [mint, other, ownMint]) {
  await victim.post("/dev/trade", { tokenMint, side: "buy", sol: 1 });
}
const before = await everything();
afterAll(() => server[Symbol.asyncDispose]());

/** What no attack may change. */
async function everything() {
  const chain = new Connection(`${server.url}/dev/rpc`, "confirmed");
  const { body } = await victim.get("/api/v1/tokens/claims");
  const { claims } = expectShape(ClaimListSchema, body);
  return { transactions: (await chain.getEpochInfo()).transactionCount ?? 0, steps, claims };
}

const expectUntouched = async () => expect(await everything()).toEqual(before);

function expectRefused({ status, body }: Answer, wanted: number, error?: string): void {
  expect(status).toBe(wanted);
  if (error !== undefined) expect((body as { error: string }).error).toBe(error);
}

const claimOf = async (agent: Agent, mint: string) =>
  Transaction.from(Buffer.from((await agent.prepareClaim(mint)).transaction, "base64"));
const wire = (transaction: Transaction) =>
  transaction.serialize({ requireAllSignatures: false, verifySignatures: false });
const submit = (agent: Agent, mint: string, bytes: Uint8Array) =>
  agent.submitClaim(mint, Buffer.from(bytes).toString("base64"));

test("a claim is refused with any byte changed, and does not reach the chain", async () => {
  const claim = await claimOf(victim, mint);
  claim.sign(victim.keypair);
  const bytes = wire(claim);
  for (let at = 0; at < bytes.length; at++) {
    const changed = Uint8Array.from(bytes).with(at, (bytes[at] ?? 0) ^ 0x80);
    expectRefused(await submit(victim, mint, changed), 400);
  }
  await expectUntouched();
});

test("a claim is refused for another token, and from another agent", async () => {
  const claim = await claimOf(victim, mint);
  claim.sign(victim.keypair);
  expectRefused(await submit(victim, other, wire(claim)), 400);
  expectRefused(await submit(attacker, mint, wire(claim)), 404, "Token not found");
  expectRefused(await submit(attacker, ownMint, wire(claim)), 400);
  // The attacker's own claim, with the victim's vaults in the place of its own.
  const own = await claimOf(attacker, ownMint);
  for (const [index, instruction] of own.instructions.entries()) {
    instruction.keys = claim.instructions[index]?.keys ?? [];
  }
  own.signatures = [];
  own.feePayer = attacker.keypair.publicKey;
  own.sign(attacker.keypair);
  expectRefused(await submit(attacker, ownMint, wire(own)), 400);
  await expectUntouched();
});
