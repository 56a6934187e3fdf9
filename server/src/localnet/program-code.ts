import { createHash } from "node:crypto";
import { type Connection, PublicKey } from "@solana/web3.js";

const UPGRADEABLE_LOADER = "BPFLoaderUpgradeab1e11111111111111111111111";
/** The loader of programs that never change, whose account is the ELF. */
const FINAL_LOADER = "BPFLoader2111111111111111111111111111111111";
/** `UpgradeableLoaderState::Program`: a tag of 4 bytes, then the address of the program's data. */
const PROGRAM_TAG_BYTES = 4;
/** `UpgradeableLoaderState::ProgramData`: tag, slot and upgrade authority, before the ELF. */
const PROGRAM_DATA_HEADER_BYTES = 45;

/**
 * Reads a program's ELF as a cluster holds it, with the zeros that fill its account.
 *
 * @returns null if there is no program at the address, or its loader is another one
 */
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

/** @returns SHA-256 in hex of a program's ELF without the zeros that fill its account */
export function programHash(bytes: Uint8Array): string {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return createHash("sha256").update(bytes.subarray(0, end)).digest("hex");
}
