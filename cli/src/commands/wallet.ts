import { formatSecretKey, generateSecretKey, keypairSigner } from "@tokenctl/sdk";
import { solToLamports } from "@tokenctl/shared/sol";
import { solText } from "../amount.ts";
import type { Desk, Result } from "../desk.ts";
import { readSigner, writeKeypairFile } from "../keypair-file.ts";
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
  if (seedPhrase === undefined) return { data, view: [publicKey] };
  notices.notice("The seed phrase is the wallet too. Write it down: it is shown only once.");
  return { data: { ...data, seedPhrase }, view: [publicKey, seedPhrase] };
}

async function makeWallet(
  { readSecret }: Desk,
  flags: KeygenFlags,
): Promise<{ secretKey: Uint8Array; seedPhrase?: string }> {
  if (!flags.seedPhrase && !flags.restore) return generateSecretKey();
  const { newSeedPhrase, readSeedPhrase, USUAL_PATH, walletOf } = await import("../seed-phrase.ts");
  const path = flags.derivationPath === true ? USUAL_PATH : (flags.derivationPath ?? null);
  if (!flags.restore) {
    const seedPhrase = newSeedPhrase(flags.words === "24" ? 24 : 12);
    const passphrase = flags.passphrase ? await readSecret("Passphrase: ", "Repeat it: ") : "";
    return { secretKey: await walletOf(seedPhrase, passphrase, path), seedPhrase };
  }
  // From a pipe, the passphrase is the second line.
  const [words = "", ...more] = (await readSecret("Seed phrase: ")).split("\n");
  const phrase = readSeedPhrase(words);
  const passphrase = flags.passphrase ? (more[0] ?? (await readSecret("Passphrase: "))) : "";
  return { secretKey: await walletOf(phrase, passphrase, path) };
}

export async function address(desk: Desk): Promise<Result> {
  const { publicKey } = await readSigner(desk);
  return { data: { address: publicKey }, view: [publicKey] };
}

export async function balance(desk: Desk, { wallet }: { wallet?: string }): Promise<Result> {
  const { client, signal } = desk;
  const held = await client.balance({ wallet, signal });
  const network = await desk.network();
  const data = { ...held, network };
  const says = `${held.wallet} holds ${solText(held.balanceSOL)} on ${network ?? "an unnamed chain"}.`;
  const fields = [
    ["Balance", solToLamports(held.balanceSOL)],
    ["Wallet", held.wallet],
    ["Network", network],
  ] as const;
  if (held.balanceSOL > 0) return { data, view: { fields }, says };
  const how =
    network === "sandbox"
      ? `\`tokenctl dev airdrop${wallet === undefined ? "" : ` ${wallet}`}\` gives it sandbox SOL`
      : `Send SOL to ${held.wallet}: a claim costs a network fee and rent in advance`;
  return { data, view: { fields }, says, next: [how] };
}
