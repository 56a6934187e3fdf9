import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import {
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  VersionedTransaction,
} from "@solana/web3.js";
import { keypairFromSeed, signedBytes, signTransaction } from "./native-keys.ts";

/** Makes a transfer that two keys must sign. */
function transfer(payer: Keypair, sender: Keypair): Transaction {
  const blockhash = PublicKey.default.toBase58();
  return new Transaction({ feePayer: payer.publicKey, recentBlockhash: blockhash }).add(
    SystemProgram.transfer({
      fromPubkey: sender.publicKey,
      toPubkey: payer.publicKey,
      lamports: 1,
    }),
  );
}

const versioned = (transaction: Transaction) =>
  new VersionedTransaction(transaction.compileMessage());

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
  const expected = transfer(payer, sender);
  expected.sign(payer, sender);
  const bytes = Buffer.from(signedBytes(transfer(payer, sender), [sender, payer]));
  expect(bytes.equals(expected.serialize())).toBe(true);
  const transaction = versioned(transfer(payer, sender));
  signTransaction(transaction, [sender, payer]);
  expect(bytes.equals(transaction.serialize())).toBe(true);
});

test("a signer that the transaction does not need is refused", () => {
  const transaction = versioned(transfer(Keypair.generate(), Keypair.generate()));
  expect(() => signTransaction(transaction, [Keypair.generate()])).toThrow("not required");
});

test("a seed of another length is refused", () => {
  expect(() => keypairFromSeed(new Uint8Array(31))).toThrow();
});
