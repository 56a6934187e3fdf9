import { writeSync } from "node:fs";
import { PublicKey } from "@solana/web3.js";
import { openTestChain, SOL, transfer } from "./local-chain.ts";

// Sends transactions until it is killed. Prints the destination, then each returned signature.
const [, , ledgerPath = ":memory:"] = process.argv;
const { chain, wallet } = openTestChain(ledgerPath);
const destination = PublicKey.unique();
const from = wallet(1_000_000n * SOL);
writeSync(1, `${destination.toBase58()}\n`);
for (let sent = 0n; ; sent++) {
  // Different amounts make different transactions.
  const bytes = transfer(chain, from, SOL + sent, destination);
  writeSync(1, `${chain.sendTransaction(bytes)}\n`);
}
