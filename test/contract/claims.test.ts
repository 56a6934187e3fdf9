import { Database } from "bun:sqlite";
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import {
  createKeyPairFromBytes,
  getBase64EncodedWireTransaction,
  getTransactionDecoder,
  partiallySignTransaction,
} from "@solana/kit";
import { NATIVE_MINT } from "@solana/spl-token";
import { Connection, PublicKey, SystemProgram, TransactionMessage } from "@solana/web3.js";
import {
  ClaimHistorySchema,
  ClaimReceiptSchema,
  PreparedClaimSchema,
} from "@tokenctl/shared/contract/claim";
import { HandOverReceiptSchema, PreparedHandOverSchema } from "@tokenctl/shared/contract/hand-over";
import { PreparedLaunchSchema } from "@tokenctl/shared/contract/launch";
import { TokenSchema } from "@tokenctl/shared/contract/token";
import { errorCodes } from "@tokenctl/shared/error-codes";
import { LIGHTHOUSE_PROGRAM } from "@tokenctl/shared/lighthouse";
import { readMessage, splitTransaction } from "@tokenctl/shared/wire-transaction";
import bs58 from "bs58";
import { systemClock } from "../../server/src/base/clock.ts";
import { generateKeypair } from "../../server/src/base/native-keys.ts";
import { dataFiles } from "../../server/src/config/config.ts";
import { LocalChain } from "../../server/src/localnet/chain.ts";
import { Agent, expectShape } from "../support/agent.ts";
import { signGuarded } from "../support/assertions.ts";
import { tempDir } from "../support/processes.ts";
import { startTestServer } from "../support/test-server.ts";

const MEMO = new PublicKey("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr");
const [programAddress] = PublicKey.findProgramAddressSync([], SystemProgram.programId);
const NO_KEY = programAddress.toBase58();

let agent: Agent;
let mint: string;
let tickers = 0;
const folder = tempDir();
deployStandIn();
const server = await startTestServer(
  { DATA_DIR: folder.path, LAUNCH_PAYER: "either" },
  { isNewDatabase: true },
);
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});
beforeEach(async () => {
  await launchWithFees();
  expect((await agent.post("/dev/airdrop", { sol: 1 })).status).toBe(200);
});

/** Launches a token, which earns 0.01 SOL, for a new agent without SOL. */
async function launchWithFees(): Promise<void> {
  agent = await Agent.signedIn(server);
  mint = (await agent.launched(`CLAIM${tickers++}`)).tokenMint ?? "";
  await trade();
}

/** Lets the sandbox's trader buy, so that there are fees. */
async function trade(sol = 1): Promise<void> {
  const { status } = await agent.post("/dev/trade", { tokenMint: mint, side: "buy", sol });
  expect(status).toBe(200);
}

/**
 * Puts the memo program at Lighthouse's address on the sandbox's chain: as Lighthouse, it changes
 * nothing, and fails or not. It fails if it is given an account that does not sign.
 */
function deployStandIn(): void {
  const ledgerPath = dataFiles(folder.path).localLedger;
  const chain = LocalChain.open({ ledgerPath, clock: systemClock });
  const memo = chain.getAccount(MEMO);
  chain.close();
  if (!memo) throw new Error("the chain has no memo program");
  using ledger = new Database(ledgerPath);
  ledger.run(
    "insert into accounts (address, owner, lamports, executable, data) values (?, ?, 1, 1, ?)",
    [new PublicKey(LIGHTHOUSE_PROGRAM).toBytes(), memo.owner, memo.data],
  );
}

const bytes = (base64: string) => Uint8Array.from(Buffer.from(base64, "base64"));
const submit = (signed: Uint8Array) =>
  agent.submitClaim(mint, Buffer.from(signed).toString("base64"));

test("a claim pays what the vaults held to the agent, and gets the first answer whenever it is sent again", async () => {
  const before = await agent.fees(mint);
  await trade(2);
  const fees = await agent.fees(mint);
  expect(fees.dbcTotalFees).toBeCloseTo(before.dbcTotalFees + 0.02, 9);
  const { transaction } = await agent.prepareClaim(mint);
  const first = await agent.submitClaim(mint, agent.signClaim(transaction));
  expect(first.status).toBe(200);
  expect(first.body).toMatchObject({ success: true, claimedSOL: fees.dbcClaimableFees });
  expect(await agent.fees(mint)).toMatchObject({
    dbcClaimableFees: 0,
    dbcClaimedFees: fees.dbcTotalFees,
  });
  const again = await agent.submitClaim(mint, agent.signClaim(transaction));
  expect(again).toMatchObject({ status: 200, body: first.body });
  const { body } = await agent.get(`/api/v1/tokens/${mint}`);
  expect(expectShape(TokenSchema, body)).toMatchObject({
    isClaimed: true,
    claimedToAddress: agent.wallet,
  });
});

