import { formatSecretKey, generateSecretKey, keypairSigner } from "@tokenctl/sdk";
import type { Context } from "../context.ts";
import { writeKeypairFile } from "../keypair-file.ts";
import type { Result } from "../result.ts";
import { toPath } from "../settings.ts";

/** The flags of `keygen`. */
export interface KeygenFlags {
  readonly outfile?: string;
  readonly force?: boolean;
  /** Whether to make a seed phrase. */
  readonly seedPhrase?: boolean;
  /** Whether to ask for a seed phrase. */
  readonly restore?: boolean;
  readonly words?: "12" | "24";
  /** Whether to ask for a BIP-39 passphrase too. */
  readonly passphrase?: boolean;
  /** A path, or true for the usual one. */
  readonly derivationPath?: string | true;
}

/** Makes or restores a wallet and writes its keypair file. */
export async function keygen(context: Context, flags: KeygenFlags): Promise<Result> {
  const { settings, notices } = context;
  const path = flags.outfile === undefined ? settings.keypairPath : toPath(flags.outfile);
  const { secretKey, seedPhrase } = await makeWallet(context, flags);
  const { publicKey } = keypairSigner(secretKey);
  await writeKeypairFile(path, `${formatSecretKey(secretKey)}\n`, flags.force === true);
  notices.notice(`Wrote ${path}. Whoever reads it owns the wallet: keep it, and keep it secret.`);
  if (seedPhrase === undefined)
    return { kind: "keygen", data: { address: publicKey, keypair: path } };
  notices.notice("The seed phrase is the wallet too: write it down, it is shown only this once.");
  return { kind: "keygen", data: { address: publicKey, keypair: path, seedPhrase } };
}

async function makeWallet(
  { readSecret }: Context,
  flags: KeygenFlags,
): Promise<{ secretKey: Uint8Array; seedPhrase?: string }> {
  if (!flags.seedPhrase && !flags.restore) return generateSecretKey();
  const { newSeedPhrase, readSeedPhrase, USUAL_PATH, walletOf } = await import("../seed-phrase.ts");
  const path = flags.derivationPath === true ? USUAL_PATH : (flags.derivationPath ?? null);
  if (!flags.restore) {
    const seedPhrase = newSeedPhrase(flags.words === "24" ? 24 : 12);
    const passphrase = flags.passphrase ? await readSecret("Passphrase: ", "Once more: ") : "";
    return { secretKey: await walletOf(seedPhrase, passphrase, path), seedPhrase };
  }
  // A pipe brings the passphrase in the second line.
  const [words = "", ...more] = (await readSecret("Seed phrase: ")).split("\n");
  const phrase = readSeedPhrase(words);
  const passphrase = flags.passphrase ? (more[0] ?? (await readSecret("Passphrase: "))) : "";
  return { secretKey: await walletOf(phrase, passphrase, path) };
}
