import {
  type Keypair,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import bs58 from "bs58";
import { MAX_UNITS, unitLimit, unitPrice, unitsWithMargin } from "../../solana/compute-budget.ts";
import { cappedBid, priorityLamports } from "../../solana/priority-fee.ts";
import { type Simulation, simulate } from "../../solana/simulate.ts";
import { type SigningPurpose, signWith } from "../../solana/wallet-signer.ts";
import type { SignedTransaction } from "./confirm.ts";
import type { ChainContext } from "./context.ts";
import { withRpcErrors, withSignerErrors } from "./rpc-errors.ts";

/** A bid that three of four recent slots would have accepted; after an expiry, that all would have. */
const USUAL_PERCENTILE = 75;
const URGENT_PERCENTILE = 100;

/** What it takes to compose and sign a transaction that the launch wallet pays for. */
export type OwnContext = Pick<ChainContext, "connection" | "wallet" | "fees" | "feeCaps">;

/** Instructions with their simulation. */
export interface OwnDraft {
  readonly instructions: readonly TransactionInstruction[];
  /** Who signs beside the launch wallet. */
  readonly signers: readonly Keypair[];
  readonly simulation: Simulation;
}

/** A transaction ready to be signed. */
export interface OwnPlan {
  readonly transaction: VersionedTransaction;
  readonly lastValidBlockHeight: number;
  /** Lamports that it bids for its place in a block. */
  readonly priorityLamports: bigint;
}

/** @param minContextSlot an answer from an older slot is refused */
export function simulateOwn(
  { connection, wallet }: Pick<OwnContext, "connection" | "wallet">,
  instructions: readonly TransactionInstruction[],
  minContextSlot?: number,
): Promise<Simulation> {
  const all = [unitLimit(MAX_UNITS), ...instructions];
  return withRpcErrors(() => simulate(connection, wallet.publicKey, all, minContextSlot));
}

/**
 * Composes a transaction of the launch wallet: its instructions, a limit of the simulated compute units
 * with some margin, and a bid for them.
 *
 * @param isUrgent whether an earlier attempt expired
 */
export async function planOwn(
  chain: OwnContext,
  { instructions, signers, simulation }: OwnDraft,
  isUrgent: boolean,
): Promise<OwnPlan> {
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

/**
 * @param signers who sign beside the launch wallet
 * @throws {ChainUnavailableError} the launch wallet's signer does not sign
 */
export async function signOwn(
  { wallet }: Pick<OwnContext, "wallet">,
  { transaction, lastValidBlockHeight }: OwnPlan,
  purpose: SigningPurpose,
  signers: readonly Keypair[],
): Promise<SignedTransaction> {
  await withSignerErrors(() => signWith(wallet, transaction, purpose, signers));
  const [signature] = transaction.signatures;
  if (!signature) throw new Error("a signed transaction has a signature");
  return {
    signature: bs58.encode(signature),
    transaction: transaction.serialize(),
    lastValidBlockHeight,
  };
}
