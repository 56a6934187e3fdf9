import { describe, expect, test } from "bun:test";
import { Keypair, PublicKey, SystemProgram, TransactionInstruction } from "@solana/web3.js";
import { SANDBOX_INSTRUCTION, SANDBOX_MINT } from "@tokenctl/shared/programs/sandbox";
import { base58 } from "../base/base58.ts";
import { BLOCKHASH_VALID_BLOCKS } from "../domain/cluster-pace.ts";
import { TransactionRefusedError } from "./chain.ts";
import { Ledger } from "./ledger.ts";
import { SLOT_MS, Slots } from "./slots.ts";
import { openTestChain, SlotClock, SOL, signed, transfer } from "./testing/local-chain.ts";

const FEE = 5_000n;

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
  test("without preflight charges the fee for a program that does not exist", () => {
    const { chain, wallet } = openTestChain();
    const from = wallet(SOL);
    const bytes = signed(chain.latestBlockhash().blockhash, [from], {
      programId: PublicKey.unique(),
      keys: [],
      data: Buffer.alloc(0),
    });
    const error = refusal(() => chain.sendTransaction(bytes));
    const signature = chain.sendTransaction(bytes, { skipPreflight: true });
    expect(chain.transactions.status(signature)?.error).toEqual(error as string);
    expect(chain.getBalance(from.publicKey)).toBe(SOL - FEE);
  });

  test("without preflight drops a transaction whose payer has no SOL", () => {
    const { chain } = openTestChain();
    const bytes = transfer(chain, Keypair.generate(), 1n);
    expect(refusal(() => chain.sendTransaction(bytes))).toBe("AccountNotFound");
    const signature = chain.sendTransaction(bytes, { skipPreflight: true });
    expect(chain.transactions.status(signature)).toBeNull();
  });

  test("refuses a wrong signature before it checks the blockhash", () => {
    const { chain, clock, wallet } = openTestChain();
    const bytes = Uint8Array.from(transfer(chain, wallet(), SOL));
    bytes[10] = (bytes[10] ?? 0) ^ 1;
    expect(refusal(() => chain.sendTransaction(bytes))).toBe("SignatureFailure");
    clock.advanceSlots(200);
    expect(refusal(() => chain.sendTransaction(bytes))).toBe("SignatureFailure");
    const signature = chain.sendTransaction(bytes, { skipPreflight: true });
    expect(chain.transactions.status(signature)).toBeNull();
  });

  test("shows programs the slot and its time in the Clock sysvar", () => {
    const { chain, clock } = openTestChain();
    clock.advanceSlots(1_000);
    const slot = chain.slot();
    const sysvar = chain.getAccount("SysvarC1ock11111111111111111111111111111111")?.data;
    const view = new DataView(Uint8Array.from(sysvar ?? []).buffer);
    expect(Number(view.getBigUint64(0, true))).toBe(slot);
    expect(Number(view.getBigInt64(32, true))).toBe(chain.slots.timeOf(slot));
    expect(chain.slots.timeOf(slot)).toBe(Math.floor(clock.now() / 1_000));
  });
});

test("a simulation replaces an expired blockhash on request", () => {
  const { chain, clock, wallet } = openTestChain();
  const bytes = transfer(chain, wallet(), SOL);
  clock.advanceSlots(151);
  expect(chain.simulateTransaction(bytes).error).toBe("BlockhashNotFound");
  const replaced = chain.simulateTransaction(bytes, { replaceBlockhash: true });
  expect(replaced.error).toBeNull();
  expect(replaced.replacement).toEqual(chain.latestBlockhash());
});

test("two equal airdrops in one slot are two transfers in the history of both accounts", () => {
  const { chain } = openTestChain();
  const to = PublicKey.unique();
  const signatures = [chain.airdrop(to, SOL), chain.airdrop(to, SOL)];
  expect(chain.getBalance(to)).toBe(2n * SOL);
  for (const account of [to, chain.faucet]) {
    const history = chain.transactions.of(account, { limit: 10 });
    expect(history.map(({ signature }) => signature)).toEqual(signatures.toReversed());
  }
});

test("a chain processes a message once, whatever its signature", () => {
  // Ed25519 allows many signatures of one message; a cluster compares messages, not signatures.
  const { chain, wallet } = openTestChain();
  const bytes = transfer(chain, wallet(), SOL);
  chain.sendTransaction(bytes);
  const again = Uint8Array.from(bytes);
  again.fill(9, 1, 65);
  expect(chain.simulateTransaction(again).error).toBe("AlreadyProcessed");
});

