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
import { keypairFromSeed, signedBytes, signTransaction } from "./native-keys.ts";

/** Makes a transfer that two keys must sign. */
function transfer(payer: Keypair, sender: Keypair): VersionedTransaction {
  const message = new TransactionMessage({
    payerKey: payer.publicKey,
    recentBlockhash: Keypair.generate().publicKey.toBase58(),
    instructions: [
      SystemProgram.transfer({
        fromPubkey: sender.publicKey,
        toPubkey: payer.publicKey,
        lamports: 1,
      }),
    ],
  }).compileToLegacyMessage();
  return new VersionedTransaction(message);
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

test("a signed transaction has the same bytes as one of web3.js", () => {
  const [payer, sender] = [Keypair.generate(), Keypair.generate()];
  const transaction = transfer(payer, sender);
  const expected = new VersionedTransaction(transaction.message);
  expected.sign([payer, sender]);
  signTransaction(transaction, [sender, payer]);
  expect(transaction.serialize()).toEqual(expected.serialize());
});

test("the bytes of a signed legacy transaction are those of web3.js", () => {
  const [payer, sender] = [Keypair.generate(), Keypair.generate()];
  const build = () =>
    new Transaction({
      feePayer: payer.publicKey,
      recentBlockhash: PublicKey.default.toBase58(),
    }).add(
      SystemProgram.transfer({
        fromPubkey: sender.publicKey,
        toPubkey: payer.publicKey,
        lamports: 1,
      }),
    );
  const expected = build();
  expected.sign(payer, sender);
  const bytes = Buffer.from(signedBytes(build(), [sender, payer]));
  expect(bytes.equals(expected.serialize())).toBe(true);
});

test("a signer that the transaction does not need is refused", () => {
  const transaction = transfer(Keypair.generate(), Keypair.generate());
  expect(() => signTransaction(transaction, [Keypair.generate()])).toThrow("not required");
});

test("a seed of another length is refused", () => {
  expect(() => keypairFromSeed(new Uint8Array(31))).toThrow();
});
