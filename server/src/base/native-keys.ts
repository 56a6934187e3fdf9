import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { Keypair, type Transaction, VersionedTransaction } from "@solana/web3.js";

/*
 * Ed25519 (RFC 8032) of node:crypto. That of web3.js is JavaScript: a signature takes a millisecond
 * of the event loop, verifying one takes two, and the first use 50 more.
 */

/** DER of an Ed25519 private key up to its 32 bytes (RFC 8410, section 7). */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");
const SEED_BYTES = 32;

/** As `Keypair.fromSeed`. */
export function keypairFromSeed(seed: Uint8Array): Keypair {
  const { x } = createPublicKey(privateKey(seed)).export({ format: "jwk" });
  if (x === undefined) throw new Error("an Ed25519 key has an x");
  const secretKey = Buffer.concat([seed, Buffer.from(x, "base64url")]);
  return Keypair.fromSecretKey(secretKey, { skipValidation: true });
}

/**
 * As `VersionedTransaction.sign`.
 *
 * @throws {Error} where a signer is none of the transaction's
 */
export function signTransaction(
  transaction: VersionedTransaction,
  signers: readonly Keypair[],
): void {
  const message = transaction.message.serialize();
  for (const { publicKey, secretKey } of signers) {
    const key = privateKey(secretKey.subarray(0, SEED_BYTES));
    transaction.addSignature(publicKey, sign(null, message, key));
  }
}

/**
 * As `Transaction.sign` and then `serialize`, which compile the message once for each signer and
 * verify what was just signed.
 *
 * @returns the signed bytes
 * @throws {Error} where a signer is none of the transaction's
 */
export function signedBytes(transaction: Transaction, signers: readonly Keypair[]): Uint8Array {
  const compiled = new VersionedTransaction(transaction.compileMessage());
  signTransaction(compiled, signers);
  return compiled.serialize();
}

function privateKey(seed: Uint8Array): KeyObject {
  const der = Buffer.concat([PKCS8_PREFIX, seed]);
  return createPrivateKey({ key: der, format: "der", type: "pkcs8" });
}
