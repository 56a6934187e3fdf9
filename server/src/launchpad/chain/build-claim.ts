import {
  PublicKey,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { MAX_UNITS, unitLimit, unitPrice, unitsWithMargin } from "../../solana/compute-budget.ts";
import { cappedBid, LAMPORTS_PER_SIGNATURE, priorityLamports } from "../../solana/priority-fee.ts";
import { type Simulation, simulate } from "../../solana/simulate.ts";
import { classifyError, describeError } from "../../solana/transaction-error.ts";
import { ChainUnavailableError, ClaimBuildError, InsufficientSolError } from "../errors.ts";
import type { TokenRef, UnsignedClaim } from "../launchpad.ts";
import { readClaimFunds } from "./claim-funds.ts";
import type { ChainContext } from "./context.ts";
import { withProgramErrors, withRpcErrors } from "./rpc-errors.ts";

/** A blockhash is good for 150 blocks, which come every 0.4 s. */
const LIFETIME_SECONDS = 60;

/** The most lamports that an agent is made to pay in fees for a claim. */
const MAX_FEE_LAMPORTS = 50_000n;

/** A bid that three of four recent slots would have taken. */
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
  // Tried before it is handed out: what would fail once signed, is better said now.
  const simulation = await withRpcErrors(() =>
    simulate(chain.connection, payer, [unitLimit(MAX_UNITS), ...instructions]),
  );
  const bid = await withRpcErrors(() => chain.fees.bid(PERCENTILE));
  const priceOf = (units: number) =>
    cappedBid(bid, units, 1, { ...chain.feeCaps, maxTransactionFeeLamports: MAX_FEE_LAMPORTS });
  /** Whether a wallet that must hold so much can pay; if not, throws. */
  const ensureFunds = async (fee: bigint, cause?: unknown) => {
    const { balance, deposit } = await readClaimFunds(chain, payer, instructions, simulation.slot);
    if (balance >= fee + deposit) return;
    // Where claims bid, the wallet is told what that may come to: the next one may bid more.
    const told = priceOf(MAX_UNITS) > 0n ? MAX_FEE_LAMPORTS : fee;
    throw new InsufficientSolError(agent, told + deposit, balance, cause);
  };
  if (simulation.error !== null) {
    if (classifyError(simulation.error, simulation.logs) === "payer") {
      await ensureFunds(LAMPORTS_PER_SIGNATURE, simulation.error);
    }
    throw buildError(simulation.error, simulation);
  }
  // The limit differs from claim to claim, because the rest may not: fees that accrue within one
  // slot of a claim would make the same message again, and the chain takes a message once.
  const units = unitsWithMargin(simulation.units) + chain.claimNumber();
  const price = priceOf(units);
  // The simulation bid nothing: what the bid adds, the wallet may lack.
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

function buildError(error: NonNullable<Simulation["error"]>, { logs }: Simulation) {
  const culprit = classifyError(error, logs);
  const reason = describeError(error);
  if (culprit === "later") {
    return new ChainUnavailableError(`The cluster cannot take the claim now (${reason})`, error);
  }
  if (culprit === "payer") {
    // Its balance says otherwise: it was sent SOL meanwhile, or one of the two states was old.
    return new ChainUnavailableError(
      `The chain was of two minds about the claim (${reason})`,
      error,
    );
  }
  return new ClaimBuildError(`The chain would refuse the claim (${reason})`, { error, logs });
}
