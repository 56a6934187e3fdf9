import { formatSecretKey, generateSecretKey, keypairSigner } from "@tokenctl/sdk";
import { toLamports } from "../amount.ts";
import { connect } from "../connect.ts";
import type { Context, Result } from "../context.ts";
import { readKeypairFile, writeKeypairFile } from "../keypair-file.ts";
import { readNetwork } from "../network.ts";
import { toPath } from "../settings.ts";

/** The flags of `keygen`. */
interface KeygenFlags {
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
  const keypair = flags.outfile === undefined ? settings.keypairPath : toPath(flags.outfile);
  const { secretKey, seedPhrase } = await makeWallet(context, flags);
  const { publicKey } = keypairSigner(secretKey);
  await writeKeypairFile(keypair, `${formatSecretKey(secretKey)}\n`, flags.force === true);
  notices.notice(`Wrote ${keypair}. Its content is the wallet: keep it, and keep it secret.`);
  const data = { address: publicKey, keypair };
  if (seedPhrase === undefined) return { data, view: [publicKey] };
  notices.notice("The seed phrase is the wallet too: write it down, it is shown only this once.");
  return { data: { ...data, seedPhrase }, view: [publicKey, seedPhrase] };
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

/** Returns the address of the keypair file's wallet. */
export async function address(context: Context): Promise<Result> {
  const { publicKey } = keypairSigner(await readKeypairFile(context));
  return { data: { address: publicKey }, view: [publicKey] };
}

/**
 * Shows what a wallet holds, as the server's chain knows it.
 *
 * @param wallet another one than that of `--keypair`
 */
export async function balance(context: Context, wallet?: string): Promise<Result> {
  const { notices, signal } = context;
  const client = await connect(context);
  notices.progress("Asking for the balance");
  const data = await client.balance({ wallet, signal });
  const network = await readNetwork(client, signal);
  const fields = [
    ["Balance", toLamports(data.balanceSOL)],
    ["Wallet", data.wallet],
    ["Network", network],
  ] as const;
  if (data.balanceSOL > 0) return { data, network, view: { fields } };
  const how =
    network === "sandbox"
      ? `\`tokenctl dev airdrop${wallet === undefined ? "" : ` ${wallet}`}\` gives it SOL of the sandbox`
      : `Send SOL to ${data.wallet}: claims take a network fee and rent up front`;
  return { data, network, view: { fields }, next: [how] };
}
