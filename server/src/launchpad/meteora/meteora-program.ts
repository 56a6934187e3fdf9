import type { Connection } from "@solana/web3.js";
import type { PoolProgram } from "../pool-program.ts";
import { checkConfig } from "./check-config.ts";
import { meteoraFees, sourceOf } from "./claim.ts";
import { type LaunchDeps, meteoraLaunches } from "./launch.ts";
import { MarketReader } from "./market-reader.ts";
import { CurveReader } from "./programs.ts";

export interface MeteoraDeps extends LaunchDeps {
  readonly connection: Connection;
}

/** The launchpad of real clusters: Meteora's Dynamic Bonding Curve, then its DAMM v2. */
export function meteoraProgram(deps: MeteoraDeps): PoolProgram {
  const { connection, config } = deps;
  const curves = new CurveReader(connection);
  const markets = new MarketReader(connection, curves);
  const findProblem = (through = connection) =>
    checkConfig({ ...deps, connection: through }, (read) => curves.know(config, read));
  return {
    ...meteoraLaunches(deps, curves, findProblem),
    ...meteoraFees(connection, curves),
    readPools: (tokens) => markets.read(tokens),
    sourceOf,
    checkConfig: findProblem,
  };
}
