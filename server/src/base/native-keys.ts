import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign } from "node:crypto";
import { Keypair, type Transaction, VersionedTransaction } from "@solana/web3.js";

/*
 * Ed25519 (RFC 8032) of node:crypto and not of web3.js, which is JavaScript: there a signature takes
 * 1 ms of the event loop, a verification 2 ms, and the first use 50 ms more.
 */

/** DER of an Ed25519 private key up to its 32 bytes (RFC 8410, section 7). */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");
const SEED_BYTES = 32;

export function generateKeypair(): Keypair {
  return keypairFromSeed(randomBytes(SEED_BYTES));
}

export function keypairFromSeed(seed: Uint8Array): Keypair {
  const { x } = createPublicKey(privateKey(seed)).export({ format: "jwk" });
  if (x === undefined) throw new Error("an Ed25519 key has an x");
  const secretKey = Buffer.concat([seed, Buffer.from(x, "base64url")]);
  return Keypair.fromSecretKey(secretKey, { skipValidation: true });
}

/** As `VersionedTransaction.sign`. @throws {Error} if one of the signers is not needed */
export function signTransaction(
  transaction: VersionedTransaction,
  signers: readonly Keypair[],
): void {
  const message = transaction.message.serialize();
  for (const { publicKey, secretKey } of signers) {
    transaction.addSignature(publicKey, signMessage(message, secretKey));
  }
}

export function signMessage(message: Uint8Array, secretKey: Uint8Array): Uint8Array {
  return sign(null, message, privateKey(secretKey.subarray(0, SEED_BYTES)));
}

/** As `Transaction.sign` and `serialize`, with the message compiled once. @throws {Error} */
export function signedBytes(transaction: Transaction, signers: readonly Keypair[]): Uint8Array {
  const compiled = new VersionedTransaction(transaction.compileMessage());
  signTransaction(compiled, signers);
  return compiled.serialize();
}

/** @param seed 32 bytes: what RFC 8032 calls the private key */
export function privateKey(seed: Uint8Array): KeyObject {
  const der = Buffer.concat([PKCS8_PREFIX, seed]);
  return createPrivateKey({ key: der, format: "der", type: "pkcs8" });
}
