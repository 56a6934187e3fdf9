import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import {
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { keypairFromSeed, signedBytes } from "./native-keys.ts";

const blockhash = PublicKey.default.toBase58();

/** A transfer that two keys must sign. */
function transfer({ publicKey: toPubkey }: Keypair, { publicKey: fromPubkey }: Keypair) {
  return SystemProgram.transfer({ fromPubkey, toPubkey, lamports: 1 });
}

test("a seed makes the same keypair as in web3.js", () => {
  for (let count = 0; count < 100; count++) {
    const seed = randomBytes(32);
    const expected = Keypair.fromSeed(seed);
    const keypair = keypairFromSeed(seed);
    expect(keypair.secretKey).toEqual(expected.secretKey);
    expect(keypair.publicKey.toBase58()).toBe(expected.publicKey.toBase58());
  }
});

test("signed transactions have the same bytes as those of web3.js", () => {
  const [payer, sender] = [Keypair.generate(), Keypair.generate()];
  const instructions = [transfer(payer, sender)];
  const parts = { payerKey: payer.publicKey, recentBlockhash: blockhash, instructions };
  const message = new TransactionMessage(parts).compileToLegacyMessage();
  const expected = new VersionedTransaction(message);
  expected.sign([payer, sender]);
  const bytes = signedBytes([payer, sender], blockhash, instructions);
  expect(bytes).toEqual(expected.serialize());
  expect(Transaction.from(bytes).verifySignatures()).toBe(true);
});

test("a signer that the transaction does not need is refused", () => {
  const [payer, sender, other] = [1, 2, 3].map(() => Keypair.generate()) as [
    ...[Keypair, Keypair, Keypair],
  ];
  const signing = () => signedBytes([payer, sender, other], blockhash, [transfer(payer, sender)]);
  expect(signing).toThrow("not required");
});

test("a seed of another length is refused", () => {
  expect(() => keypairFromSeed(new Uint8Array(31))).toThrow();
});
