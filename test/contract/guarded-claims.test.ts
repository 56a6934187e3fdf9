import { Database } from "bun:sqlite";
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Connection, PublicKey, TransactionMessage } from "@solana/web3.js";
import { ClaimHistorySchema, ClaimReceiptSchema } from "@tokenctl/shared/contract/claim";
import { errorCodes } from "@tokenctl/shared/error-codes";
import { LIGHTHOUSE_PROGRAM } from "@tokenctl/shared/lighthouse";
import { readMessage, splitTransaction } from "@tokenctl/shared/wire-transaction";
import bs58 from "bs58";
import { systemClock } from "../../server/src/base/clock.ts";
import { dataFiles } from "../../server/src/config/config.ts";
import { LocalChain } from "../../server/src/localnet/chain.ts";
import { compileAs, signWithKeys, unsignedTransaction } from "../../server/src/solana/message.ts";
import { Agent, expectShape } from "../support/agent.ts";
import { openClaim, signGuarded, withGuards } from "../support/assertions.ts";
import { startTestServer } from "../support/test-server.ts";

const NO_CONFIG = {
  priorityFee: null,
  computeUnitLimit: null,
  loadedAccountsDataSizeLimit: null,
  heapSize: null,
};
const MEMO = new PublicKey("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr");
const dataDir = mkdtempSync(join(tmpdir(), "tokend-guarded-"));

let agent: Agent;
let mint: string;
let tickers = 0;
deployStandIn();
const server = await startTestServer({ DATA_DIR: dataDir }, { isNewDatabase: true });
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(dataDir, { recursive: true });
});
beforeEach(async () => {
  server.clock.advance(24 * 3_600_000);
  agent = await Agent.signedIn(server);
  mint = (await agent.launched(`GU${tickers++}`)).tokenMint ?? "";
  await earn();
  expect((await agent.post("/dev/airdrop", { sol: 1 })).status).toBe(200);
});

/**
 * Puts the memo program at Lighthouse's address on the sandbox's chain: as Lighthouse, it changes
 * nothing, and fails or not. It fails if it is given an account that does not sign.
 */
function deployStandIn(): void {
  const ledgerPath = dataFiles(dataDir).localLedger;
  const chain = LocalChain.open({ ledgerPath, clock: systemClock });
  const memo = chain.getAccount(MEMO);
  chain.close();
  if (!memo) throw new Error("the chain has no memo program");
  using ledger = new Database(ledgerPath);
  ledger.run(
    "insert into accounts (address, owner, lamports, executable, rent_epoch, data) values (?, ?, 1, 1, 0, ?)",
    [new PublicKey(LIGHTHOUSE_PROGRAM).toBytes(), memo.owner, memo.data],
  );
}

async function earn(): Promise<void> {
  const { status } = await agent.post("/dev/trade", { tokenMint: mint, side: "buy", sol: 1 });
  expect(status).toBe(200);
}

const bytes = (base64: string) => Uint8Array.from(Buffer.from(base64, "base64"));
const submit = (signed: Uint8Array) =>
  agent.submitClaim(mint, Buffer.from(signed).toString("base64"));
const chain = () => new Connection(`${server.url}/dev/rpc`, "confirmed");

async function assertionsOf(transactionHash: string): Promise<number | undefined> {
  const landed = await chain().getTransaction(transactionHash, {
    commitment: "confirmed",
    maxSupportedTransactionVersion: 1,
  });
  if (!landed) return undefined;
  return TransactionMessage.decompile(landed.transaction.message).instructions.filter(
    ({ programId }) => programId.toBase58() === LIGHTHOUSE_PROGRAM,
  ).length;
}

describe("a claim to which the wallet added assertions", () => {
  test("lands as it was signed, pays, and gets the first answer whenever it is sent again", async () => {
    const { transaction } = await agent.prepareClaim(mint);
    const signed = signGuarded(bytes(transaction), agent.keypair);
    const { status, body } = await submit(signed);
    expect(status).toBe(200);
    const { transactionHash, claimedSOL } = expectShape(ClaimReceiptSchema, body);
    expect(transactionHash).toBe(bs58.encode(signed.subarray(1, 65)));
    expect(claimedSOL).toBe(0.01);
    expect(await assertionsOf(transactionHash)).toBe(3);
    const page = await agent.get("/api/v1/tokens/claims/history");
    const { claims } = expectShape(ClaimHistorySchema, page.body);
    expect(claims).toMatchObject([{ tokenMint: mint, transactionHash, claimedSOL }]);
    // The same bytes, and the same claim signed without assertions.
    expect(await submit(signed)).toMatchObject({ status: 200, body });
    const plain = await agent.submitClaim(mint, agent.signClaim(transaction));
    expect(plain).toMatchObject({ status: 200, body });
  });

  test("may be of version 1", async () => {
    const { transaction } = await agent.prepareClaim(mint, { transactionVersion: 1 });
    const { config } = readMessage(splitTransaction(bytes(transaction)).message);
    const { instructions, parts } = openClaim(bytes(transaction));
    const guards = withGuards(instructions, agent.keypair.publicKey);
    const compiled = { payer: parts.payerKey, blockhash: parts.recentBlockhash };
    const unsigned = unsignedTransaction(compileAs(config, compiled, guards));
    const { status, body } = await submit(signWithKeys(unsigned, [agent.keypair]));
    expect({ status, body }).toMatchObject({ status: 200, body: { claimedSOL: 0.01 } });
    const { transactionHash } = expectShape(ClaimReceiptSchema, body);
    expect(await assertionsOf(transactionHash)).toBe(3);
    // A change to what the claim itself asks for is another transaction.
    const dearer = compileAs({ ...NO_CONFIG, ...config, priorityFee: 9n }, compiled, guards);
    const forged = await submit(signWithKeys(unsignedTransaction(dearer), [agent.keypair]));
    expect(forged.body).toMatchObject({ code: "claim_mismatch" });
  });
});

test("a sponsor signs no claim with assertions, and the refusal says what to do", async () => {
  agent = await Agent.signedIn(server);
  mint = (await agent.launched(`GU${tickers++}`)).tokenMint ?? "";
  await earn();
  const prepared = await agent.prepareClaim(mint);
  expect(prepared.sponsored).toBe(true);
  const unsigned = bytes(prepared.transaction);
  expect(await submit(signGuarded(unsigned, agent.keypair))).toMatchObject({
    status: 400,
    body: {
      error: errorCodes.claim_mismatch.text,
      message: expect.stringContaining("without the assertions"),
    },
  });
  const plain = await agent.submitClaim(mint, agent.signBeside(prepared.transaction));
  expect(plain.body).toMatchObject({ claimedSOL: 0.01 });
});
