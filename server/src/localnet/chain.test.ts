import { describe, expect, test } from "bun:test";
import { Keypair, PublicKey, SystemProgram } from "@solana/web3.js";
import { openTestChain, SOL, signed, transfer } from "./testing/local-chain.ts";
import { TransactionRefusedError } from "./transaction-refused.ts";

const FEE = 5_000n;

/** The error of a transaction that is refused. */
function refusal(send: () => unknown): unknown {
  try {
    send();
  } catch (error) {
    if (error instanceof TransactionRefusedError) return error.error;
    throw error;
  }
  throw new Error("it was not refused");
}

describe("sendTransaction", () => {
  test("moves lamports, takes the fee and remembers the transaction", () => {
    const { chain, wallet } = openTestChain();
    const from = wallet(10n * SOL);
    const to = PublicKey.unique();
    const signature = chain.sendTransaction(transfer(chain, from, 3n * SOL, to));
    expect(chain.getBalance(to)).toBe(3n * SOL);
    expect(chain.getBalance(from.publicKey)).toBe(7n * SOL - FEE);
    expect(chain.signatureStatus(signature)).toEqual({
      slot: chain.slot(),
      error: null,
      finalized: false,
    });
  });

  test("is final 32 slots later", () => {
    const { chain, clock, wallet } = openTestChain();
    const signature = chain.sendTransaction(transfer(chain, wallet(), 1n * SOL));
    clock.advanceSlots(31);
    expect(chain.signatureStatus(signature)?.finalized).toBe(false);
    clock.advanceSlots(1);
    expect(chain.signatureStatus(signature)?.finalized).toBe(true);
  });

  test("a failing one is refused and costs nothing", () => {
    const { chain, wallet } = openTestChain();
    const from = wallet(SOL);
    const bytes = transfer(chain, from, 2n * SOL);
    expect(refusal(() => chain.sendTransaction(bytes))).toEqual({
      InstructionError: [0, { Custom: 1 }],
    });
    expect(chain.getBalance(from.publicKey)).toBe(SOL);
  });

  test("without preflight a failing one lands, fails and pays its fee", () => {
    const { chain, wallet } = openTestChain();
    const from = wallet(SOL);
    const bytes = transfer(chain, from, 2n * SOL);
    const signature = chain.sendTransaction(bytes, { skipPreflight: true });
    expect(chain.getBalance(from.publicKey)).toBe(SOL - FEE);
    expect(chain.signatureStatus(signature)?.error).toEqual({
      InstructionError: [0, { Custom: 1 }],
    });
    expect(chain.getTransaction(signature)?.meta.fee).toBe(Number(FEE));
  });

  test("one that calls no program that exists pays its fee too", () => {
    const { chain, wallet } = openTestChain();
    const from = wallet(SOL);
    const bytes = signed(chain.latestBlockhash().blockhash, [from], {
      programId: PublicKey.unique(),
      keys: [],
      data: Buffer.alloc(0),
    });
    const error = refusal(() => chain.sendTransaction(bytes));
    const signature = chain.sendTransaction(bytes, { skipPreflight: true });
    expect(chain.signatureStatus(signature)?.error).toEqual(error as string);
    expect(chain.getBalance(from.publicKey)).toBe(SOL - FEE);
  });

  test("without preflight one that nobody can pay for vanishes", () => {
    const { chain } = openTestChain();
    const bytes = transfer(chain, Keypair.generate(), 1n);
    expect(refusal(() => chain.sendTransaction(bytes))).toBe("AccountNotFound");
    const signature = chain.sendTransaction(bytes, { skipPreflight: true });
    expect(chain.signatureStatus(signature)).toBeNull();
  });

  test("a second time it was already processed, and without preflight nothing happens", () => {
    const { chain, wallet } = openTestChain();
    const from = wallet();
    const bytes = transfer(chain, from, SOL);
    const signature = chain.sendTransaction(bytes);
    const balance = chain.getBalance(from.publicKey);
    expect(refusal(() => chain.sendTransaction(bytes))).toBe("AlreadyProcessed");
    expect(chain.sendTransaction(bytes, { skipPreflight: true })).toBe(signature);
    expect(chain.getBalance(from.publicKey)).toBe(balance);
  });

  test("one that failed on chain was processed as well", () => {
    const { chain, wallet } = openTestChain();
    const bytes = transfer(chain, wallet(SOL), 2n * SOL);
    chain.sendTransaction(bytes, { skipPreflight: true });
    expect(refusal(() => chain.sendTransaction(bytes))).toBe("AlreadyProcessed");
  });

  test("a blockhash is good for 150 blocks, and no more after that", () => {
    const { chain, clock, wallet } = openTestChain();
    const from = wallet();
    const early = transfer(chain, from, SOL);
    const late = transfer(chain, from, 2n * SOL);
    const { lastValidBlockHeight } = chain.latestBlockhash();
    clock.advanceSlots(150);
    expect(chain.blockHeight()).toBe(lastValidBlockHeight);
    chain.sendTransaction(early);
    clock.advanceSlots(1);
    expect(refusal(() => chain.sendTransaction(late))).toBe("BlockhashNotFound");
    // A node looks at the age first, so one that landed looks no different by then.
    expect(refusal(() => chain.sendTransaction(early))).toBe("BlockhashNotFound");
    const signature = chain.sendTransaction(late, { skipPreflight: true });
    expect(chain.signatureStatus(signature)).toBeNull();
  });

  test("a wrong signature is refused, before its blockhash is looked at", () => {
    const { chain, clock, wallet } = openTestChain();
    const bytes = Uint8Array.from(transfer(chain, wallet(), SOL));
    bytes[10] = (bytes[10] ?? 0) ^ 1;
    expect(refusal(() => chain.sendTransaction(bytes))).toBe("SignatureFailure");
    clock.advanceSlots(200);
    expect(refusal(() => chain.sendTransaction(bytes))).toBe("SignatureFailure");
    const signature = chain.sendTransaction(bytes, { skipPreflight: true });
    expect(chain.signatureStatus(signature)).toBeNull();
  });

  test("an account that runs empty is gone", () => {
    const { chain, wallet } = openTestChain();
    const from = wallet(SOL);
    chain.sendTransaction(transfer(chain, from, SOL - FEE));
    expect(chain.getAccount(from.publicKey)).toBeNull();
    expect(chain.accountsOwnedBy(SystemProgram.programId)).not.toContainEqual(
      expect.objectContaining({ address: from.publicKey.toBytes() }),
    );
  });

  test("what would leave an account below its rent is refused", () => {
    const { chain, wallet } = openTestChain();
    const error = refusal(() => chain.sendTransaction(transfer(chain, wallet(), 1n)));
    expect(error).toEqual({ InsufficientFundsForRent: { account_index: 1 } });
  });

  test("programs see the slot and its time in the Clock", () => {
    const { chain, clock } = openTestChain();
    clock.advanceSlots(1_000);
    const slot = chain.slot();
    const sysvar = chain.getAccount("SysvarC1ock11111111111111111111111111111111")?.data;
    const view = new DataView(Uint8Array.from(sysvar ?? []).buffer);
    expect(Number(view.getBigUint64(0, true))).toBe(slot);
    expect(Number(view.getBigInt64(32, true))).toBe(chain.timeOf(slot));
    expect(chain.timeOf(slot)).toBe(Math.floor(clock.now() / 1_000));
  });
});

