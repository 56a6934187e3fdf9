import { expect, test } from "bun:test";
import { Keypair, SystemProgram } from "@solana/web3.js";
import { splitTransaction } from "@tokenctl/shared/wire-transaction";
import fc from "fast-check";
import { openTestChain, SlotClock } from "../localnet/testing/local-chain.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { PriorityFees } from "./cluster-pace.ts";
import { createConnection } from "./connection.ts";
import {
  cappedUnitPrice,
  compileMessage,
  priorityLamports,
  signWithKeys,
  unsignedTransaction,
} from "./message.ts";
import { feeOf, simulate } from "./simulate.ts";

function feesOf(prices: readonly number[]) {
  const state = { calls: 0 };
  const connection = createConnection("http://rpc.invalid", {
    fetch: async () => {
      state.calls += 1;
      const result = prices.map((prioritizationFee, slot) => ({ slot, prioritizationFee }));
      return Response.json({ jsonrpc: "2.0", id: "1", result });
    },
  });
  const clock = new ManualClock();
  const fees = new PriorityFees(connection, [Keypair.generate().publicKey], clock);
  return { fees, clock, state };
}

test("a unit price is what the given share of recent slots took", async () => {
  const { fees } = feesOf([400, 0, 100, 300, 200]);
  expect(await fees.unitPrice(0)).toBe(0n);
  expect(await fees.unitPrice(50)).toBe(200n);
  expect(await fees.unitPrice(75)).toBe(300n);
  expect(await fees.unitPrice(100)).toBe(400n);
});

test("the unit price is 0 if no recent transaction pays a priority fee", async () => {
  expect(await feesOf([]).fees.unitPrice(75)).toBe(0n);
});

test("recent fees are read once in ten seconds", async () => {
  const { fees, clock, state } = feesOf([1]);
  await Promise.all([fees.unitPrice(50), fees.unitPrice(75)]);
  clock.advance(9_999);
  await fees.unitPrice(75);
  expect(state.calls).toBe(1);
  clock.advance(1);
  await fees.unitPrice(75);
  expect(state.calls).toBe(2);
});

test("a unit price never exceeds a cap, and is never lower than necessary", () => {
  const amount = fc.bigInt({ min: 0n, max: 10n ** 12n });
  const units = fc.integer({ min: 1, max: 1_400_000 });
  fc.assert(
    fc.property(amount, units, amount, amount, amount, (unitPrice, units, base, most, total) => {
      const caps = { maxPriorityMicroLamports: most, maxTransactionFeeLamports: total };
      const price = cappedUnitPrice(unitPrice, { units, fee: base }, caps);
      const fee = (price: bigint) => base + priorityLamports(price, units);
      expect(price).toBeLessThanOrEqual(unitPrice);
      expect(price).toBeLessThanOrEqual(most);
      if (price > 0n) expect(fee(price)).toBeLessThanOrEqual(total);
      if (price < unitPrice && price < most) expect(fee(price + 1n)).toBeGreaterThan(total);
    }),
  );
});

test.each([
  ["legacy", 0n, 5_000],
  ["legacy", 20_000n, 50_001],
  [1, 0n, 5_000],
  [1, 20_000n, 50_001],
] as const)(
  "a %p transaction of two signatures and a unit price of %p for %p units takes what the chain says before",
  async (version, price, units) => {
    const { chain, connection } = openTestChain(":memory:", new SlotClock(), {
      lamportsPerSignature: 2_600n,
    });
    const [payer, other] = [Keypair.generate(), Keypair.generate()];
    const lamports = 10_000_000_000n;
    chain.setAccount(payer.publicKey, { lamports, owner: SystemProgram.programId });
    // Fails, because the other wallet has nothing to send.
    const instructions = [
      SystemProgram.transfer({
        fromPubkey: other.publicKey,
        toPubkey: payer.publicKey,
        lamports: 1,
      }),
    ];
    const parts = { version, payer: payer.publicKey, instructions, budget: { units, price } };
    const simulation = await simulate(connection, parts);
    const { blockhash, error } = simulation;
    expect(error).not.toBeNull();
    const fee = await feeOf(connection, simulation);
    expect(fee).toBe(2n * 2_600n + priorityLamports(price, units));
    const unsigned = unsignedTransaction(compileMessage({ ...parts, blockhash }));
    expect(await feeOf(connection, splitTransaction(unsigned))).toBe(fee);
    chain.sendTransaction(signWithKeys(unsigned, [payer, other]), { skipPreflight: true });
    expect(lamports - chain.getBalance(payer.publicKey)).toBe(fee);
  },
);
