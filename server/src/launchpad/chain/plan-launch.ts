import type { PoolTerms } from "../../domain/pool-terms.ts";
import type { LaunchOrder } from "../launchpad.ts";
import type { ChainContext } from "./context.ts";
import { type OwnDraft, simulateOwn } from "./own-transaction.ts";
import { withProgramErrors } from "./rpc-errors.ts";

/** A launch with its simulation. */
export interface LaunchDraft extends OwnDraft {
  readonly terms: PoolTerms;
}

/**
 * Simulates a launch on the latest state. This one request shows refusals before anything is signed,
 * and returns the launch's compute units, its cost and a blockhash.
 */
export async function draftLaunch(chain: ChainContext, order: LaunchOrder): Promise<LaunchDraft> {
  const terms = await withProgramErrors(() => chain.program.terms());
  const { instructions, signers } = await withProgramErrors(() => chain.program.launch(order));
  return { instructions, signers, terms, simulation: await simulateOwn(chain, instructions) };
}
