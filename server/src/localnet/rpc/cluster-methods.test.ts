import { describe, expect, test } from "bun:test";
import { PublicKey, Transaction, TransactionMessage } from "@solana/web3.js";
import { openTestChain, SOL, transfer } from "../testing/local-chain.ts";

describe("the RPC about time", () => {
  test("reports slot, height, block time and epoch to web3.js", async () => {
    const { chain, clock, connection } = openTestChain();
    clock.advanceSlots(99);
    expect(await connection.getSlot()).toBe(1_100);
    expect(await connection.getBlockHeight()).toBe(100);
    expect(await connection.getBlockTime(1_100)).toBe(chain.timeOf(1_100));
    expect(await connection.getEpochInfo()).toMatchObject({
      absoluteSlot: 1_100,
      blockHeight: 100,
      epoch: 0,
      slotIndex: 1_100,
    });
  });

  test("reports finalized slots, 32 behind, unless another commitment is given", async () => {
    const { clock, rpc } = openTestChain();
    clock.advanceSlots(99);
    expect((await rpc("getSlot", { commitment: "confirmed" })).result).toBe(1_100);
    expect((await rpc("getSlot")).result).toBe(1_068);
    expect((await rpc("getBlockHeight", { commitment: "finalized" })).result).toBe(68);
    const latest = (await rpc("getLatestBlockhash")).result;
    expect(latest.context.slot).toBe(1_068);
    expect(latest.value.lastValidBlockHeight).toBe(68 + 150);
  });

  test("has no time for a slot before the first or after the latest", async () => {
    const { rpc } = openTestChain();
    expect((await rpc("getBlockTime", 5)).error?.code).toBe(-32004);
    expect((await rpc("getBlockTime", 9_999)).error?.code).toBe(-32004);
  });

  test("refuses a minContextSlot ahead of the chain", async () => {
    const { rpc } = openTestChain();
    const config = { commitment: "confirmed", minContextSlot: 2_000 };
    expect((await rpc("getSlot", config)).error).toEqual({
      code: -32016,
      message: "Minimum context slot has not been reached",
      data: { contextSlot: 1_001 },
    });
  });

  test("distinguishes valid and expired blockhashes", async () => {
    const { chain, clock, connection } = openTestChain();
    const { blockhash } = await connection.getLatestBlockhash();
    expect((await connection.isBlockhashValid(blockhash)).value).toBe(true);
    clock.advanceSlots(151);
    expect((await connection.isBlockhashValid(blockhash)).value).toBe(false);
    expect(chain.isBlockhashValid("not a hash")).toBe(false);
  });
});

describe("the RPC about fees and versions", () => {
  test("returns the fee of a legacy and of a v0 message", async () => {
    const { chain, connection, wallet } = openTestChain();
    const transaction = Transaction.from(transfer(chain, wallet(), SOL));
    const legacy = await connection.getFeeForMessage(transaction.compileMessage());
    expect(legacy.value).toBe(5_000);
    const v0 = new TransactionMessage({
      payerKey: transaction.feePayer ?? PublicKey.default,
      recentBlockhash: chain.latestBlockhash().blockhash,
      instructions: transaction.instructions,
    }).compileToV0Message();
    expect((await connection.getFeeForMessage(v0)).value).toBe(5_000);
  });

  test("returns prioritization fees, rent, versions and the genesis hash", async () => {
    const { chain, connection, rpc } = openTestChain();
    const fees = await connection.getRecentPrioritizationFees();
    expect(fees).toEqual([{ slot: chain.slot(), prioritizationFee: 0 }]);
    expect(await connection.getMinimumBalanceForRentExemption(165)).toBe(2_039_280);
    expect(await connection.getGenesisHash()).toBe(chain.genesisHash());
    expect(await connection.getVersion()).toHaveProperty("solana-core");
    expect((await rpc("getHealth")).result).toBe("ok");
  });
});

test("a block holds the transactions of its slot, in the detail that is asked for", async () => {
  const { chain, clock, connection, rpc, wallet } = openTestChain();
  const from = wallet();
  clock.advanceSlots(3);
  const to = PublicKey.unique();
  const signatures = [1n, 2n].map((amount) =>
    chain.sendTransaction(transfer(chain, from, amount * SOL, to)),
  );
  const slot = chain.slot();
  clock.advanceSlots(2);
  expect(await connection.getBlocks(slot - 1, slot + 9, "confirmed")).toEqual([
    slot - 1,
    slot,
    slot + 1,
    slot + 2,
  ]);
  const read = { commitment: "confirmed", maxSupportedTransactionVersion: 0 } as const;
  const full = await connection.getBlock(slot, read);
  expect(full).toMatchObject({
    parentSlot: slot - 1,
    blockhash: chain.latestBlockhash(slot).blockhash,
  });
  expect(full?.transactions.map(({ transaction }) => transaction.signatures[0])).toEqual(
    signatures,
  );
  const accounts = await rpc("getBlock", slot, { ...read, transactionDetails: "accounts" });
  expect(accounts.result.transactions[1].transaction.accountKeys).toContainEqual({
    pubkey: to.toBase58(),
    signer: false,
    writable: true,
    source: "transaction",
  });
  expect((await connection.getBlockSignatures(slot, "confirmed")).signatures).toEqual(signatures);
  const empty = await connection.getBlock(slot + 1, { ...read, transactionDetails: "accounts" });
  expect(empty?.transactions).toEqual([]);
});

test("a block that is not there yet, and a commitment below confirmed, are refused", async () => {
  const { chain, rpc } = openTestChain();
  const ahead = await rpc("getBlock", chain.slot() + 5, { commitment: "confirmed" });
  expect(ahead.error?.code).toBe(-32004);
  const processed = await rpc("getBlock", chain.slot(), { commitment: "processed" });
  expect(processed.error?.message).toContain("below `confirmed`");
});
