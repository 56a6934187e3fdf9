import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import {
  PublicKey,
  SYSVAR_CLOCK_PUBKEY,
  SYSVAR_SLOT_HASHES_PUBKEY,
  SystemProgram,
  TransactionInstruction,
} from "@solana/web3.js";
import bs58 from "bs58";
import { LiteSvm } from "litesvm/dist/internal";
import { tempDir } from "../testing/temp-dir.ts";
import type { AccountChange } from "./account.ts";
import { AccountTable } from "./account-table.ts";
import type { LocalChain } from "./chain.ts";
import { Ledger } from "./ledger.ts";
import { ResidentAccounts } from "./resident-accounts.ts";
import { openTestChain, SOL, signed, type TestChain, transfer } from "./testing/local-chain.ts";
import { createMemoInstruction } from "./testing/memo.ts";
import { SlotClock } from "./testing/slot-clock.ts";
import { createToken } from "./testing/tokens.ts";
import { NATIVE_MINT } from "./well-known.ts";

describe("a ledger opened again", () => {
  test("loads only the accounts that transactions name", () => {
    using dir = tempDir();
    const path = join(dir.path, "ledger.db");
    const first = openTestChain(path);
    const from = first.wallet();
    const others = Array.from({ length: 500 }, () => PublicKey.unique());
    const owner = SystemProgram.programId;
    for (const address of others) first.chain.setAccount(address, { lamports: SOL, owner });
    first.chain.close();

    const { chain } = openTestChain(path, first.clock);
    expect(chain.residentAccounts).toBe(0);
    for (const address of others) expect(chain.getAccount(address)?.lamports).toBe(SOL);
    expect(chain.getBalance(from.publicKey)).toBe(10n * SOL);
    expect(chain.residentAccounts).toBe(0);
    chain.sendTransaction(transfer(chain, from, SOL, others[7]));
    expect(chain.getBalance(others[7] ?? "")).toBe(2n * SOL);
    expect(chain.residentAccounts).toBe(2);
    chain.close();
  });

  test("runs the programs that were deployed on it", () => {
    using dir = tempDir();
    const path = join(dir.path, "ledger.db");
    const first = openTestChain(path);
    const payer = first.wallet();
    const memo = createMemoInstruction("hello");
    const elf = programOf(first.chain, memo.programId);
    first.chain.close();
    const programId = PublicKey.unique();
    deploy(path, programId, elf);

    const { chain } = openTestChain(path, first.clock);
    expect(chain.getAccount(programId)?.executable).toBe(true);
    const { blockhash } = chain.latestBlockhash();
    const call = new TransactionInstruction({ ...memo, programId });
    const signature = chain.sendTransaction(signed(blockhash, [payer], call));
    const logs = chain.getTransaction(signature)?.meta.logMessages;
    expect(logs?.join("\n")).toContain("Program log: hello");
    chain.close();
  });
});

