import { sha256 } from "@noble/hashes/sha2.js";
import bs58 from "bs58";
import { isOnCurve } from "./ed25519.ts";

/** Source: Solana's `PDA_MARKER`. */
const MARKER = new TextEncoder().encode("ProgramDerivedAddress");

/**
 * The first hash, with a bump from 255 downwards, that is not on the curve. Source: Solana's
 * `Pubkey::find_program_address`. @param seeds at most 15, each of at most 32 bytes
 */
export function findProgramAddress(seeds: readonly Uint8Array[], program: Uint8Array): Uint8Array {
  for (let bump = 255; bump >= 0; bump--) {
    const address = hashAll([...seeds, Uint8Array.of(bump), program, MARKER]);
    if (!isOnCurve(address)) return address;
  }
  throw new RangeError("these seeds give no address");
}

/** A program's address by a label, if any, and addresses; all base58. */
export function derived(
  program: string,
  label: string | null,
  ...addresses: readonly string[]
): string {
  const seeds = addresses.map(bs58.decode);
  const all = label === null ? seeds : [new TextEncoder().encode(label), ...seeds];
  return bs58.encode(findProgramAddress(all, bs58.decode(program)));
}

/** @returns the address of a pool of one of Meteora's programs, whose seeds have the greater mint first */
export function poolAddress(
  program: string,
  config: string,
  [one, other]: readonly [mint: string, mint: string],
): string {
  const isGreater = compare(bs58.decode(one), bs58.decode(other)) > 0;
  return derived(program, "pool", config, ...(isGreater ? [one, other] : [other, one]));
}

function compare(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, i) => byte !== b[i]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

/** Source: Solana's `Pubkey::create_with_seed`. */
export function addressWithSeed(base: Uint8Array, seed: string, program: Uint8Array): Uint8Array {
  return hashAll([base, new TextEncoder().encode(seed), program]);
}

function hashAll(parts: readonly Uint8Array[]): Uint8Array {
  const hash = sha256.create();
  for (const part of parts) hash.update(part);
  return hash.digest();
}