test("a rent applies to what is created after it, and accounts keep what they hold", () => {
  const { chain, wallet } = openTestChain(":memory:", undefined, { rentPerByte: 696n });
  expect(chain.rentExemption(165)).toBe(203_928n);
  const poor = wallet(128n * 696n);
  chain.setRent(6_960n);
  expect(chain.rentExemption(165)).toBe(2_039_280n);
  expect(chain.getBalance(poor.publicKey)).toBe(128n * 696n);
  expect(refusal(() => chain.airdrop(PublicKey.unique(), 128n * 696n))).toEqual({
    InsufficientFundsForRent: { account_index: 1 },
  });
});

test("what this chain does not offer is refused by name", () => {
  const { chain, wallet } = openTestChain();
  const payer = wallet();
  const send = (programId: PublicKey, data: number[]) => () =>
    chain.sendTransaction(
      signed(chain.latestBlockhash().blockhash, [payer], {
        programId,
        keys: [],
        data: Buffer.from(data),
      }),
    );
  expect(send(SystemProgram.programId, [4, 0, 0, 0])).toThrow("use a recent blockhash");
  const loader = new PublicKey("BPFLoaderUpgradeab1e11111111111111111111111");
  expect(send(loader, [0, 0, 0, 0])).toThrow("programs cannot be deployed on this chain");
});

const { accounts, data, program } = SANDBOX_INSTRUCTION;
const marked = (mint: string) =>
  new TransactionInstruction({
    programId: new PublicKey(program),
    keys: accounts.map(({ isSigner, isWritable }) => ({
      pubkey: new PublicKey(mint),
      isSigner,
      isWritable,
    })),
    data: Buffer.from(data),
  });

test("the sandbox's mint has the address of its sentence, for which there is no key", () => {
  const mint = new PublicKey(SANDBOX_MINT).toBytes();
  expect(new TextDecoder().decode(mint)).toBe("This mint marks a tokend sandbox");
  expect(PublicKey.isOnCurve(mint)).toBe(false);
});

test("the sandbox's instruction succeeds and changes nothing, and fails without its mint", () => {
  const { chain, wallet } = openTestChain();
  const payer = wallet();
  const run = (mint: string) =>
    chain.simulateTransaction(signed(chain.latestBlockhash().blockhash, [payer], marked(mint)));
  expect(run(SANDBOX_MINT).error).toBeNull();
  for (const absent of [PublicKey.unique(), payer.publicKey]) {
    expect(run(absent.toBase58()).error).toEqual({
      InstructionError: [0, "IncorrectProgramId"],
    });
  }
});

function openSlots(seed = 7) {
  const clock = new SlotClock();
  const genesis = { timeMs: clock.now(), slotMs: SLOT_MS, seed: new Uint8Array(32).fill(seed) };
  const ledger = new Ledger(":memory:", () => ({ ...genesis, faucet: new Uint8Array() }));
  return { clock, slots: new Slots(clock, ledger) };
}

function hashOf(slots: Slots, slot: number): Uint8Array {
  return base58.decode(slots.blockhashOf(slot).blockhash, 32) ?? new Uint8Array();
}

describe("slots", () => {
  test("accept a blockhash in its own block and in the 150 blocks after it", () => {
    const { clock, slots } = openSlots();
    const slot = slots.advance();
    const hash = hashOf(slots, slot);
    expect(slots.isRecent(hash)).toBe(true);
    clock.advanceSlots(BLOCKHASH_VALID_BLOCKS);
    slots.advance();
    expect(slots.heightOf(slots.current)).toBe(slots.blockhashOf(slot).lastValidBlockHeight);
    expect(slots.isRecent(hash)).toBe(true);
    clock.advanceSlots(1);
    slots.advance();
    expect(slots.isRecent(hash)).toBe(false);
  });

  test("refuse blockhashes of future slots and of other ledgers", () => {
    const { slots } = openSlots();
    slots.advance();
    const { slots: other } = openSlots(8);
    expect(slots.isRecent(hashOf(slots, slots.current + 1))).toBe(false);
    expect(slots.isRecent(hashOf(other, other.advance()))).toBe(false);
  });
});