describe("chains of one process", () => {
  test("see nothing of each other's accounts, rent and time", () => {
    const first = openTestChain();
    const second = openTestChain(":memory:", new SlotClock(), { rentPerByte: 696n });
    const from = first.wallet();
    const own = first.chain.getBalance(NATIVE_MINT);
    const seconds = 400;
    second.clock.advance(seconds * 1_000);
    for (let round = 1n; round <= 2n; round++) {
      first.chain.sendTransaction(transfer(first.chain, from, SOL, new PublicKey(NATIVE_MINT)));
      expect(first.chain.getBalance(NATIVE_MINT)).toBe(own + round * SOL);
      expect(first.chain.rentExemption(0)).toBe(10n * second.chain.rentExemption(0));
      expect(second.chain.getBalance(NATIVE_MINT)).toBe(own);
      expect(second.chain.getAccount(from.publicKey)).toBeNull();
      expect(() => second.chain.sendTransaction(transfer(second.chain, from, SOL))).toThrow(
        "found no record of a prior credit",
      );
      expect(timeOf(second) - timeOf(first)).toBe(BigInt(seconds));
      for (const { clock } of [first, second]) clock.advance(1_000);
    }
    expect(openTestChain().chain.getBalance(NATIVE_MINT)).toBe(own);
  });

  test("see no blockhashes of each other", () => {
    const first = openTestChain();
    const second = openTestChain();
    const hashes = ({ chain }: TestChain) => {
      const data = chain.getAccount(SYSVAR_SLOT_HASHES_PUBKEY)?.data ?? new Uint8Array();
      return Buffer.from(data).toString("hex");
    };
    const [ofFirst, ofSecond] = [hashOf(first), hashOf(second)];
    for (const { chain, clock, wallet } of [first, second]) {
      clock.advanceSlots(3);
      const payer = wallet();
      const read = transferReading(SYSVAR_SLOT_HASHES_PUBKEY, payer.publicKey);
      chain.sendTransaction(signed(chain.latestBlockhash().blockhash, [payer], read));
    }
    expect(hashes(first)).toContain(ofFirst);
    expect(hashes(second)).toContain(ofSecond);
    for (const other of [first, openTestChain()]) expect(hashes(other)).not.toContain(ofSecond);
  });

  test("do not run a program that was deployed on another", () => {
    using dir = tempDir();
    const path = join(dir.path, "ledger.db");
    const first = openTestChain(path);
    const payer = first.wallet();
    const memo = createMemoInstruction("hello");
    const programId = PublicKey.unique();
    const elf = programOf(first.chain, memo.programId);
    first.chain.close();
    deploy(path, programId, elf);
    const other = openTestChain();
    const call = (chain: LocalChain) => {
      const instruction = new TransactionInstruction({ ...memo, programId });
      const transaction = signed(chain.latestBlockhash().blockhash, [payer], instruction);
      return chain.sendTransaction(transaction);
    };
    other.chain.airdrop(payer.publicKey, SOL);
    const deployed = openTestChain(path, first.clock);
    for (let round = 0; round < 2; round++) {
      expect(call(deployed.chain)).toBeString();
      expect(() => call(other.chain)).toThrow("load a program that does not exist");
      for (const { clock } of [deployed, other]) clock.advance(1_000);
    }
    deployed.chain.close();
  });
});

test("a chain that could not load its programs loads them before it runs again", () => {
  using dir = tempDir();
  const path = join(dir.path, "ledger.db");
  const first = openTestChain(path);
  const payer = first.wallet();
  const memo = createMemoInstruction("hello");
  const elf = programOf(first.chain, memo.programId);
  first.chain.close();
  const programId = PublicKey.unique();
  deploy(path, programId, elf);

  const { chain } = openTestChain(path, first.clock);
  openTestChain();
  using db = new Database(path);
  db.run("alter table accounts rename to unreadable");
  expect(() => chain.residentAccounts).toThrow("no such table");
  db.run("alter table unreadable rename to accounts");
  const call = new TransactionInstruction({ ...memo, programId });
  const { blockhash } = chain.latestBlockhash();
  const signature = chain.sendTransaction(signed(blockhash, [payer], call));
  expect(chain.getTransaction(signature)?.meta.logMessages?.join()).toContain("hello");
  chain.close();
});

function transferReading(pubkey: PublicKey, wallet: PublicKey): TransactionInstruction {
  const instruction = SystemProgram.transfer({ fromPubkey: wallet, toPubkey: wallet, lamports: 0 });
  instruction.keys.push({ pubkey, isSigner: false, isWritable: false });
  return instruction;
}

const hashOf = ({ chain }: TestChain) =>
  Buffer.from(bs58.decode(chain.latestBlockhash().blockhash)).toString("hex");

/** The Clock sysvar's seconds, at its end. */
function timeOf({ chain }: TestChain): bigint {
  const data = chain.getAccount(SYSVAR_CLOCK_PUBKEY)?.data ?? new Uint8Array();
  return new DataView(data.buffer, data.byteOffset).getBigInt64(data.length - 8, true);
}

/** Writes the accounts of a program as the upgradeable loader does. */
function deploy(ledgerPath: string, programId: PublicKey, elf: Uint8Array): void {
  using db = new Database(ledgerPath);
  const loader = new PublicKey("BPFLoaderUpgradeab1e11111111111111111111111").toBytes();
  const dataAddress = PublicKey.unique().toBytes();
  const write = (address: Uint8Array, executable: number, data: number[]) =>
    db.run(
      `INSERT INTO accounts (address, owner, lamports, executable, rent_epoch, data)
       VALUES (?, ?, 10000000000, ?, -1, ?)`,
      [address, loader, executable, Uint8Array.from(data)],
    );
  write(programId.toBytes(), 1, [2, 0, 0, 0, ...dataAddress]);
  write(dataAddress, 0, [3, 0, 0, 0, ...new Uint8Array(41), ...elf]);
}

