import { createHmac, createPrivateKey, createPublicKey } from "node:crypto";
import { generateMnemonic, mnemonicToSeed, validateMnemonic } from "@scure/bip39";
import { wordlist } from "@scure/bip39/wordlists/english.js";

/** The path that wallets use, and solana-keygen if it is given none after `--derivation-path`. */
export const USUAL_PATH = "m/44'/501'/0'/0'";

/** @returns 12 or 24 English words of BIP-39 from the system's random numbers */
export function newSeedPhrase(words: 12 | 24): string {
  return generateMnemonic(wordlist, words === 12 ? 128 : 256);
}

/** @returns the words in lower case with one space between them; null if they are no seed phrase */
export function readSeedPhrase(text: string): string | null {
  const phrase = text.normalize("NFKD").trim().toLowerCase().split(/\s+/).join(" ");
  return validateMnemonic(phrase, wordlist) ? phrase : null;
}

/**
 * Derives a wallet as solana-keygen does: without a path from the first half of the BIP-39 seed, with
 * one by SLIP-0010.
 *
 * @param phrase words that {@link readSeedPhrase} returned
 * @param passphrase of BIP-39; empty for none
 * @param path each step hardened, for example `m/44'/501'/0'/0'`
 * @returns the secret key: 64 bytes
 */
export async function walletOf(
  phrase: string,
  passphrase: string,
  path: string | null,
): Promise<Uint8Array> {
  const seed = await mnemonicToSeed(phrase, passphrase);
  return secretKeyOf(path === null ? seed.subarray(0, 32) : derive(seed, path));
}

/** The beginning of a PKCS #8 key of Ed25519; its 32 bytes follow (RFC 8410). */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");

function secretKeyOf(seed: Uint8Array): Uint8Array {
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8, seed]),
    format: "der",
    type: "pkcs8",
  });
  const { x = "" } = createPublicKey(key).export({ format: "jwk" });
  return Uint8Array.from([...seed, ...Buffer.from(x, "base64url")]);
}

/**
 * SLIP-0010 for Ed25519 (https://github.com/satoshilabs/slips/blob/master/slip-0010.md), which knows
 * hardened steps only.
 *
 * @returns the 32 bytes of the private key
 */
export function derive(seed: Uint8Array, path: string): Uint8Array {
  let node = hmac("ed25519 seed", seed);
  for (const step of path.split("/").slice(1)) {
    const data = Buffer.alloc(37);
    node.copy(data, 1, 0, 32);
    data.writeUInt32BE(Number.parseInt(step, 10) + 2 ** 31, 33);
    node = hmac(node.subarray(32), data);
  }
  return node.subarray(0, 32);
}

function hmac(key: string | Uint8Array, data: Uint8Array): Buffer {
  return createHmac("sha512", key).update(data).digest();
}
