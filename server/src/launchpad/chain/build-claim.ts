import {
  PublicKey,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { MAX_UNITS, unitLimit, unitPrice, unitsWithMargin } from "../../solana/compute-budget.ts";
import { cappedBid, LAMPORTS_PER_SIGNATURE, priorityLamports } from "../../solana/priority-fee.ts";
import { type Simulation, simulate } from "../../solana/simulate.ts";
import { classifyError, describeError, programRefusal } from "../../solana/transaction-error.ts";
import { ChainUnavailableError, ClaimBuildError, InsufficientSolError } from "../errors.ts";
import type { TokenRef, UnsignedClaim } from "../launchpad.ts";
import { readClaimFunds } from "./claim-funds.ts";
import { isFilledMeanwhile } from "./claim-refusal.ts";
import type { ChainContext } from "./context.ts";
import { withProgramErrors, withRpcErrors } from "./rpc-errors.ts";

/**
 * A blockhash is valid for 150 blocks, one every 0.4 s. Source: Solana's documentation, Transaction
 * Confirmation and Expiration.
 */
const LIFETIME_SECONDS = 60;

/** The most lamports that an agent pays in fees for a claim. */
const MAX_FEE_LAMPORTS = 50_000n;

/** A bid that three of four recent slots would have accepted. */
const PERCENTILE = 75;

/** See `Launchpad.buildClaim`. */
export async function buildClaim(
  chain: ChainContext,
  agent: string,
  token: TokenRef,
): Promise<UnsignedClaim | null> {
  const payer = new PublicKey(agent);
  const instructions = await claimInstructions(chain, agent, token);
  if (instructions === null) return null;
  // Simulated before it is handed out, so that the agent signs nothing that would fail.
  const simulation = await withRpcErrors(() =>
    simulate(chain.connection, payer, [unitLimit(MAX_UNITS), ...instructions]),
  );
  const bid = await withRpcErrors(() => chain.fees.bid(PERCENTILE));
  const priceOf = (units: number) =>
    cappedBid(bid, units, 1, { ...chain.feeCaps, maxTransactionFeeLamports: MAX_FEE_LAMPORTS });
  /** @throws {InsufficientSolError} the wallet cannot pay this fee and the deposit */
  const ensureFunds = async (fee: bigint, cause?: unknown) => {
    const { balance, deposit } = await readClaimFunds(chain, payer, instructions, simulation.slot);
    if (balance >= fee + deposit) return;
    // If claims bid, the error names the highest fee: the next claim may bid more than this one.
    const highestFee = priceOf(MAX_UNITS) > 0n ? MAX_FEE_LAMPORTS : fee;
    throw new InsufficientSolError(agent, highestFee + deposit, balance, cause);
  };
  if (simulation.error !== null) {
    if (classifyError(simulation.error, simulation.logs) === "payer") {
      await ensureFunds(LAMPORTS_PER_SIGNATURE, simulation.error);
    }
    throw buildError(simulation.error, simulation, [unitLimit(MAX_UNITS), ...instructions]);
  }
  // The unit limit differs from claim to claim. Without it, two claims within one slot could be the
  // same message, and the chain takes a message once.
  const units = unitsWithMargin(simulation.units) + chain.claimNumber();
  const price = priceOf(units);
  // The simulation contained no bid, so it does not show whether the wallet can pay one.
  if (price > 0n) await ensureFunds(LAMPORTS_PER_SIGNATURE + priorityLamports(price, units));
  return {
    ...serialize(payer, simulation, [unitLimit(units), ...unitPrice(price), ...instructions]),
    lastValidBlockHeight: simulation.lastValidBlockHeight,
    expiresInSeconds: LIFETIME_SECONDS,
  };
}

async function claimInstructions(chain: ChainContext, agent: string, token: TokenRef) {
  try {
    return await withProgramErrors(() => chain.program.claim(agent, token));
  } catch (error) {
    if (error instanceof ChainUnavailableError) throw error;
    throw new ClaimBuildError("The claim cannot be built from what is on chain", error);
  }
}

function serialize(
  payer: PublicKey,
  { blockhash }: Simulation,
  instructions: readonly TransactionInstruction[],
): { message: Uint8Array; transaction: Uint8Array } {
  const message = new TransactionMessage({
    payerKey: payer,
    recentBlockhash: blockhash,
    instructions: [...instructions],
  }).compileToLegacyMessage();
  if (message.header.numRequiredSignatures !== 1) {
    throw new ClaimBuildError("The claim needs another signature than the agent's");
  }
  try {
    const transaction = new VersionedTransaction(message);
    return { message: message.serialize(), transaction: transaction.serialize() };
  } catch (error) {
    throw new ClaimBuildError("The claim does not fit into a transaction", error);
  }
}

function buildError(
  error: NonNullable<Simulation["error"]>,
  { logs }: Simulation,
  instructions: readonly TransactionInstruction[],
) {
  const errorClass = classifyError(error, logs);
  const reason = describeError(error);
  if (errorClass === "later") {
    return new ChainUnavailableError(`The cluster cannot take the claim now (${reason})`, error);
  }
  if (errorClass === "payer" || isFilledMeanwhile(programRefusal(error), instructions)) {
    // The wallet got SOL or tokens meanwhile, or one of the two states was old.
    return new ChainUnavailableError(
      `The chain gave different answers about the claim (${reason})`,
      error,
    );
  }
  return new ClaimBuildError(`The chain would refuse the claim (${reason})`, { error, logs });
}
