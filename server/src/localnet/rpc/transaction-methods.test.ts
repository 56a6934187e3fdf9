import { describe, expect, test } from "bun:test";
import { createTransferCheckedInstruction } from "@solana/spl-token";
import {
  AddressLookupTableProgram,
  type Connection,
  type Keypair,
  PublicKey,
  SystemProgram,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import bs58 from "bs58";
import { openTestChain, SOL, signed, type TestChain, transfer } from "../testing/local-chain.ts";
import { createMemoInstruction } from "../testing/memo.ts";
import { createToken } from "../testing/tokens.ts";

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
const BASE64 = { encoding: "base64" };

describe("sendTransaction", () => {
  test("default: base64 and base58", async () => {
    const { chain, rpc, wallet } = openTestChain();
    const from = wallet();
    const one = await rpc("sendTransaction", base64(transfer(chain, from, SOL)), BASE64);
    const two = await rpc("sendTransaction", bs58.encode(transfer(chain, from, 2n * SOL)));
    for (const { result } of [one, two]) {
      expect(chain.signatureStatus(result)?.error).toBeNull();
    }
  });

  test("behavior: a failing preflight says what and why", async () => {
    const { chain, rpc, wallet } = openTestChain();
    const bytes = transfer(chain, wallet(SOL), 2n * SOL);
    const { error } = await rpc("sendTransaction", base64(bytes), BASE64);
    expect(error?.code).toBe(-32002);
    expect(error?.message).toBe(
      "Transaction simulation failed: Error processing Instruction 0: custom program error: 0x1",
    );
    expect(error?.data).toMatchObject({
      err: { InstructionError: [0, { Custom: 1 }] },
      accounts: null,
      returnData: null,
      unitsConsumed: 150,
    });
    expect(error?.data.logs).toContain(
      "Program 11111111111111111111111111111111 failed: custom program error: 0x1",
    );
  });

  test("behavior: processed already, expired, not signed", async () => {
    const { chain, clock, rpc, wallet } = openTestChain();
    const bytes = transfer(chain, wallet(), SOL);
    const send = (sent: Uint8Array) => rpc("sendTransaction", base64(sent), BASE64);
    await send(bytes);
    expect((await send(bytes)).error).toMatchObject({
      code: -32002,
      message: "Transaction simulation failed: This transaction has already been processed",
      data: { err: "AlreadyProcessed", logs: [] },
    });
    clock.advanceSlots(151);
    expect((await send(bytes)).error).toMatchObject({
      code: -32002,
      message: "Transaction simulation failed: Blockhash not found",
      data: { err: "BlockhashNotFound", logs: [] },
    });
    const unsigned = Uint8Array.from(bytes).fill(0, 1, 65);
    expect((await send(unsigned)).error).toEqual({
      code: -32003,
      message: "Transaction signature verification failure",
    });
  });

  test("behavior: what is no transaction", async () => {
    const { rpc } = openTestChain();
    const code = async (...params: unknown[]) => (await rpc("sendTransaction", ...params)).error;
    expect((await code("!", BASE64))?.code).toBe(-32602);
    expect((await code("0", {}))?.code).toBe(-32602);
    expect((await code(base64(new Uint8Array(40)), BASE64))?.message).toStartWith(
      "failed to deserialize",
    );
    expect((await code(base64(new Uint8Array(1_233)), BASE64))?.message).toContain("too large");
    expect((await code(base64(new Uint8Array(9_999)), BASE64))?.message).toContain("too large");
    expect((await code("", { encoding: "hex" }))?.message).toContain("unsupported encoding");
  });
});

describe("simulateTransaction", () => {
  test("default: units, logs and accounts as they would be", async () => {
    const { chain, connection, wallet } = openTestChain();
    const from = wallet();
    const to = PublicKey.unique();
    const { value } = await connection.simulateTransaction(
      VersionedTransaction.deserialize(transfer(chain, from, SOL, to)),
      { accounts: { encoding: "base64", addresses: [to.toBase58()] } },
    );
    expect(value).toMatchObject({ err: null, unitsConsumed: 150 });
    expect(value.accounts?.[0]?.lamports).toBe(Number(SOL));
    expect(chain.getBalance(to)).toBe(0n);
  });

  test("behavior: unsigned and with an old blockhash, if it is told to", async () => {
    const { chain, clock, rpc, wallet } = openTestChain();
    const unsigned = Uint8Array.from(transfer(chain, wallet(), SOL)).fill(0, 1, 65);
    clock.advanceSlots(200);
    const call = async (config: object) =>
      rpc("simulateTransaction", base64(unsigned), { ...BASE64, ...config });
    expect((await call({})).result.value.err).toBe("BlockhashNotFound");
    const { value } = (await call({ replaceRecentBlockhash: true })).result;
    expect(value.err).toBeNull();
    expect(value.replacementBlockhash).toEqual(chain.latestBlockhash());
    expect((await call({ sigVerify: true, replaceRecentBlockhash: true })).error?.code).toBe(
      -32602,
    );
  });
});

describe("signatures", () => {
  test("default: statuses, from confirmed to finalized", async () => {
    const { chain, clock, connection, wallet } = openTestChain();
    const signature = chain.sendTransaction(transfer(chain, wallet(), SOL));
    const { slot } = chain.signatureStatus(signature) ?? {};
    clock.advanceSlots(5);
    expect(
      (await connection.getSignatureStatuses([signature, bs58.encode(new Uint8Array(64))])).value,
    ).toEqual([
      { slot, confirmations: 5, err: null, status: { Ok: null }, confirmationStatus: "confirmed" },
      null,
    ] as never);
    clock.advanceSlots(27);
    const { value } = await connection.getSignatureStatus(signature);
    expect(value).toMatchObject({ confirmations: null, confirmationStatus: "finalized" });
  });

  test("behavior: an old one is found only by searching", async () => {
    const { chain, clock, connection, wallet } = openTestChain();
    const signature = chain.sendTransaction(transfer(chain, wallet(), SOL));
    clock.advanceSlots(301);
    expect((await connection.getSignatureStatus(signature)).value).toBeNull();
    const searched = { searchTransactionHistory: true };
    expect((await connection.getSignatureStatus(signature, searched)).value?.err).toBeNull();
  });

  test("behavior: at most 256 at once", async () => {
    const { rpc } = openTestChain();
    const signatures = Array.from({ length: 257 }, () => bs58.encode(new Uint8Array(64)));
    expect((await rpc("getSignatureStatuses", signatures)).error).toEqual({
      code: -32602,
      message: "Too many inputs provided; max 256",
    });
  });

  test("default: an address's history, newest first, paged", async () => {
    const { chain, connection, wallet } = openTestChain();
    const from = wallet();
    const to = PublicKey.unique();
    const sent = [1n, 2n, 3n].map((amount) =>
      chain.sendTransaction(transfer(chain, from, amount * SOL, to)),
    );
    const history = async (options: object) =>
      (await connection.getSignaturesForAddress(to, options)).map(({ signature }) => signature);
    expect(await history({})).toEqual(sent.toReversed());
    expect(await history({ limit: 2 })).toEqual([sent[2], sent[1]] as string[]);
    expect(await history({ before: sent[2] })).toEqual([sent[1], sent[0]] as string[]);
    expect(await history({ until: sent[0] })).toEqual([sent[2], sent[1]] as string[]);
  });
});

describe("getTransaction", () => {
  test("default: a token transfer, whole", async () => {
    const test = openTestChain();
    const { chain, connection } = test;
    const owner = test.wallet();
    const { mint, signature } = createToken(test, owner, 1_000_000n);
    const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
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

  test("default: balances of all token accounts before and after, changed or not", async () => {
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
      maxSupportedTransactionVersion: 0,
    });
    const amounts = (found?.meta?.postTokenBalances ?? []).map(
      ({ uiTokenAmount }) => uiTokenAmount.amount,
    );
    expect(amounts.toSorted()).toEqual(["100", "7"]);
    expect(found?.meta?.preTokenBalances).toEqual(found?.meta?.postTokenBalances as never);
  });

  test("behavior: a failed one took its fee and nothing else", async () => {
    const { chain, connection, wallet } = openTestChain();
    const from = wallet(SOL);
    const bytes = transfer(chain, from, 2n * SOL);
    const signature = await connection.sendRawTransaction(bytes, { skipPreflight: true });
    const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    expect(found?.meta).toMatchObject({
      err: { InstructionError: [0, { Custom: 1 }] },
      fee: 5_000,
      preBalances: [Number(SOL), 0, 1],
      postBalances: [Number(SOL) - 5_000, 0, 1],
      computeUnitsConsumed: 150,
    });
  });

  test("behavior: commitments and encodings", async () => {
    const { chain, clock, connection, rpc, wallet } = openTestChain();
    const from = wallet();
    const bytes = transfer(chain, from, SOL);
    const signature = chain.sendTransaction(bytes);
    expect((await rpc("getTransaction", signature)).result).toBeNull();
    const processed = { commitment: "processed" };
    expect((await rpc("getTransaction", signature, processed)).error?.code).toBe(-32602);
    clock.advanceSlots(32);
    expect((await rpc("getTransaction", signature, "base64")).result.transaction).toEqual([
      base64(bytes),
      "base64",
    ]);
    const parsed = await connection.getParsedTransaction(signature);
    expect(parsed?.transaction.message.accountKeys[0]).toMatchObject({
      pubkey: from.publicKey,
      signer: true,
      writable: true,
    });
    const none = bs58.encode(new Uint8Array(64).fill(1));
    expect((await rpc("getTransaction", none)).result).toBeNull();
    expect((await rpc("getTransaction", "abc")).error?.message).toBe("Invalid param: WrongSize");
  });
});

describe("v0 transactions", () => {
  test("default: load accounts from a lookup table made on chain", async () => {
    const test = openTestChain();
    const { chain, clock, connection } = test;
    const payer = test.wallet();
    const to = PublicKey.unique();
    const table = await createTable(test, payer, [PublicKey.unique(), to]);
    clock.advanceSlots(1);
    const bytes = await tableTransfer(connection, payer, table, to);
    const signature = await connection.sendRawTransaction(bytes);
    expect(chain.getBalance(to)).toBe(SOL);
    const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    expect(found?.version).toBe(0);
    expect(found?.meta?.loadedAddresses).toEqual({ writable: [to], readonly: [] });
    expect(found?.meta?.postBalances).toContain(Number(SOL));
    const parsed = await connection.getParsedTransaction(signature, {
      maxSupportedTransactionVersion: 0,
    });
    expect(parsed?.transaction.message.accountKeys.at(-1)).toMatchObject({
      pubkey: to,
      writable: true,
      source: "lookupTable",
    });
    const [latest] = await connection.getSignaturesForAddress(to);
    expect(latest?.signature).toBe(signature);
  });

  test("behavior: an address is not to be had in the slot in which it was added", async () => {
    const test = openTestChain();
    const payer = test.wallet();
    const to = PublicKey.unique();
    const table = await createTable(test, payer, [to]);
    const bytes = await tableTransfer(test.connection, payer, table, to);
    const { error } = await test.rpc("sendTransaction", base64(bytes), BASE64);
    expect(error?.data.err).toBe("InvalidAddressLookupTableIndex");
  });

  test("behavior: are not given to who does not know them", async () => {
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

/** Makes a lookup table with the lookup table program, one slot after the slot it names. */
async function createTable(
  { chain, clock }: TestChain,
  payer: Keypair,
  addresses: PublicKey[],
): Promise<PublicKey> {
  const recentSlot = chain.slot();
  clock.advanceSlots(1);
  const authority = payer.publicKey;
  const [create, table] = AddressLookupTableProgram.createLookupTable({
    authority,
    payer: payer.publicKey,
    recentSlot,
  });
  const extend = AddressLookupTableProgram.extendLookupTable({
    authority,
    payer: payer.publicKey,
    lookupTable: table,
    addresses,
  });
  chain.sendTransaction(signed(chain.latestBlockhash().blockhash, [payer], create, extend));
  return table;
}

/** The bytes of a transfer of a SOL to an address in a lookup table. */
async function tableTransfer(
  connection: Connection,
  payer: Keypair,
  table: PublicKey,
  to: PublicKey,
): Promise<Uint8Array> {
  const { value } = await connection.getAddressLookupTable(table);
  if (value === null) throw new Error("the lookup table is not there");
  const message = new TransactionMessage({
    payerKey: payer.publicKey,
    recentBlockhash: (await connection.getLatestBlockhash()).blockhash,
    instructions: [
      SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: to, lamports: SOL }),
    ],
  }).compileToV0Message([value]);
  const transaction = new VersionedTransaction(message);
  transaction.sign([payer]);
  return transaction.serialize();
}
