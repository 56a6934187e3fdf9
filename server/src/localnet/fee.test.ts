import { describe, expect, test } from "bun:test";
import {
  ComputeBudgetProgram,
  Ed25519Program,
  Keypair,
  SystemProgram,
  type TransactionInstruction,
} from "@solana/web3.js";
import { feeOf } from "./fee.ts";
import { createMemoInstruction } from "./testing/instructions.ts";
import { openTestChain, SOL, signed, transfer } from "./testing/local-chain.ts";
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

  test.each([0n, 2_500n, 40_000n])(
    "of a chain at %d lamports a signature is what it simulates and charges",
    (lamportsPerSignature) => {
      const { chain, wallet } = openTestChain(undefined, undefined, { lamportsPerSignature });
      for (const amount of [SOL / 2n, 2n * SOL]) {
        const from = wallet(SOL);
        const bytes = transfer(chain, from, amount);
        const { effects } = chain.simulateTransaction(bytes);
        const left = SOL - lamportsPerSignature - (amount < SOL ? amount : 0n);
        expect(effects).toMatchObject({ fee: lamportsPerSignature });
        expect(effects?.balances.preBalances[0]).toBe(SOL);
        expect(effects?.balances.postBalances[0]).toBe(left);
        const signature = chain.sendTransaction(bytes, { skipPreflight: true });
        expect(chain.getBalance(from.publicKey)).toBe(left);
        expect(chain.getTransaction(signature)?.meta.fee).toBe(Number(lamportsPerSignature));
      }
    },
  );

  test("is refused to a payer who has less, whatever LiteSVM would charge", () => {
    const { chain, wallet } = openTestChain(undefined, undefined, {
      lamportsPerSignature: 2n * SOL,
    });
    const poor = wallet(SOL);
    const { error, effects } = chain.simulateTransaction(transfer(chain, poor, 1n));
    expect(error).toBe("InsufficientFundsForFee");
    expect(effects?.fee).toBeNull();
    expect(chain.getBalance(poor.publicKey)).toBe(SOL);
  });
});
