import { PublicKey, type TransactionInstruction } from "@solana/web3.js";
import type { TokenRef } from "../../domain/token.ts";
import {
  LAMPORTS_PER_SIGNATURE,
  MAX_UNITS,
  priorityLamports,
  unitLimit,
  unitPrice,
} from "../../solana/fees.ts";
import type { Simulation } from "../../solana/simulate.ts";
import { classifyError, describeError, programRefusal } from "../../solana/transaction-error.ts";
import { ChainUnavailableError, ClaimBuildError, InsufficientSolError } from "../errors.ts";
import type { UnsignedClaim } from "../launchpad.ts";
import { readClaimFunds } from "./claim-funds.ts";
import {
  claimBid,
  claimUnits,
  draftClaim,
  MAX_FEE_LAMPORTS,
  PERCENTILE,
  serializeClaim,
  simulateClaim,
} from "./claim-message.ts";
import type { ChainContext } from "./context.ts";
import { withRpcErrors } from "./rpc-errors.ts";
import { buildSponsoredClaim } from "./sponsor-claim.ts";
import { isFilledMeanwhile } from "./submit-claim.ts";

/**
 * Compute units for assertions that the agent's wallet may add. Phantom adds up to four; published
 * logs show 1,819 units for one and 5,660 for another.
 */
const ASSERTION_UNITS = 15_000;

/** See `Launchpad.buildClaim`. */
export async function buildClaim(
  chain: ChainContext,
  { agent, tokens }: { readonly agent: string; readonly tokens: readonly TokenRef[] },
  maySponsor?: () => Promise<boolean>,
): Promise<UnsignedClaim | null> {
  try {
    return await buildOwnClaim(chain, agent, tokens);
  } catch (error) {
    if (!(error instanceof InsufficientSolError) || !(await maySponsor?.())) throw error;
    const sponsored = await buildSponsoredClaim(chain, agent, tokens);
    if (sponsored === null) throw error;
    return sponsored;
  }
}

/** Builds a claim that the agent pays for and signs alone. */
async function buildOwnClaim(
  chain: ChainContext,
  agent: string,
  tokens: readonly TokenRef[],
): Promise<UnsignedClaim | null> {
  const payer = new PublicKey(agent);
  const draft = await draftClaim(chain, payer, tokens);
  if (draft === null) return null;
  const { instructions } = draft;
  // Simulated before it is handed out, so that the agent signs nothing that would fail.
  const simulation = await simulateClaim(chain, payer, instructions);
  const bid = await withRpcErrors(() => chain.fees.bid(PERCENTILE));
  const priceOf = (units: number) => claimBid(chain, bid, units, 1);
  /** @throws {InsufficientSolError} the wallet cannot pay this fee and the deposit */
  const ensureFunds = async (fee: bigint, cause?: unknown) => {
    const { balance, deposit } = await readClaimFunds(chain, payer, instructions, simulation.slot);
    if (balance >= fee + deposit) return;
    // If claims bid, the error names the highest fee: the next claim may bid more than this one.
    const highestFee = priceOf(MAX_UNITS) > 0n ? MAX_FEE_LAMPORTS : fee;
    throw new InsufficientSolError(agent, { required: highestFee + deposit, balance }, cause);
  };
  if (simulation.error !== null) {
    if (classifyError(simulation.error, simulation.logs) === "payer") {
      await ensureFunds(LAMPORTS_PER_SIGNATURE, simulation.error);
    }
    throw buildError(simulation.error, simulation, [unitLimit(MAX_UNITS), ...instructions]);
  }
  const units = claimUnits(chain, simulation) + ASSERTION_UNITS;
  const price = priceOf(units);
  // The simulation contained no bid, so it does not show whether the wallet can pay one.
  if (price > 0n) await ensureFunds(LAMPORTS_PER_SIGNATURE + priorityLamports(price, units));
  const all = [unitLimit(units), ...unitPrice(price), ...instructions];
  const claim = serializeClaim(chain, [payer], simulation, all);
  return { ...claim, tokens: draft.tokens, repaidLamports: null };
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
