import { describe, expect, test } from "bun:test";
import { PublicKey, VersionedTransaction } from "@solana/web3.js";
import bs58 from "bs58";
import { openTestChain, SOL, transfer } from "../testing/local-chain.ts";

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
const BASE64 = { encoding: "base64" };

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
    expect((await send(unsigned)).error).toEqual({
      code: -32003,
      message: "Transaction signature verification failure",
    });
  });

  test("refuses what is not a transaction", async () => {
    const { rpc } = openTestChain();
    const code = async (...params: unknown[]) => (await rpc("sendTransaction", ...params)).error;
    expect((await code("!", BASE64))?.code).toBe(-32602);
    expect((await code("0", {}))?.code).toBe(-32602);
    expect((await code(base64(new Uint8Array(40)), BASE64))?.message).toStartWith(
      "failed to deserialize",
    );
    expect((await code(base64(new Uint8Array(1_233)), BASE64))?.message).toContain("too large");
    expect((await code(base64(new Uint8Array(9_999)), BASE64))?.message).toContain("too large");
    expect((await code("", { encoding: "hex" }))?.message).toContain("encoding base64");
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
    expect(await history({ before: bs58.encode(new Uint8Array(64).fill(1)) })).toEqual([]);
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
