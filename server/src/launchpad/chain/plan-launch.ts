import {
  type Keypair,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { MAX_UNITS, unitLimit, unitPrice, unitsWithMargin } from "../../solana/compute-budget.ts";
import { cappedBid, priorityLamports } from "../../solana/priority-fee.ts";
import { type Simulation, simulate } from "../../solana/simulate.ts";
import type { LaunchOrder } from "../launchpad.ts";
import type { PoolTerms } from "../pool-terms.ts";
import type { ChainContext } from "./context.ts";
import { withProgramErrors, withRpcErrors } from "./rpc-errors.ts";

/** A bid that three of four recent slots would have accepted; after an expiry, that all would have. */
const USUAL_PERCENTILE = 75;
const URGENT_PERCENTILE = 100;

/** A launch with its simulation. */
export interface LaunchDraft {
  readonly instructions: readonly TransactionInstruction[];
  /** Who signs beside the launch wallet. */
  readonly signers: readonly Keypair[];
  readonly simulation: Simulation;
  readonly terms: PoolTerms;
}

/** A launch ready to be signed. */
export interface LaunchPlan {
  readonly transaction: VersionedTransaction;
  readonly lastValidBlockHeight: number;
  /** Lamports that it bids for its place in a block. */
  readonly priorityLamports: bigint;
}

/**
 * Simulates a launch on the latest state. This one request shows refusals before anything is signed,
 * and returns the launch's compute units, its cost and a blockhash.
 */
export async function draftLaunch(chain: ChainContext, order: LaunchOrder): Promise<LaunchDraft> {
  const terms = await withProgramErrors(() => chain.program.terms());
  const { instructions, signers } = await withProgramErrors(() => chain.program.launch(order));
  return { instructions, signers, terms, simulation: await simulateLaunch(chain, instructions) };
}

/** @param minContextSlot an answer from an older slot is refused */
export function simulateLaunch(
  { connection, wallet }: ChainContext,
  instructions: readonly TransactionInstruction[],
  minContextSlot?: number,
): Promise<Simulation> {
  const all = [unitLimit(MAX_UNITS), ...instructions];
  return withRpcErrors(() => simulate(connection, wallet.publicKey, all, minContextSlot));
}

/**
 * Composes a launch's transaction: its instructions, a limit of the simulated compute units with
 * some margin, and a bid for them.
 *
 * @param isUrgent whether an earlier attempt expired
 */
export async function planLaunch(
  chain: ChainContext,
  { instructions, signers, simulation }: LaunchDraft,
  isUrgent: boolean,
): Promise<LaunchPlan> {
  const percentile = isUrgent ? URGENT_PERCENTILE : USUAL_PERCENTILE;
  const bid = await withRpcErrors(() => chain.fees.bid(percentile));
  const units = unitsWithMargin(simulation.units);
  const price = cappedBid(bid, units, 1 + signers.length, chain.feeCaps);
  const message = new TransactionMessage({
    payerKey: chain.wallet.publicKey,
    recentBlockhash: simulation.blockhash,
    instructions: [unitLimit(units), ...unitPrice(price), ...instructions],
  }).compileToLegacyMessage();
  return {
    transaction: new VersionedTransaction(message),
    lastValidBlockHeight: simulation.lastValidBlockHeight,
    priorityLamports: priorityLamports(price, units),
  };
}
