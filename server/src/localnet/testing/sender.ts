import { writeSync } from "node:fs";
import { PublicKey } from "@solana/web3.js";
import { openTestChain, SOL, transfer } from "./local-chain.ts";
import { SlotClock } from "./slot-clock.ts";

// Sends one transaction after the other until it is killed, and prints where to and each signature
// as it is given out. Run with the ledger's path, how many transactions are kept (0 for all), and
// how many slots lie between two of them.
const [, , ledgerPath = ":memory:", history = "0", slots = "0"] = process.argv;
const clock = new SlotClock();
const { chain, wallet } = openTestChain(ledgerPath, clock, Number(history));
const destination = PublicKey.unique();
const from = wallet(1_000_000n * SOL);
writeSync(1, `${destination.toBase58()}\n`);
for (let sent = 0n; ; sent++) {
  clock.advanceSlots(Number(slots));
  // The amount tells the transactions apart.
  const bytes = transfer(chain, from, SOL + sent, destination);
  writeSync(1, `${chain.sendTransaction(bytes)}\n`);
}
