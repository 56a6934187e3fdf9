import { formatSecretKey, generateSecretKey } from "@tokenctl/sdk";
import type { Context } from "../context.ts";
import { writeKeypairFile } from "../keypair-file.ts";
import type { Result } from "../result.ts";
import { toPath } from "../settings.ts";

/** Makes a wallet and writes its keypair file. */
export async function keygen(
  { settings, notices }: Context,
  options: { outfile?: string; force?: boolean },
): Promise<Result> {
  const path = options.outfile === undefined ? settings.keypairPath : toPath(options.outfile);
  const { publicKey, secretKey } = generateSecretKey();
  await writeKeypairFile(path, `${formatSecretKey(secretKey)}\n`, options.force === true);
  notices.notice(`Wrote ${path}. Whoever reads it owns the wallet: keep it, and keep it secret.`);
  return { kind: "keygen", data: { address: publicKey, keypair: path } };
}