/** A program's ELF, from its account or from the program data account that it names. */
function programOf(chain: LocalChain, programId: PublicKey): Uint8Array {
  const data = chain.getAccount(programId)?.data ?? new Uint8Array();
  if (data.length > 100) return data;
  const programData = chain.getAccount(new PublicKey(data.subarray(4, 36)));
  return programData?.data.subarray(45) ?? new Uint8Array();
}

describe("accounts in memory", () => {
  function open(limits: { accounts: number; bytes: number }) {
    const genesis = { timeMs: 0, seed: new Uint8Array(), faucet: new Uint8Array() };
    const kept = new AccountTable(new Ledger(":memory:", () => genesis).db);
    const svm = new LiteSvm();
    const resident = new ResidentAccounts(svm, kept, limits);
    const write = (...changes: AccountChange[]) => {
      kept.write(changes);
      resident.apply(changes);
    };
    return { svm, resident, kept, write };
  }

  const wallet = (lamports: bigint, bytes = 0): AccountChange => ({
    address: PublicKey.unique().toBytes(),
    account: {
      lamports,
      owner: SystemProgram.programId.toBytes(),
      data: new Uint8Array(bytes),
      executable: false,
      rentEpoch: 0n,
    },
  });

  test("are the last used ones, limited in number and bytes, and reload unchanged", () => {
    const { svm, resident, kept, write } = open({ accounts: 3, bytes: 1_000 });
    const [one, two, three, four] = [wallet(1n), wallet(2n), wallet(3n), wallet(4n)];
    write(one, two, three, four);
    resident.load([one.address]);
    resident.evict();
    expect(resident.size).toBe(3);
    expect(svm.getBalance(one.address)).toBe(1n);
    expect(svm.getAccount(two.address)).toBeNull();

    const large = wallet(5n, 900);
    write(large, wallet(6n, 200));
    resident.evict();
    expect(svm.getAccount(large.address)).toBeNull();
    expect(resident.size).toBe(1);

    resident.load([two.address, large.address]);
    expect(svm.getBalance(two.address)).toBe(2n);
    expect(svm.getAccount(large.address)?.data().length).toBe(900);
    expect(kept.balance(two.address)).toBe(2n);
  });

  test("are removed when emptied, from the ledger too, and can be filled again", () => {
    const { svm, resident, kept, write } = open({ accounts: 1, bytes: 1_000 });
    const one = wallet(1n);
    write(one);
    write({ ...one, account: { ...one.account, lamports: 0n } });
    expect([svm.getAccount(one.address), kept.get(one.address), resident.size]).toEqual([
      null,
      null,
      0,
    ]);
    resident.load([wallet(2n).address, wallet(3n).address]);
    resident.evict();
    write({ ...one, account: { ...one.account, lamports: 7n } });
    expect(svm.getBalance(one.address)).toBe(7n);
  });

  test("do not evict LiteSVM's own accounts", () => {
    const { svm, resident } = open({ accounts: 1, bytes: 1_000 });
    const clock = new PublicKey("SysvarC1ock11111111111111111111111111111111").toBytes();
    resident.load([clock, wallet(1n).address, wallet(2n).address]);
    resident.evict();
    expect(svm.getAccount(clock)).not.toBeNull();
  });
});

test("a chain bounds the number of accounts in memory, however many are used", () => {
  const { chain, wallet } = openTestChain();
  const from = wallet();
  const owner = SystemProgram.programId;
  for (let count = 0; count < 8_500; count++) {
    chain.setAccount(PublicKey.unique(), { lamports: SOL, owner });
  }
  chain.sendTransaction(transfer(chain, from, SOL));
  expect(chain.residentAccounts).toBeGreaterThan(8_000);
  expect(chain.residentAccounts).toBeLessThan(8_192 + 3);
});

test("a chain reads a mint that the transaction does not name from the ledger", async () => {
  using dir = tempDir();
  const path = join(dir.path, "ledger.db");
  const first = openTestChain(path);
  const owner = first.wallet();
  const { account } = createToken(first, owner, 5n);
  first.chain.close();

  const { chain } = openTestChain(path, first.clock);
  const { blockhash } = chain.latestBlockhash();
  const pay = SystemProgram.transfer({
    fromPubkey: owner.publicKey,
    toPubkey: account,
    lamports: SOL,
  });
  const signature = chain.sendTransaction(signed(blockhash, [owner], pay));
  const [balance] = chain.getTransaction(signature)?.meta.postTokenBalances ?? [];
  expect(balance?.uiTokenAmount).toMatchObject({ amount: "5", decimals: 6 });
  chain.close();
});
