import { writeSync } from "node:fs";
import { PublicKey } from "@solana/web3.js";
import { openTestChain, SlotClock, SOL, transfer } from "./local-chain.ts";

// Sends transactions until it is killed. Prints the destination, then each returned signature.
// Arguments: the ledger's path, how many transactions to keep (0 keeps all), slots before each.
const [, , ledgerPath = ":memory:", history = "0", slots = "0"] = process.argv;
const clock = new SlotClock();
const { chain, wallet } = openTestChain(ledgerPath, clock, { history: Number(history) });
const destination = PublicKey.unique();
const from = wallet(1_000_000n * SOL);
writeSync(1, `${destination.toBase58()}\n`);
for (let sent = 0n; ; sent++) {
  clock.advanceSlots(Number(slots));
  // Different amounts make different transactions.
  const bytes = transfer(chain, from, SOL + sent, destination);
  writeSync(1, `${chain.sendTransaction(bytes)}\n`);
}
