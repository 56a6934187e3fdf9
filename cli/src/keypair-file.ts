import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { InvalidArgumentError, keypairSigner, type Signer } from "@tokenctl/sdk";
import type { Context } from "./context.ts";
import { CliError, systemCode } from "./errors.ts";

/** Reads the settings' keypair file, and warns if others can. @throws {CliError} `keypair_…` */
export async function readSigner({
  settings,
  notices,
}: Pick<Context, "settings" | "notices">): Promise<Signer> {
  const path = settings.keypairPath;
  const [text, mode] = await readText(path);
  if ((mode & 0o077) !== 0) {
    const octal = (mode & 0o777).toString(8);
    notices.warn(`Others can read the keypair ${path} (mode ${octal}). Run \`chmod 600 ${path}\``);
  }
  try {
    return keypairSigner(text);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new CliError("keypair_invalid", `${path}: ${error.message}`, {
      hint: "Give a file made by `tokenctl keygen` or `solana-keygen new`, or one with a base58 secret key",
    });
  }
}

async function readText(path: string): Promise<[text: string, mode: number]> {
  try {
    return [await readFile(path, "utf8"), (await stat(path)).mode];
  } catch (cause) {
    const code = systemCode(cause);
    if (code === "ENOENT" || code === "ENOTDIR") {
      throw new CliError("keypair_missing", `There is no keypair file ${path}`, {
        hint: "Run `tokenctl keygen` to make one, or give yours with --keypair or TOKENCTL_KEYPAIR",
        cause,
      });
    }
    const message = `Cannot read the keypair file ${path}: ${why(cause)}`;
    const hint = "Check its permissions, or give another with --keypair or TOKENCTL_KEYPAIR";
    throw new CliError("keypair_unreadable", message, { hint, cause });
  }
}

/** Writes a file for its owner alone, with its folder; `force` replaces one. @throws {CliError} */
export async function writeKeypairFile(path: string, text: string, force: boolean): Promise<void> {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    if (!force) return await writeNew(path, text);
    await writeNew(draft, text);
    await rename(draft, path);
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw new CliError("keypair_unwritable", `Cannot write ${path}: ${why(cause)}`, {
      hint: "Write elsewhere with --outfile",
      cause,
    });
  } finally {
    if (force) await rm(draft, { force: true }).catch(() => {});
  }
}

async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600).catch((cause: unknown) => {
    if (systemCode(cause) !== "EEXIST") throw cause;
    throw new CliError("keypair_exists", `The file ${path} already exists`, {
      hint: "Write elsewhere with --outfile, or replace it with --force, which loses its wallet",
      cause,
    });
  });
  try {
    // The umask applies to the mode of `open` and can remove the owner's own bits.
    await file.chmod(0o600);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

function why(error: unknown): string {
  const reasons: Readonly<Record<string, string>> = {
    EACCES: "permission denied",
    EEXIST: "a part of its path is not a folder",
    EISDIR: "it is a folder",
    EROFS: "the file system is read-only",
    ENOSPC: "the disk is full",
    ENOTDIR: "a part of its path is not a folder",
  };
  const code = systemCode(error);
  return reasons[code] ?? code;
}
