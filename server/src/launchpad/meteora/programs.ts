import { CpAmm } from "@meteora-ag/cp-amm-sdk";
import { createDbcProgram } from "@meteora-ag/dynamic-bonding-curve-sdk";
import type { Connection, PublicKey } from "@solana/web3.js";

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

/** The instructions of the program that create a pool; each is named so in its IDL. */
const CREATES_POOL = /^initialize.*pool/i;

export function createsPool(
  connection: Connection,
): (program: PublicKey, data: Uint8Array) => boolean {
  const { curve } = meteoraPrograms(connection);
  const starts = curve.idl.instructions
    .filter(({ name }) => CREATES_POOL.test(name))
    .map(({ discriminator }) => Buffer.from(discriminator));
  return (program, data) =>
    program.equals(curve.programId) &&
    starts.some((start) => start.equals(data.subarray(0, start.length)));
}
