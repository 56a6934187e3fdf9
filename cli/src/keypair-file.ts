import { randomUUID } from "node:crypto";
import { chmod, link, mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { InvalidArgumentError, parseSecretKey } from "@tokenctl/sdk";
import type { Context } from "./context.ts";
import { CliError } from "./errors.ts";

/**
 * Reads the keypair file that the settings name: a JSON byte array as the Solana CLI writes it, or
 * base58 text. Warns where others than its owner may read it.
 *
 * @returns the 64 bytes of the secret key
 * @throws {CliError} `keypair_missing`, `keypair_unreadable` or `keypair_invalid`
 */
export async function readKeypairFile({ settings, notices }: Context): Promise<Uint8Array> {
  const path = settings.keypairPath;
  const [text, mode] = await readText(path);
  if ((mode & 0o077) !== 0) {
    const octal = (mode & 0o777).toString(8);
    notices.warn(`Others can read the keypair ${path} (mode ${octal}). Run \`chmod 600 ${path}\``);
  }
  try {
    return parseSecretKey(text);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new CliError("keypair_invalid", `${path}: ${error.message}`, {
      hint: error.hint ?? "Name another file with --keypair",
    });
  }
}

async function readText(path: string): Promise<[text: string, mode: number]> {
  try {
    return [await readFile(path, "utf8"), (await stat(path)).mode];
  } catch (cause) {
    const code = codeOf(cause);
    if (code === "ENOENT" || code === "ENOTDIR") {
      throw new CliError("keypair_missing", `There is no keypair file ${path}`, {
        hint: "Run `tokenctl keygen` to make one, or name yours with --keypair or TOKENCTL_KEYPAIR",
        cause,
      });
    }
    throw new CliError(
      "keypair_unreadable",
      `Cannot read the keypair file ${path}: ${why(cause)}`,
      {
        hint: "Check its permissions, or name another with --keypair or TOKENCTL_KEYPAIR",
        cause,
      },
    );
  }
}

/**
 * Writes a keypair file that its owner alone may read (mode 600), and the folder where it is
 * missing. The file appears whole or not at all.
 *
 * @param force whether to replace a file that is there
 * @throws {CliError} `keypair_exists` or `keypair_unwritable`
 */
export async function writeKeypairFile(path: string, text: string, force: boolean): Promise<void> {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    try {
      await writeDurably(draft, text);
      // A link, unlike a rename, fails where the name is taken: no keypair is lost to a race.
      await (force ? rename(draft, path) : link(draft, path));
    } finally {
      await rm(draft, { force: true });
    }
  } catch (cause) {
    if (codeOf(cause) === "EEXIST") {
      throw new CliError("keypair_exists", `There is a file ${path} already`, {
        hint: "Write elsewhere with --outfile, or replace it, and lose its wallet, with --force",
        cause,
      });
    }
    throw new CliError("keypair_unwritable", `Cannot write ${path}: ${why(cause)}`, {
      hint: "Write elsewhere with --outfile",
      cause,
    });
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  // The mode given to open is cut by the umask, which may take the owner's own bits.
  await chmod(path, 0o600);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function why(error: unknown): string {
  const reasons: Readonly<Record<string, string>> = {
    EACCES: "permission denied",
    EISDIR: "it is a folder",
    EROFS: "the file system is read-only",
    ENOSPC: "the disk is full",
    ENOTDIR: "a part of its path is not a folder",
  };
  const code = String(codeOf(error));
  return reasons[code] ?? code;
}
