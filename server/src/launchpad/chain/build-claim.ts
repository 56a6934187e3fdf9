import { TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID } from "@solana/spl-token";
import {
  PublicKey,
  SystemInstruction,
  SystemProgram,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import bs58 from "bs58";
import type { TokenRef } from "../../domain/token.ts";
import {
  bidOf,
  LAMPORTS_PER_SIGNATURE,
  MAX_UNITS,
  priorityLamports,
  unitLimit,
  unitPrice,
} from "../../solana/fees.ts";
import { readTip } from "../../solana/outcome.ts";
import type { Simulation } from "../../solana/simulate.ts";
import { classifyError, describeError, programRefusal } from "../../solana/transaction-error.ts";
import { signWith } from "../../solana/wallet-signer.ts";
import {
  ChainUnavailableError,
  ClaimBuildError,
  ClaimExpiredError,
  ClaimOutdatedError,
  InsufficientSolError,
} from "../errors.ts";
import type { CosignedClaim, SignedClaim, UnsignedClaim } from "../launchpad.ts";
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
import { withProgramErrors, withRpcErrors } from "./rpc-errors.ts";
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
    // The wallet got SOL or tokens between the two reads, or one of the two states was old.
    return new ChainUnavailableError(
      `The chain gave different answers about the claim (${reason})`,
      error,
    );
  }
  return new ClaimBuildError(`The chain would refuse the claim (${reason})`, { error, logs });
}

/** The signatures of the launch wallet and the agent. */
const SIGNATURES = 2;
const SIGNATURE_LAMPORTS = BigInt(SIGNATURES) * LAMPORTS_PER_SIGNATURE;

/** The tag of SPL Token's CloseAccount. */
const CLOSE_ACCOUNT = 9;

/**
 * Builds a claim of an agent that cannot pay: the launch wallet pays the network fee and the rents,
 * and the agent repays, with the last instruction, all of it that does not come back by itself.
 *
 * @returns null if the fees do not cover the repayment, or the launch wallet cannot pay
 */
async function buildSponsoredClaim(
  chain: ChainContext,
  agent: string,
  tokens: readonly TokenRef[],
): Promise<UnsignedClaim | null> {
  const wallet = new PublicKey(agent);
  const sponsor = chain.wallet.publicKey;
  if (wallet.equals(sponsor)) return null;
  const draft = await draftClaim(chain, wallet, tokens, sponsor);
  if (draft === null) return null;
  const { instructions } = draft;
  const { rent, mayRiseBy } = await readAdvance(chain, wallet, instructions);
  const repay = (fee: bigint) =>
    SystemProgram.transfer({ fromPubkey: wallet, toPubkey: sponsor, lamports: rent + fee });
  const bid = await withRpcErrors(() => chain.fees.bid(PERCENTILE));
  const priceOf = (units: number) => claimBid(chain, bid, units, SIGNATURES);
  // The fee follows from the simulation, so this simulates the highest.
  const highestFee = priceOf(MAX_UNITS) > 0n ? MAX_FEE_LAMPORTS : SIGNATURE_LAMPORTS;
  const simulation = await simulateClaim(chain, sponsor, [...instructions, repay(highestFee)]);
  const { error, logs } = simulation;
  if (error !== null && classifyError(error, logs) === "later") {
    const reason = describeError(error);
    throw new ChainUnavailableError(`The cluster cannot take the claim now (${reason})`, error);
  }
  // What it repays is fixed, and the rent may rise until it lands.
  const left = simulation.payerLamports - mayRiseBy;
  if (error !== null || chain.guard.isUnderFloor(left)) return null;
  const units = claimUnits(chain, simulation);
  const price = priceOf(units);
  const fee = SIGNATURE_LAMPORTS + priorityLamports(price, units);
  const all = [unitLimit(units), ...unitPrice(price), ...instructions, repay(fee)];
  try {
    const claim = serializeClaim(chain, [sponsor, wallet], simulation, all);
    return { ...claim, tokens: draft.tokens, repaidLamports: rent + fee };
  } catch (fault) {
    if (fault instanceof ClaimBuildError) return null;
    throw fault;
  }
}

/** What the launch wallet pays in advance for accounts that a claim creates and closes, in lamports. */
interface Advance {
  readonly rent: bigint;
  /** How much more it is if the rent rises to the usual one. */
  readonly mayRiseBy: bigint;
}

async function readAdvance(
  chain: ChainContext,
  agent: PublicKey,
  instructions: readonly TransactionInstruction[],
): Promise<Advance> {
  const { created } = await readClaimFunds(chain, chain.wallet.publicKey, instructions);
  const repaid = created.filter(({ address }) => closesTo(instructions, address, agent));
  const rent = repaid.reduce((sum, account) => sum + account.rent, 0n);
  const highest = repaid.reduce((sum, account) => sum + account.highestRent, 0n);
  return { rent, mayRiseBy: highest - rent };
}

/** See `Launchpad.cosignClaim`. */
export async function cosignClaim(
  chain: ChainContext,
  { transaction, lastValidBlockHeight }: Pick<SignedClaim, "transaction" | "lastValidBlockHeight">,
): Promise<CosignedClaim> {
  const { wallet } = chain;
  const claim = VersionedTransaction.deserialize(transaction);
  const [feePayer, agent] = claim.message.staticAccountKeys;
  if (!feePayer?.equals(wallet.publicKey) || !agent) {
    throw new ClaimExpiredError("The launch wallet has changed since the claim was built");
  }
  const { instructions } = TransactionMessage.decompile(claim.message);
  const [tip, { rent }] = await Promise.all([
    withRpcErrors(() => readTip(chain.connection)),
    readAdvance(chain, agent, instructions),
  ]);
  if (tip.blockHeight > lastValidBlockHeight) {
    throw new ClaimExpiredError("The claim expired before its sponsor signed it");
  }
  if (repaidBy(instructions) !== rent + SIGNATURE_LAMPORTS + bidOf(instructions)) {
    throw new ClaimOutdatedError("The rent of its accounts has changed since the claim was built");
  }
  await withProgramErrors(() => signWith(wallet, claim, "claim"));
  return {
    transaction: claim.serialize(),
    signature: bs58.encode(claim.signatures[0] ?? new Uint8Array()),
  };
}

/** @returns lamports that a sponsored claim's last instruction repays */
function repaidBy(instructions: readonly TransactionInstruction[]): bigint | null {
  const repayment = instructions.at(-1);
  if (!repayment?.programId.equals(SystemProgram.programId)) return null;
  return BigInt(SystemInstruction.decodeTransfer(repayment).lamports);
}

/** Whether one of the instructions closes an account to this wallet. */
function closesTo(
  instructions: readonly TransactionInstruction[],
  account: PublicKey,
  wallet: PublicKey,
): boolean {
  return instructions.some(
    ({ programId, keys: [closed, destination], data }) =>
      [TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID].some((id) => id.equals(programId)) &&
      data[0] === CLOSE_ACCOUNT &&
      closed?.pubkey.equals(account) &&
      destination?.pubkey.equals(wallet),
  );
}
