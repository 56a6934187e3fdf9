import { expect, test } from "bun:test";
import { Keypair, SystemProgram, TransactionMessage, VersionedTransaction } from "@solana/web3.js";
import { openTestChain } from "../localnet/testing/local-chain.ts";
import { networkFeeOf, unitLimit, unitPrice } from "./fees.ts";

test.each([
  [0n, 5_000n, 10_000n],
  [1n, 5_000n, 10_001n],
  [20_000n, 50_001n, 11_001n],
])(
  "two signatures and a bid of %p for %p units cost %p lamports, as the chain charges",
  (price, units, fee) => {
    const { chain } = openTestChain();
    const [payer, other] = [Keypair.generate(), Keypair.generate()];
    const lamports = 10_000_000_000n;
    chain.setAccount(payer.publicKey, { lamports, owner: SystemProgram.programId });
    const message = new TransactionMessage({
      payerKey: payer.publicKey,
      recentBlockhash: chain.latestBlockhash().blockhash,
      instructions: [
        unitLimit(Number(units)),
        ...unitPrice(price),
        // It fails: the other wallet has nothing to send.
        SystemProgram.transfer({
          fromPubkey: other.publicKey,
          toPubkey: payer.publicKey,
          lamports: 1,
        }),
      ],
    }).compileToLegacyMessage();
    const transaction = new VersionedTransaction(message);
    transaction.sign([payer, other]);
    const bytes = transaction.serialize();
    expect(networkFeeOf(bytes)).toBe(fee);
    chain.sendTransaction(bytes, { skipPreflight: true });
    expect(lamports - chain.getBalance(payer.publicKey)).toBe(fee);
  },
);