describe("a claim to which the wallet added assertions", () => {
  test("lands as it was signed, pays, and gets the first answer, signed without them too", async () => {
    const { transaction } = await agent.prepareClaim(mint);
    const signed = signGuarded(bytes(transaction), agent.keypair);
    const { status, body } = await submit(signed);
    expect(status).toBe(200);
    const { transactionHash, claimedSOL } = expectShape(ClaimReceiptSchema, body);
    expect(transactionHash).toBe(bs58.encode(signed.subarray(1, 65)));
    expect(claimedSOL).toBe(0.01);
    const landed = await new Connection(`${server.url}/dev/rpc`, "confirmed").getTransaction(
      transactionHash,
      { commitment: "confirmed", maxSupportedTransactionVersion: 1 },
    );
    const { instructions } = TransactionMessage.decompile(landed?.transaction.message as never);
    const assertions = instructions.filter(
      ({ programId }) => programId.toBase58() === LIGHTHOUSE_PROGRAM,
    );
    expect(assertions).toHaveLength(3);
    const page = await agent.get("/api/v1/tokens/claims/history");
    const { claims } = expectShape(ClaimHistorySchema, page.body);
    expect(claims).toMatchObject([{ tokenMint: mint, transactionHash, claimedSOL }]);
    const plain = await agent.submitClaim(mint, agent.signClaim(transaction));
    expect(plain).toMatchObject({ status: 200, body });
  });

  test("is not signed by a sponsor, and the refusal says what to do", async () => {
    await launchWithFees();
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
});

test("step 2 of a claim may repeat its receivers, and name no others", async () => {
  const receivers = [{ address: generateKeypair().publicKey.toBase58(), share: 100 }];
  const claim = (json: object) => agent.post(`/api/v1/tokens/claims/${mint}`, json);
  const own = agent.signClaim((await agent.prepareClaim(mint)).transaction);
  const refused = { status: 400, body: { code: "claim_mismatch" } };
  expect(await claim({ signedTransaction: own, receivers })).toMatchObject(refused);
  const { transaction } = expectShape(PreparedClaimSchema, (await claim({ receivers })).body);
  const signedTransaction = agent.signClaim(transaction);
  expect((await claim({ signedTransaction, receivers })).status).toBe(200);
});

test("each field of a claim's request that is wrong is named", async () => {
  const someone = generateKeypair().publicKey.toBase58();
  const to = (address: string, share = 100) => ({ address, share });
  for (const [field, body, message] of [
    ["receivers/1/address", { receivers: [to(someone, 50), to(someone, 50)] }, "is named twice"],
    ["receivers", { receivers: [to(someone, 99)] }, "add up to 100"],
    ["receivers/0/share", { receivers: [to(someone, 0)] }, "whole percentage"],
    ["receivers/0/share", { receivers: [to(someone, 33.5)] }, "whole percentage"],
    ["receivers/0/share", { receivers: [to(someone, 101)] }, "whole percentage"],
    ["receivers/0/address", { receivers: [to("not an address")] }, "the address of a wallet"],
    ["receivers/0/address", { receivers: [to(NATIVE_MINT.toBase58())] }, "the address of a wallet"],
    ["receivers/0/address", { receivers: [to(NO_KEY)] }, "the address of a wallet"],
    ["receivers", { receivers: [] }, "must be 1 to 5 receivers"],
    ["receivers", { receivers: Array(6).fill(to(someone, 10)) }, "must be 1 to 5 receivers"],
    ["receivers/0/name", { receivers: [{ ...to(someone), name: "me" }] }, "is not a known field"],
    ["transactionVersion", { transactionVersion: 0 }, 'must be "legacy" or 1'],
  ] as const) {
    const answer = await agent.post(`/api/v1/tokens/claims/${mint}`, body);
    const details: unknown = expect.arrayContaining([
      { field, message: expect.stringContaining(message) },
    ]);
    expect(answer).toMatchObject({ status: 400, body: { code: "validation_failed", details } });
  }
});

/** Signs with kit, which makes transactions of version 1 itself. */
async function signedByKit(transaction: string) {
  expect(readMessage(splitTransaction(bytes(transaction)).message).version).toBe(1);
  const read = getTransactionDecoder().decode(bytes(transaction));
  const keys = [await createKeyPairFromBytes(agent.keypair.secretKey)];
  const signedTransaction = getBase64EncodedWireTransaction(
    await partiallySignTransaction(keys, read),
  );
  return { signedTransaction };
}

test("an agent may launch, claim and hand over by transactions of version 1", async () => {
  const asked = { transactionVersion: 1 } as const;
  // An agent launches once a day.
  server.clock.advance(24 * 3_600_000);
  await agent.signIn();
  const eventId = await agent.accepted("VONE", { payer: "agent" });
  const launch = (json: object) => agent.post(`/api/v1/tokens/launch/${eventId}/transaction`, json);
  const launching = expectShape(PreparedLaunchSchema, (await launch(asked)).body);
  expect((await launch(await signedByKit(launching.transaction))).status).toBe(200);
  expect((await agent.untilEnded(eventId)).status).toBe("success");

  const claim = (json: object) => agent.post(`/api/v1/tokens/claims/${mint}`, json);
  const claiming = expectShape(PreparedClaimSchema, (await claim(asked)).body);
  const paid = await claim(await signedByKit(claiming.transaction));
  expect(expectShape(ClaimReceiptSchema, paid.body).claimedSOL).toBe(0.01);

  const to = generateKeypair().publicKey.toBase58();
  const handOver = (json: object) => agent.post(`/api/v1/tokens/hand-overs/${mint}`, json);
  const handing = expectShape(PreparedHandOverSchema, (await handOver({ to, ...asked })).body);
  const signedHandOver = await signedByKit(handing.transaction);
  const another = { to: generateKeypair().publicKey.toBase58() };
  const refused = { status: 400, body: { code: "hand_over_mismatch" } };
  expect(await handOver({ ...signedHandOver, ...another })).toMatchObject(refused);
  const handed = await handOver({ ...signedHandOver, to });
  expect(expectShape(HandOverReceiptSchema, handed.body).to).toBe(to);
});