describe("simulateTransaction", () => {
  test("tells what would happen and changes nothing", () => {
    const { chain, wallet } = openTestChain();
    const from = wallet(SOL);
    const to = PublicKey.unique();
    const { error, execution } = chain.simulateTransaction(transfer(chain, from, SOL / 2n, to));
    expect(error).toBeNull();
    const after = execution?.changes.find(({ address }) => to.equals(new PublicKey(address)));
    expect(after?.account.lamports).toBe(SOL / 2n);
    expect(chain.getBalance(to)).toBe(0n);
    expect(chain.getBalance(from.publicKey)).toBe(SOL);
  });

  test("an expired blockhash can be replaced", () => {
    const { chain, clock, wallet } = openTestChain();
    const bytes = transfer(chain, wallet(), SOL);
    clock.advanceSlots(151);
    expect(chain.simulateTransaction(bytes).error).toBe("BlockhashNotFound");
    const replaced = chain.simulateTransaction(bytes, { replaceBlockhash: true });
    expect(replaced.error).toBeNull();
    expect(replaced.replacement).toEqual(chain.latestBlockhash());
  });
});

describe("airdrop", () => {
  test("is a transfer that shows in both histories", () => {
    const { chain } = openTestChain();
    const to = PublicKey.unique();
    const signature = chain.airdrop(to, SOL);
    expect(chain.getBalance(to)).toBe(SOL);
    expect(chain.history(to, { limit: 10 }).map((found) => found.signature)).toEqual([signature]);
    expect(chain.history(chain.faucet, { limit: 10 })).toHaveLength(1);
  });

  test("two alike within a slot are two", () => {
    const { chain } = openTestChain();
    const to = PublicKey.unique();
    expect(chain.airdrop(to, SOL)).not.toBe(chain.airdrop(to, SOL));
    expect(chain.getBalance(to)).toBe(2n * SOL);
  });
});

test("a message is processed once, whatever its signature", () => {
  // Ed25519 allows many signatures of one message; a cluster knows messages, not signatures.
  const { chain, wallet } = openTestChain();
  const bytes = transfer(chain, wallet(), SOL);
  chain.sendTransaction(bytes);
  const again = Uint8Array.from(bytes);
  again.fill(9, 1, 65);
  expect(chain.simulateTransaction(again).error).toBe("AlreadyProcessed");
});
