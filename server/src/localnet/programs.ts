import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type Connection, PublicKey } from "@solana/web3.js";
import { writeDurably } from "../base/files.ts";

export interface ProgramBinary {
  readonly programId: PublicKey;
  readonly bytes: Uint8Array;
}

/**
 * The programs that a launch on Meteora's Dynamic Bonding Curve needs. `testedHash` is the
 * {@link programHash} of the release that this version was tested with.
 */
export const METEORA_PROGRAMS = [
  {
    name: "Dynamic Bonding Curve",
    file: "dynamic_bonding_curve.so",
    programId: new PublicKey("dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN"),
    testedHash: "1824be42a107b6c8ab63a6ea5a4272f450af6bb07f4d06f07a30352b8b385caa",
  },
  {
    name: "DAMM v2",
    file: "cp_amm.so",
    programId: new PublicKey("cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG"),
    testedHash: "bfc040203bfffd3c7e0928457ace31433c6ef88eed36fecc693f6bd5412c0bbd",
  },
  {
    name: "Token Metadata",
    file: "metaplex.so",
    programId: new PublicKey("metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s"),
    testedHash: "ddb0df2b6f6dc1ba19d9da8e2c0f7f1c25c3d1bcb28d456a0088798eb4465900",
  },
] as const;

/** Returns `LOCALNET_PROGRAMS`, or `tokend/programs` in the user's cache. */
export function programsFolder(env: Readonly<Record<string, string | undefined>>): string {
  const cache = env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return env.LOCALNET_PROGRAMS || join(cache, "tokend", "programs");
}

/** Also returns which {@link METEORA_PROGRAMS} are missing. @throws {Error} a file is not an ELF */
export function loadPrograms(folder: string) {
  const programs: ProgramBinary[] = [];
  const missing: string[] = [];
  for (const { file, programId } of METEORA_PROGRAMS) {
    const path = join(folder, file);
    if (!existsSync(path)) {
      missing.push(file);
      continue;
    }
    const bytes = readFileSync(path);
    if (!isElf(bytes)) {
      throw new Error(
        `${path} is not a program (it has no ELF header): delete it and run \`tokend localnet pull\``,
      );
    }
    programs.push({ programId, bytes });
  }
  return { programs, missing };
}

function isElf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 4)).toString("latin1") === "\x7fELF";
}

const UPGRADEABLE_LOADER = "BPFLoaderUpgradeab1e11111111111111111111111";
/** The loader of immutable programs, whose account is the ELF. */
const FINAL_LOADER = "BPFLoader2111111111111111111111111111111111";
/** `UpgradeableLoaderState::Program`: a tag of 4 bytes, then the address of the program data. */
const PROGRAM_TAG_BYTES = 4;
/** `UpgradeableLoaderState::ProgramData`: tag, slot and upgrade authority precede the ELF. */
const PROGRAM_DATA_HEADER_BYTES = 45;

/** Reads a program's ELF with the account's trailing zeros; null if there is no such program. */
export async function readProgram(
  connection: Connection,
  programId: PublicKey,
): Promise<Uint8Array | null> {
  const program = await connection.getAccountInfo(programId);
  const loader = program?.owner.toBase58();
  if (loader === FINAL_LOADER) return program?.data ?? null;
  if (!program || loader !== UPGRADEABLE_LOADER) return null;
  const address = new PublicKey(program.data.subarray(PROGRAM_TAG_BYTES, PROGRAM_TAG_BYTES + 32));
  const data = await connection.getAccountInfo(address);
  return data?.data.subarray(PROGRAM_DATA_HEADER_BYTES) ?? null;
}

/** Returns the SHA-256, in hex, of a program's ELF without the account's trailing zeros. */
export function programHash(bytes: Uint8Array): string {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return sha256(bytes.subarray(0, end));
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/**
 * Downloads the Meteora programs into a folder, each completely or not at all, and prints a line
 * for each. @throws {Error} the cluster does not have a program at an address
 */
export async function pullPrograms(
  connection: Connection,
  folder: string,
  print: (line: string) => void,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const { programId, file } of METEORA_PROGRAMS) {
    const bytes = await readProgram(connection, programId);
    if (bytes === null) throw new Error(`the cluster has no program ${programId}`);
    if (!isElf(bytes)) {
      throw new Error(`the cluster's data of program ${programId} is not an ELF`);
    }
    const path = join(folder, file);
    const write = (draft: string) => writeFileSync(draft, bytes);
    writeDurably(path, write, { existing: "replace", mode: 0o644 });
    print(`${path}  ${bytes.length} bytes  sha256 ${sha256(bytes)}`);
  }
}
