import { expect, test } from "bun:test";
import { Keypair, PublicKey } from "@solana/web3.js";
import { LocalChain } from "./chain.ts";
import { localConnection, SlotClock, SOL, transfer } from "./testing/local-chain.ts";

/** One more than the 300 slots whose transactions all stay. */
const LONG = 301;

function openShort() {
  const clock = new SlotClock();
  const chain = LocalChain.open({ ledgerPath: ":memory:", clock, history: 5 });
  const from = Keypair.generate();
  chain.airdrop(from.publicKey, SOL);
  const to = PublicKey.unique();
  let sent = 0n;
  /** Sends payments to one address, and lets slots pass before each. */
  const pay = (count: number, slots: number) =>
    Array.from({ length: count }, () => {
      clock.advanceSlots(slots);
      return chain.sendTransaction(transfer(chain, from, SOL / 100n + ++sent, to));
    });
  return { chain, to, pay };
}

test("a history keeps the latest transactions and the effects of all, and is read in pages", async () => {
  const { chain, to, pay } = openShort();
  const signatures = pay(7, LONG);
  const kept = signatures.slice(-5);
  expect(signatures.filter((each) => chain.getTransaction(each) !== null)).toEqual(kept);
  expect(chain.transactions.count()).toBe(8);
  expect(chain.getBalance(to)).toBe((7n * SOL) / 100n + 28n);
  const listed = async (options: object) =>
    (await localConnection(chain).getSignaturesForAddress(to, options)).map(
      ({ signature }) => signature,
    );
  const newestFirst = kept.toReversed();
  expect(await listed({})).toEqual(newestFirst);
  expect(await listed({ before: newestFirst[1] })).toEqual(newestFirst.slice(2));
  // As on a node that no longer has the transaction.
  await expect(listed({ before: signatures[0] })).rejects.toThrow("not found");
});

test("a history keeps all transactions of the last 300 slots, and then shrinks by four at a time", () => {
  const { chain, pay } = openShort();
  const signatures = pay(20, 10);
  const count = () => signatures.filter((each) => chain.getTransaction(each) !== null).length;
  expect(count()).toBe(20);
  pay(1, LONG);
  // The airdrop was the oldest.
  expect(count()).toBe(17);
  pay(1, 0);
  expect(count()).toBe(13);
});
