import { describe, expect, test } from "bun:test";
import {
  ComputeBudgetProgram,
  Ed25519Program,
  Keypair,
  PublicKey,
  SystemProgram,
  type TransactionInstruction,
} from "@solana/web3.js";
import { feeOf } from "./fee.ts";
import { openTestChain, signed } from "./testing/local-chain.ts";
import { createMemoInstruction } from "./testing/memo.ts";
import { parseTransaction } from "./wire-transaction.ts";

const payer = Keypair.generate();
const second = Keypair.generate();

const pay = SystemProgram.transfer({
  fromPubkey: payer.publicKey,
  toPubkey: payer.publicKey,
  lamports: 1,
});
const limit = (units: number) => ComputeBudgetProgram.setComputeUnitLimit({ units });
const price = (microLamports: number) =>
  ComputeBudgetProgram.setComputeUnitPrice({ microLamports });
const memo = createMemoInstruction("hello");
const ed25519 = Ed25519Program.createInstructionWithPrivateKey({
  privateKey: second.secretKey,
  message: new Uint8Array([1, 2, 3]),
});

const cases: readonly [name: string, lamports: number, instructions: TransactionInstruction[]][] = [
  ["a signature", 5_000, [pay]],
  ["a price without a limit, for a builtin program", 5_006, [pay, price(1_000)]],
  ["a price without a limit, for another program", 5_204, [memo, price(1_001)]],
  ["a price and a limit", 5_050, [limit(50_000), price(1_000), pay]],
  ["a price of a fraction of a lamport", 5_001, [limit(1_000), price(1), pay]],
  ["a limit above the maximum", 5_000 + 14_000, [limit(2_000_000), price(10_000), pay]],
  ["a verified signature", 10_000, [ed25519, pay]],
  ["a verified signature with a price", 10_009, [ed25519, pay, price(1_000)]],
];

describe("feeOf", () => {
  test.each(cases)("%s costs %d lamports, and the chain charges that", (_, fee, list) => {
    const { chain } = openTestChain();
    chain.setAccount(payer.publicKey, {
      lamports: 10_000_000_000n,
      owner: SystemProgram.programId,
    });
    const bytes = signed(chain.latestBlockhash().blockhash, [payer], ...list);
    expect(feeOf(parseTransaction(bytes).message)).toBe(BigInt(fee));
    chain.sendTransaction(bytes);
    expect(chain.getBalance(payer.publicKey)).toBe(10_000_000_000n - BigInt(fee));
  });

  test("charges every required signature", () => {
    const { chain } = openTestChain();
    const instruction = SystemProgram.transfer({
      fromPubkey: second.publicKey,
      toPubkey: PublicKey.unique(),
      lamports: 1,
    });
    const bytes = signed(chain.latestBlockhash().blockhash, [payer, second], instruction);
    expect(feeOf(parseTransaction(bytes).message)).toBe(10_000n);
  });
});
