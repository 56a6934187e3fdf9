import { expect, test } from "bun:test";
import { PublicKey } from "@solana/web3.js";
import { openTestChain, SOL, transfer } from "../testing/local-chain.ts";

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
