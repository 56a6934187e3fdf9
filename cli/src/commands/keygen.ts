import { createHmac } from "node:crypto";
import { generateMnemonic, mnemonicToSeed, validateMnemonic } from "@scure/bip39";
import { wordlist } from "@scure/bip39/wordlists/english.js";
import { formatSecretKey, generateSecretKey, keypairSigner } from "@tokenctl/sdk";
import nacl from "tweetnacl";
import { writeKeypairFile } from "../client.ts";
import type { Desk, Result } from "../desk.ts";
import { CliError } from "../errors.ts";
import { toPath } from "../settings.ts";

interface KeygenFlags {
  readonly outfile?: string;
  readonly force?: boolean;
  readonly seedPhrase?: boolean;
  readonly restore?: boolean;
  readonly words?: "12" | "24";
  readonly passphrase?: boolean;
  /** A derivation path, or true for the default one. */
  readonly derivationPath?: string | true;
}

export async function keygen(desk: Desk, flags: KeygenFlags): Promise<Result> {
  const { settings, notices } = desk;
  const keypair = flags.outfile === undefined ? settings.keypairPath : toPath(flags.outfile);
  const { secretKey, seedPhrase } = await makeWallet(desk, flags);
  const { publicKey } = keypairSigner(secretKey);
  writeKeypairFile(keypair, `${formatSecretKey(secretKey)}\n`, flags.force === true);
  notices.notice(`Wrote ${keypair}. This file is the wallet: keep it safe and secret.`);
  const data = { address: publicKey, keypair };
  if (seedPhrase === undefined) return { data, lines: [publicKey] };
  notices.notice("The seed phrase is the wallet too. Write it down: it is shown only once.");
  return { data: { ...data, seedPhrase }, lines: [publicKey, seedPhrase] };
}

async function makeWallet(
  { readSecret }: Desk,
  flags: KeygenFlags,
): Promise<{ secretKey: Uint8Array; seedPhrase?: string }> {
  if (!flags.seedPhrase && !flags.restore) return generateSecretKey();
  const path = flags.derivationPath === true ? USUAL_PATH : (flags.derivationPath ?? null);
  if (!flags.restore) {
    const seedPhrase = generateMnemonic(wordlist, flags.words === "24" ? 256 : 128);
    const passphrase = flags.passphrase ? await readSecret("Passphrase: ", "Repeat it: ") : "";
    return { secretKey: await walletOf(seedPhrase, passphrase, path), seedPhrase };
  }
  // From a pipe, the passphrase is the second line.
  const [words = "", ...more] = (await readSecret("Seed phrase: ")).split("\n");
  const phrase = readSeedPhrase(words);
  const passphrase = flags.passphrase ? (more[0] ?? (await readSecret("Passphrase: "))) : "";
  return { secretKey: await walletOf(phrase, passphrase, path) };
}

/** The default path of wallets, and of solana-keygen's `--derivation-path`. */
const USUAL_PATH = "m/44'/501'/0'/0'";

/** The list has no longer word: a longer text may be a pasted key, so errors do not repeat it. */
const LONGEST_NAMED = 12;
const COUNTS: readonly number[] = [12, 15, 18, 21, 24];

/** @throws {CliError} `seed_phrase_invalid`, which repeats at most one word of the text */
function readSeedPhrase(text: string): string {
  const words = text.normalize("NFKD").trim().toLowerCase().split(/\s+/);
  const phrase = words.join(" ");
  if (validateMnemonic(phrase, wordlist)) return phrase;
  throw new CliError("seed_phrase_invalid", `Not a BIP-39 seed phrase: ${flawOf(words)}`, {
    hint: "Give its 12 to 24 English words in order; the last one contains a checksum",
  });
}

function flawOf(words: readonly string[]): string {
  if (!COUNTS.includes(words.length)) {
    return `it must have 12, 15, 18, 21 or 24 words, not ${words.length}`;
  }
  const at = words.findIndex((word) => !wordlist.includes(word));
  if (at < 0) return "its checksum is wrong, so a word is wrong or in the wrong place";
  const word = words[at] ?? "";
  const isName = word.length <= LONGEST_NAMED && /^\p{L}+$/u.test(word);
  return `word ${at + 1}${isName ? `, ${word},` : ""} is not in the BIP-39 list`;
}

/**
 * Derives a secret key as solana-keygen does: by SLIP-0010, or without a path from the first half
 * of the BIP-39 seed. @param path hardened, for example `m/44'/501'/0'/0'`
 */
export async function walletOf(
  phrase: string,
  passphrase: string,
  path: string | null,
): Promise<Uint8Array> {
  const seed = await mnemonicToSeed(phrase, passphrase);
  return nacl.sign.keyPair.fromSeed(path === null ? seed.subarray(0, 32) : derive(seed, path))
    .secretKey;
}

/** SLIP-0010 for Ed25519 (https://github.com/satoshilabs/slips/blob/master/slip-0010.md). */
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
