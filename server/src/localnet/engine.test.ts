import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import {
  Message,
  PublicKey,
  SYSVAR_CLOCK_PUBKEY,
  SystemProgram,
  Transaction,
} from "@solana/web3.js";
import { tempDir } from "../testing/temp-dir.ts";
import { createToken } from "./testing/instructions.ts";
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
});

/** Reads the Clock sysvar's seconds, which are its last field. */
function timeOf({ chain }: TestChain): bigint {
  const data = chain.getAccount(SYSVAR_CLOCK_PUBKEY)?.data ?? new Uint8Array();
  return new DataView(data.buffer, data.byteOffset).getBigInt64(data.length - 8, true);
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
