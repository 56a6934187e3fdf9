import { CpAmm } from "@meteora-ag/cp-amm-sdk";
import { createDbcProgram } from "@meteora-ag/dynamic-bonding-curve-sdk";
import type { Connection } from "@solana/web3.js";

/** The Anchor clients of both programs: they build instructions and decode accounts. */
export interface MeteoraPrograms {
  readonly curve: ReturnType<typeof createDbcProgram>["program"];
  readonly liquidity: CpAmm["_program"];
}

export function meteoraPrograms(connection: Connection): MeteoraPrograms {
  return {
    curve: createDbcProgram(connection, "confirmed").program,
    liquidity: new CpAmm(connection)._program,
  };
}
