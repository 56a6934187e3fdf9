import { expect, test } from "bun:test";
import { Keypair, SystemProgram } from "@solana/web3.js";
import { splitTransaction } from "@tokenctl/shared/wire-transaction";
import { openTestChain } from "../localnet/testing/local-chain.ts";
import { SlotClock } from "../localnet/testing/slot-clock.ts";
import { priorityLamports, readFee } from "./fees.ts";
import { compileMessage, signWithKeys, unsignedTransaction } from "./message.ts";
import { feeOf, simulate } from "./simulate.ts";

test.each([
  ["legacy", 0n, 5_000],
  ["legacy", 20_000n, 50_001],
  [1, 0n, 5_000],
  [1, 20_000n, 50_001],
] as const)(
  "a %p transaction of two signatures and a bid of %p for %p units takes what the chain says before",
  async (version, price, units) => {
    const { chain, connection } = openTestChain(":memory:", new SlotClock(), {
      lamportsPerSignature: 2_600n,
    });
    const [payer, other] = [Keypair.generate(), Keypair.generate()];
    const lamports = 10_000_000_000n;
    chain.setAccount(payer.publicKey, { lamports, owner: SystemProgram.programId });
    // It fails: the other wallet has nothing to send.
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
    expect(await readFee(connection, splitTransaction(unsigned).message)).toBe(fee);
    chain.sendTransaction(signWithKeys(unsigned, [payer, other]), { skipPreflight: true });
    expect(lamports - chain.getBalance(payer.publicKey)).toBe(fee);
  },
);
