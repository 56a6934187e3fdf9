import { writeSync } from "node:fs";
import { PublicKey } from "@solana/web3.js";
import { openTestChain, SOL, transfer } from "./local-chain.ts";

// Sends one transaction after the other until it is killed, and prints where to and each signature
// as it is given out. Run with the ledger's path.
const [, , ledgerPath = ":memory:"] = process.argv;
const { chain, wallet } = openTestChain(ledgerPath);
const destination = PublicKey.unique();
const from = wallet(1_000_000n * SOL);
writeSync(1, `${destination.toBase58()}\n`);
for (let sent = 0n; ; sent++) {
  // The amount tells the transactions apart.
  const bytes = transfer(chain, from, SOL + sent, destination);
  writeSync(1, `${chain.sendTransaction(bytes)}\n`);
}
