import bs58 from "bs58";
import nacl from "tweetnacl";
import { readUnsignedTransaction } from "./internal/wire-transaction.ts";
import { parseSecretKey } from "./secret-key.ts";

/**
 * A wallet, as the client needs it. Implement it over a KMS, an HSM or a browser wallet; use
 * {@link keypairSigner} where the key is at hand.
 */
export interface Signer {
  /** The wallet's address: base58 of the 32-byte Ed25519 public key. */
  readonly publicKey: string;

  /**
   * Signs a message as it is.
   *
   * @returns the 64-byte Ed25519 signature
   */
  signMessage(message: Uint8Array): Promise<Uint8Array> | Uint8Array;

  /**
   * Signs a transaction that the client has checked and found harmless.
   *
   * @param transaction an unsigned legacy transaction in Solana's wire format, whose only
   * required signer is this wallet
   * @returns the same transaction, signed, in the wire format
   */
  signTransaction(transaction: Uint8Array): Promise<Uint8Array> | Uint8Array;
}

/** Anything that holds a secret key as web3.js' `Keypair` does. */
export interface KeypairLike {
  /** 64 bytes: the seed and the public key. */
  readonly secretKey: Uint8Array;
}

/**
 * A signer over a key in memory. The key is in a private field: it shows in no log, JSON or
 * `inspect` of the signer.
 *
 * @param key a `Keypair` of web3.js, 64 bytes of secret key, the text of a Solana keypair file
 * (a JSON array of 64 numbers), or the secret key in base58
 * @throws {InvalidArgumentError} where it is not a secret key, or its halves do not belong together
 */
export function keypairSigner(key: KeypairLike | Uint8Array | readonly number[] | string): Signer {
  return new KeypairSigner(
    parseSecretKey(typeof key === "object" && "secretKey" in key ? key.secretKey : key),
  );
}

class KeypairSigner implements Signer {
  readonly publicKey: string;
  readonly #secretKey: Uint8Array;

  constructor(secretKey: Uint8Array) {
    this.#secretKey = secretKey;
    this.publicKey = bs58.encode(secretKey.subarray(32));
  }

  signMessage(message: Uint8Array): Uint8Array {
    return nacl.sign.detached(message, this.#secretKey);
  }

  signTransaction(transaction: Uint8Array): Uint8Array {
    const { message, signatureOffset } = readUnsignedTransaction(transaction);
    const signed = Uint8Array.from(transaction);
    signed.set(this.signMessage(message), signatureOffset);
    return signed;
  }
}

/**
 * Makes a new wallet.
 *
 * @returns its address, and its 64-byte secret key: whoever has that owns the wallet
 */
export function generateSecretKey(): { publicKey: string; secretKey: Uint8Array } {
  const { publicKey, secretKey } = nacl.sign.keyPair();
  return { publicKey: bs58.encode(publicKey), secretKey };
}
