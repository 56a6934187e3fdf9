import { describe, expect, test } from "bun:test";
import { createTransferCheckedInstruction } from "@solana/spl-token";
import { PublicKey, TransactionMessage, VersionedTransaction } from "@solana/web3.js";
import bs58 from "bs58";
import { openTestChain, SOL, signed, transfer } from "../testing/local-chain.ts";
import { createTable, tableTransfer } from "../testing/lookup-tables.ts";
import { createMemoInstruction } from "../testing/memo.ts";
import { createToken } from "../testing/tokens.ts";
import { REQUESTS, versionOneTransfer } from "../testing/version-1.ts";

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
const BASE64 = { encoding: "base64", commitment: "confirmed", preflightCommitment: "confirmed" };

describe("getTransaction", () => {
  test("returns a token transfer with all its effects", async () => {
    const test = openTestChain();
    const { chain, connection } = test;
    const owner = test.wallet();
    const { mint, signature } = createToken(test, owner, 1_000_000n);
    const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 1 });
    const keys = found?.transaction.message.getAccountKeys();
    expect(found).toMatchObject({ slot: chain.slot(), blockTime: chain.timeOf(chain.slot()) });
    expect(found?.meta).toMatchObject({ err: null, fee: 10_000, preTokenBalances: [] });
    const [balance] = found?.meta?.postTokenBalances ?? [];
    expect(balance).toMatchObject({
      mint: mint.toBase58(),
      owner: owner.publicKey.toBase58(),
      programId: "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
      uiTokenAmount: { amount: "1000000", decimals: 6, uiAmount: 1, uiAmountString: "1" },
    });
    expect(keys?.get(0)).toEqual(owner.publicKey);
    const [pre, post] = [found?.meta?.preBalances ?? [], found?.meta?.postBalances ?? []];
    expect(pre).toHaveLength(keys?.length ?? 0);
    const lost = pre.reduce((sum, balance, index) => sum + balance - (post[index] ?? 0), 0);
    expect(lost).toBe(10_000);
    // The associated token account program calls the token and the system program.
    const inner = found?.meta?.innerInstructions ?? [];
    expect(inner.map(({ index }) => index)).toEqual([2]);
    expect(inner[0]?.instructions.length).toBeGreaterThan(2);
    expect(found?.meta?.logMessages?.[0]).toContain("invoke [1]");
  });

  test("returns the balances of all token accounts, also of unchanged ones", async () => {
    const test = openTestChain();
    const { chain, connection } = test;
    const [one, other] = [test.wallet(), test.wallet()];
    const token = createToken(test, one, 100n);
    const received = createToken(test, other, 7n);
    const instruction = createTransferCheckedInstruction(
      token.account,
      token.mint,
      token.account,
      one.publicKey,
      5n,
      6,
    );
    instruction.keys.push({ pubkey: received.account, isSigner: false, isWritable: false });
    const bytes = signed(chain.latestBlockhash().blockhash, [one], instruction);
    const found = await connection.getTransaction(chain.sendTransaction(bytes), {
      maxSupportedTransactionVersion: 1,
    });
    const amounts = (found?.meta?.postTokenBalances ?? []).map(
      ({ uiTokenAmount }) => uiTokenAmount.amount,
    );
    expect(amounts.toSorted()).toEqual(["100", "7"]);
    expect(found?.meta?.preTokenBalances).toEqual(found?.meta?.postTokenBalances as never);
  });

  test("shows that a failed transaction paid only its fee", async () => {
    const { chain, connection, wallet } = openTestChain();
    const from = wallet(SOL);
    const bytes = transfer(chain, from, 2n * SOL);
    const signature = await connection.sendRawTransaction(bytes, { skipPreflight: true });
    const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 1 });
    expect(found?.meta).toMatchObject({
      err: { InstructionError: [0, { Custom: 1 }] },
      fee: 5_000,
      preBalances: [Number(SOL), 0, 1],
      postBalances: [Number(SOL) - 5_000, 0, 1],
      computeUnitsConsumed: 150,
    });
  });

  test("follows commitments and encodings", async () => {
    const { chain, clock, rpc, wallet } = openTestChain();
    const bytes = transfer(chain, wallet(), SOL);
    const signature = chain.sendTransaction(bytes);
    expect((await rpc("getTransaction", signature)).result).toBeNull();
    const processed = { commitment: "processed" };
    expect((await rpc("getTransaction", signature, processed)).error?.code).toBe(-32602);
    clock.advanceSlots(32);
    const { result } = await rpc("getTransaction", signature, { encoding: "base64" });
    expect(result.transaction).toEqual([base64(bytes), "base64"]);
    const none = bs58.encode(new Uint8Array(64).fill(1));
    expect((await rpc("getTransaction", none)).result).toBeNull();
    expect((await rpc("getTransaction", "abc")).error?.message).toBe("Invalid param: WrongSize");
  });
});

