import { generateKeyPairSync, sign } from "node:crypto";
import bs58 from "bs58";

/** The bytes of a signature. */
const SIGNATURE = 64;

/** A new wallet, by what the API document says alone: it knows nothing of Solana's libraries. */
export function newWallet() {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const { x } = publicKey.export({ format: "jwk" });
  const signBytes = (bytes: Uint8Array) => sign(null, bytes, privateKey);
  return {
    address: bs58.encode(Buffer.from(String(x), "base64url")),
    /** @returns the signature of the sign-in message */
    signIn: (nonce: string) =>
      bs58.encode(signBytes(Buffer.from(`Sign this message to authenticate: ${nonce}`))),
    /** @returns the transaction with the wallet's signature in its last place */
    signClaim(transaction: string): string {
      const bytes = Buffer.from(transaction, "base64");
      const signatures = bytes[0] ?? 0;
      const end = 1 + signatures * SIGNATURE;
      bytes.set(signBytes(bytes.subarray(end)), end - SIGNATURE);
      return bytes.toString("base64");
    },
  };
}

/** @throws {Error} if something is not as it must be */
export function assert(condition: unknown, what: string): asserts condition {
  if (!condition) throw new Error(what);
}
