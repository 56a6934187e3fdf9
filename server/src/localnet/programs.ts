import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { PublicKey } from "@solana/web3.js";

/** A deployable program: its address and its ELF. */
export interface ProgramBinary {
  readonly programId: PublicKey;
  readonly bytes: Uint8Array;
}

/** A program that the cache folder may hold. */
export interface CachedProgram {
  readonly name: string;
  readonly file: string;
  readonly programId: PublicKey;
  /** `programHash` of the release with which this version was tested. */
  readonly testedHash: string;
}

/** The programs that a launch on Meteora's Dynamic Bonding Curve needs. */
export const METEORA_PROGRAMS: readonly CachedProgram[] = [
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
];

/** A file in the cache folder is no program. */
export class ProgramFileError extends Error {
  override readonly name = "ProgramFileError";
  readonly code = "program_file";
}

/**
 * The folder of the program binaries: `LOCALNET_PROGRAMS`, otherwise `tokend/programs` in the user's
 * cache.
 *
 * @param env the process's environment
 */
export function programsFolder(env: Readonly<Record<string, string | undefined>>): string {
  const chosen = env.LOCALNET_PROGRAMS;
  if (chosen !== undefined && chosen !== "") return chosen;
  const cache = env.XDG_CACHE_HOME;
  const base = cache !== undefined && cache !== "" ? cache : join(homedir(), ".cache");
  return join(base, "tokend", "programs");
}

export interface LoadedPrograms {
  readonly programs: readonly ProgramBinary[];
  /** File names of {@link METEORA_PROGRAMS} that the folder does not hold. */
  readonly missing: readonly string[];
}

/**
 * Reads the binaries of a cache folder.
 *
 * @throws {ProgramFileError} if a file there is no ELF
 */
export async function loadPrograms(folder: string): Promise<LoadedPrograms> {
  const programs: ProgramBinary[] = [];
  const missing: string[] = [];
  for (const { file, programId } of METEORA_PROGRAMS) {
    const bytes = await readIfThere(join(folder, file));
    if (bytes === null) {
      missing.push(file);
      continue;
    }
    if (!isElf(bytes)) {
      throw new ProgramFileError(
        `${join(folder, file)} is no program (no ELF header): delete it and run \`tokend localnet pull\``,
      );
    }
    programs.push({ programId, bytes });
  }
  return { programs, missing };
}

/** Whether the bytes start with the magic number of ELF. */
export function isElf(bytes: Uint8Array): boolean {
  return bytes[0] === 0x7f && bytes[1] === 0x45 && bytes[2] === 0x4c && bytes[3] === 0x46;
}

async function readIfThere(path: string): Promise<Uint8Array | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