describe("v0 transactions", () => {
  test("load accounts from a lookup table made on chain", async () => {
    const test = openTestChain();
    const { chain, clock, connection } = test;
    const payer = test.wallet();
    const to = PublicKey.unique();
    const table = await createTable(test, payer, [PublicKey.unique(), to]);
    clock.advanceSlots(1);
    const bytes = await tableTransfer(connection, payer, table, to);
    const signature = await connection.sendRawTransaction(bytes);
    expect(chain.getBalance(to)).toBe(SOL);
    const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 1 });
    expect(found?.version).toBe(0);
    expect(found?.meta?.loadedAddresses).toEqual({ writable: [to], readonly: [] });
    expect(found?.meta?.postBalances).toContain(Number(SOL));
    const block = await test.rpc("getBlock", found?.slot ?? 0, {
      commitment: "confirmed",
      maxSupportedTransactionVersion: 1,
      transactionDetails: "accounts",
    });
    expect(block.result.transactions.at(-1).transaction.accountKeys.at(-1)).toMatchObject({
      pubkey: to.toBase58(),
      writable: true,
      source: "lookupTable",
    });
    const [latest] = await connection.getSignaturesForAddress(to);
    expect(latest?.signature).toBe(signature);
  });

  test("cannot load an address in the slot in which it was added", async () => {
    const test = openTestChain();
    const payer = test.wallet();
    const to = PublicKey.unique();
    const table = await createTable(test, payer, [to]);
    const bytes = await tableTransfer(test.connection, payer, table, to);
    const { error } = await test.rpc("sendTransaction", base64(bytes), BASE64);
    expect(error).toEqual({
      code: -32602,
      message: "invalid transaction: Transaction address table lookup uses an invalid index",
    });
  });

  test("are refused to clients that do not support them", async () => {
    const { chain, rpc, wallet } = openTestChain();
    const payer = wallet();
    const message = new TransactionMessage({
      payerKey: payer.publicKey,
      recentBlockhash: chain.latestBlockhash().blockhash,
      instructions: [createMemoInstruction("v0")],
    }).compileToV0Message();
    const transaction = new VersionedTransaction(message);
    transaction.sign([payer]);
    const signature = chain.sendTransaction(transaction.serialize());
    const confirmed = { commitment: "confirmed" };
    expect((await rpc("getTransaction", signature, confirmed)).error?.code).toBe(-32015);
  });
});

describe("version 1 transactions", () => {
  test("pay the fee of their config, and are returned with it", async () => {
    const { chain, connection, rpc, wallet } = openTestChain();
    const payer = wallet(SOL);
    const to = PublicKey.unique();
    const lamports = 10_000_000;
    const bytes = await versionOneTransfer(payer, chain.latestBlockhash().blockhash, {
      to,
      lamports,
      padding: 3_000,
    });
    const { result: signature } = await rpc("sendTransaction", base64(bytes), BASE64);
    const fee = 5_000n + REQUESTS.priorityFeeLamports;
    expect(chain.getBalance(to)).toBe(BigInt(lamports));
    expect(chain.getBalance(payer.publicKey)).toBe(SOL - BigInt(lamports) - fee);
    const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 1 });
    expect(found).toMatchObject({ version: 1, meta: { err: null, fee: Number(fee) } });
    expect(found?.transaction.message).toMatchObject({
      transactionConfig: {
        priorityFee: Number(REQUESTS.priorityFeeLamports),
        computeUnitLimit: REQUESTS.computeUnitLimit,
        loadedAccountsDataSizeLimit: REQUESTS.loadedAccountsDataSizeLimit,
        heapSize: null,
      },
    });
    const old = { commitment: "confirmed", maxSupportedTransactionVersion: 0 };
    expect((await rpc("getTransaction", signature, old)).error?.code).toBe(-32015);
  });

  test("are refused if a byte was changed after they were signed", async () => {
    const { chain, rpc, wallet } = openTestChain();
    const payer = wallet();
    const bytes = await versionOneTransfer(payer, chain.latestBlockhash().blockhash);
    const changed = bytes.with(bytes.length - 1, (bytes.at(-1) ?? 0) ^ 1);
    const { error } = await rpc("sendTransaction", base64(changed), BASE64);
    expect(error?.message).toContain("did not pass signature verification");
  });
});
