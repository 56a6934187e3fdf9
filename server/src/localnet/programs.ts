import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type Connection, PublicKey } from "@solana/web3.js";
import { writeDurably } from "../base/files.ts";

export interface ProgramBinary {
  readonly programId: PublicKey;
  readonly bytes: Uint8Array;
}

/** The programs that a launch on Meteora's Dynamic Bonding Curve needs. */
export const METEORA_PROGRAMS = [
  {
    name: "Dynamic Bonding Curve",
    file: "dynamic_bonding_curve.so",
    programId: new PublicKey("dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN"),
  },
  {
    name: "DAMM v2",
    file: "cp_amm.so",
    programId: new PublicKey("cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG"),
  },
  {
    name: "Token Metadata",
    file: "metaplex.so",
    programId: new PublicKey("metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s"),
  },
] as const;

/** Returns `LOCALNET_PROGRAMS`, or `tokend/programs` in the user's cache. */
export function programsFolder(env: Readonly<Record<string, string | undefined>>): string {
  if (env.LOCALNET_PROGRAMS) return env.LOCALNET_PROGRAMS;
  return join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "tokend", "programs");
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
async function readProgram(
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
    print(`${path}  ${bytes.length} bytes  sha256 ${Bun.SHA256.hash(bytes, "hex")}`);
  }
}
