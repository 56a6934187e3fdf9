import { sha256 } from "@noble/hashes/sha2.js";
import { InstructionBuilder } from "@tokenctl/shared/programs/program";
import { isOnCurve } from "./ed25519.ts";

/** Source: Solana's `PDA_MARKER`. */
const MARKER = new TextEncoder().encode("ProgramDerivedAddress");

/** Source: Solana's `Pubkey::find_program_address`. */
function findProgramAddress(seeds: readonly Uint8Array[], program: Uint8Array): Uint8Array {
  for (let bump = 255; bump >= 0; bump--) {
    const address = hashAll([...seeds, Uint8Array.of(bump), program, MARKER]);
    if (!isOnCurve(address)) return address;
  }
  throw new RangeError("these seeds give no address");
}

/** Derives addresses, and builds the instructions that a transaction should have. */
export const builder = new InstructionBuilder(findProgramAddress);

/** Derives an address. Source: Solana's `Pubkey::create_with_seed`. */
export function addressWithSeed(base: Uint8Array, seed: string, program: Uint8Array): Uint8Array {
  return hashAll([base, new TextEncoder().encode(seed), program]);
}

function hashAll(parts: readonly Uint8Array[]): Uint8Array {
  const hash = sha256.create();
  for (const part of parts) hash.update(part);
  return hash.digest();
}
