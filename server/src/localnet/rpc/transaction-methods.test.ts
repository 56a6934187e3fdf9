import { describe, expect, test } from "bun:test";
import {
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  VersionedTransaction,
} from "@solana/web3.js";
import bs58 from "bs58";
import { openTestChain, SOL, signed, transfer } from "../testing/local-chain.ts";
import { createMemoInstruction } from "../testing/memo.ts";

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
const BASE64 = { encoding: "base64", commitment: "confirmed", preflightCommitment: "confirmed" };

describe("sendTransaction", () => {
  test("answers a failing preflight with the error, the logs and the units", async () => {
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

  test("refuses a processed, an expired and an unsigned transaction", async () => {
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
    expect((await send(unsigned)).error).toMatchObject({
      code: -32002,
      message: "Transaction simulation failed: Transaction did not pass signature verification",
      data: { err: "SignatureFailure", logs: [], unitsConsumed: 0, fee: null },
    });
  });

  test("refuses what is not a transaction", async () => {
    const { rpc } = openTestChain();
    const code = async (...params: unknown[]) => (await rpc("sendTransaction", ...params)).error;
    expect((await code("!", BASE64))?.code).toBe(-32602);
    expect((await code("0", {}))?.code).toBe(-32602);
    expect((await code(base64(new Uint8Array(40).fill(1)), BASE64))?.message).toStartWith(
      "failed to deserialize",
    );
    expect((await code(base64(new Uint8Array(1_233)), BASE64))?.message).toContain("too large");
    expect((await code(base64(new Uint8Array(9_999)), BASE64))?.message).toContain("too large");
    expect((await code("", { encoding: "hex" }))?.message).toBe(
      "unsupported encoding: hex. Supported encodings: base58, base64",
    );
  });
});

describe("what a node refuses before it simulates", () => {
  const payer = Keypair.generate();
  const budget = (...data: number[]) =>
    new TransactionInstruction({
      programId: ComputeBudgetProgram.programId,
      keys: [],
      data: Buffer.from(data),
    });
  const limit = budget(2, 1, 0, 0, 0);
  const price = budget(3, 0, 0, 0, 0, 0, 0, 0, 0);
  const text = (error: string) => `invalid transaction: ${error}`;
  const unreadable = (index: number) =>
    text(`Error processing Instruction ${index}: invalid instruction data`);
  const unsanitary = text("Transaction failed to sanitize accounts offsets correctly");
  const memos = (count: number) => Array.from({ length: count }, () => createMemoInstruction(""));
  const memoOf = (accounts: number) => {
    const instruction = createMemoInstruction("");
    const key = { pubkey: payer.publicKey, isSigner: true, isWritable: true };
    instruction.keys.push(...Array.from({ length: accounts }, () => key));
    return instruction;
  };

  test.each<[string, TransactionInstruction[], string]>([
    [
      "a limit twice",
      [limit, price, limit],
      text("Transaction contains a duplicate instruction (2) that is not allowed"),
    ],
    ["a price of 2 bytes", [limit, budget(3, 1)], unreadable(1)],
    ["an empty budget instruction", [budget()], unreadable(0)],
    ["an unknown budget instruction", [budget(5, 0, 0, 0, 0)], unreadable(0)],
    ["65 instructions", memos(65), unsanitary],
    ["an instruction of 256 accounts", [memoOf(256)], unsanitary],
  ])("%s is no transaction, whether it is sent or simulated", async (_, instructions, message) => {
    const { chain, rpc } = openTestChain();
    chain.airdrop(payer.publicKey, SOL);
    const text = base64(signed(chain.latestBlockhash().blockhash, [payer], ...instructions));
    const refused = { code: -32602, message };
    expect((await rpc("sendTransaction", text, BASE64)).error).toEqual(refused);
    const unchecked = { ...BASE64, skipPreflight: true };
    expect((await rpc("sendTransaction", text, unchecked)).error).toEqual(refused);
    expect((await rpc("simulateTransaction", text, BASE64)).error).toEqual(refused);
  });

  test("a durable nonce is refused by name", async () => {
    const { chain, rpc } = openTestChain();
    const advance = SystemProgram.nonceAdvance({
      noncePubkey: PublicKey.unique(),
      authorizedPubkey: payer.publicKey,
    });
    const bytes = signed(chain.latestBlockhash().blockhash, [payer], advance, ...memos(1));
    for (const method of ["sendTransaction", "simulateTransaction"]) {
      expect((await rpc(method, base64(bytes), BASE64)).error).toEqual({
        code: -32602,
        message: "durable nonces are not offered by this chain: use a recent blockhash",
      });
    }
  });

  test("64 instructions and 255 accounts are not too many", async () => {
    const { chain, rpc } = openTestChain();
    chain.airdrop(payer.publicKey, SOL);
    for (const most of [memos(64), [memoOf(255)]]) {
      const text = base64(signed(chain.latestBlockhash().blockhash, [payer], ...most));
      expect((await rpc("simulateTransaction", text, BASE64)).result.value.err).toBeNull();
    }
  });
});

describe("simulateTransaction", () => {
  test("returns units, logs and accounts after the transaction", async () => {
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

  test("returns the fee, the balances before and after, and the bytes that it loads", async () => {
    const { chain, rpc, wallet } = openTestChain();
    const from = wallet(SOL);
    const to = PublicKey.unique();
    const simulate = async (amount: bigint) =>
      (await rpc("simulateTransaction", base64(transfer(chain, from, amount, to)), BASE64)).result;
    const [rich, system] = [Number(SOL), 1];
    // The wallet and the system program, whose account has 21 bytes; the receiver does not exist.
    const loadedAccountsDataSize = 64 + 64 + 21;
    expect((await simulate(SOL / 2n)).value).toMatchObject({
      err: null,
      fee: 5_000,
      preBalances: [rich, 0, system],
      postBalances: [rich / 2 - 5_000, rich / 2, system],
      preTokenBalances: [],
      postTokenBalances: [],
      loadedAddresses: { writable: [], readonly: [] },
      loadedAccountsDataSize,
    });
    expect((await simulate(2n * SOL)).value).toMatchObject({
      fee: 5_000,
      preBalances: [rich, 0, system],
      postBalances: [rich - 5_000, 0, system],
      loadedAccountsDataSize,
    });
  });

  test("runs unsigned transactions, and replaces an old blockhash on request", async () => {
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
  test("have a status that goes from confirmed to finalized", async () => {
    const { chain, clock, connection, wallet } = openTestChain();
    const signature = chain.sendTransaction(transfer(chain, wallet(), SOL));
    const { slot } = chain.transactions.status(signature) ?? {};
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

  test("are found after 300 slots only by a search", async () => {
    const { chain, clock, connection, wallet } = openTestChain();
    const signature = chain.sendTransaction(transfer(chain, wallet(), SOL));
    clock.advanceSlots(301);
    expect((await connection.getSignatureStatus(signature)).value).toBeNull();
    const searched = { searchTransactionHistory: true };
    expect((await connection.getSignatureStatus(signature, searched)).value?.err).toBeNull();
  });

  test("are accepted up to 256 in one call", async () => {
    const { rpc } = openTestChain();
    const signatures = Array.from({ length: 257 }, () => bs58.encode(new Uint8Array(64)));
    expect((await rpc("getSignatureStatuses", signatures)).error).toEqual({
      code: -32602,
      message: "Too many inputs provided; max 256",
    });
  });

  test("are listed by address, newest first, in pages", async () => {
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
    const unknown = bs58.encode(new Uint8Array(64).fill(1));
    await expect(history({ before: unknown })).rejects.toThrow(`Transaction ${unknown} not found`);
  });

  test("are listed up to the commitment, and the limit counts only those", async () => {
    const { chain, clock, rpc, wallet } = openTestChain();
    const from = wallet();
    const to = PublicKey.unique();
    const final = chain.sendTransaction(transfer(chain, from, SOL, to));
    clock.advanceSlots(32);
    chain.sendTransaction(transfer(chain, from, SOL, to));
    const { result } = await rpc("getSignaturesForAddress", to.toBase58(), { limit: 1 });
    expect(result).toMatchObject([{ signature: final, confirmationStatus: "finalized" }]);
  });
});
