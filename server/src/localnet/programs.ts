import type { PublicKey } from "@solana/web3.js";

/** A program as it is deployed: its address and its ELF. */
export interface ProgramBinary {
  readonly programId: PublicKey;
  readonly bytes: Uint8Array;
}
