import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import {
  Message,
  PublicKey,
  SYSVAR_CLOCK_PUBKEY,
  SYSVAR_SLOT_HASHES_PUBKEY,
  SystemProgram,
  Transaction,
  TransactionInstruction,
} from "@solana/web3.js";
import bs58 from "bs58";
import { tempDir } from "../testing/temp-dir.ts";
import type { LocalChain } from "./chain.ts";
import { createMemoInstruction, createToken } from "./testing/instructions.ts";
import {
  openTestChain,
  SlotClock,
  SOL,
  signed,
  type TestChain,
  transfer,
} from "./testing/local-chain.ts";
import { NATIVE_MINT } from "./well-known.ts";

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

  test("leave nothing of a transaction that names an account twice", () => {
    const first = openTestChain();
    const second = openTestChain();
    const [from, twice] = [first.wallet(), first.wallet()];
    const { publicKey } = twice;
    const accountKeys = [from.publicKey, publicKey, publicKey, SystemProgram.programId];
    const message = new Message({
      header: {
        numRequiredSignatures: 1,
        numReadonlySignedAccounts: 0,
        numReadonlyUnsignedAccounts: 1,
      },
      accountKeys,
      recentBlockhash: first.chain.latestBlockhash().blockhash,
      instructions: [],
    });
    const bytes = Transaction.populate(message, []).serialize({ requireAllSignatures: false });
    expect(first.chain.simulateTransaction(bytes).error).toBe("AccountLoadedTwice");
    expect(second.chain.getAccount(publicKey)).toBeNull();
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

  test("run the programs of their own ledgers, and none that was deployed on another", () => {
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

function transferReading(pubkey: PublicKey, wallet: PublicKey): TransactionInstruction {
  const instruction = SystemProgram.transfer({ fromPubkey: wallet, toPubkey: wallet, lamports: 0 });
  instruction.keys.push({ pubkey, isSigner: false, isWritable: false });
  return instruction;
}

const hashOf = ({ chain }: TestChain) =>
  Buffer.from(bs58.decode(chain.latestBlockhash().blockhash)).toString("hex");

/** Reads the Clock sysvar's seconds, which are its last field. */
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

/** Reads a program's ELF from its account, or from the program data account that it names. */
function programOf(chain: LocalChain, programId: PublicKey): Uint8Array {
  const data = chain.getAccount(programId)?.data ?? new Uint8Array();
  if (data.length > 100) return data;
  const programData = chain.getAccount(new PublicKey(data.subarray(4, 36)));
  return programData?.data.subarray(45) ?? new Uint8Array();
}

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
