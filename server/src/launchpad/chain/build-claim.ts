import {
  PublicKey,
  SystemInstruction,
  SystemProgram,
  type TransactionError,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import bs58 from "bs58";
import type { TokenRef } from "../../domain/token.ts";
import { bidOf, LAMPORTS_PER_SIGNATURE, MAX_UNITS, unitLimit } from "../../solana/fees.ts";
import { readTip } from "../../solana/outcome.ts";
import { classifyError, describeError, programRefusal } from "../../solana/transaction-error.ts";
import { signWith } from "../../solana/wallet-signer.ts";
import {
  ChainUnavailableError,
  ClaimBuildError,
  ClaimExpiredError,
  ClaimOutdatedError,
  InsufficientSolError,
} from "../errors.ts";
import type {
  BuildClaimOptions,
  CosignedClaim,
  SignedClaim,
  UnsignedClaim,
  UnsignedTransaction,
} from "../launchpad.ts";
import { type ClaimFunds, closesAccount, readClaimFunds } from "./claim-funds.ts";
import {
  type ClaimOrder,
  type ClaimSimulation,
  claimUnits,
  draftClaim,
  readClaimFee,
  serializeClaim,
  simulateClaim,
} from "./claim-message.ts";
import { withProgramErrors, withRpcErrors } from "./cluster.ts";
import { type ChainContext, hasWallet, type PayingContext } from "./context.ts";
import {
  isPayoutOutdated,
  payOut,
  type ReceiverPayout,
  readPayoutFunds,
  requireRent,
} from "./payout.ts";
import { isFilledMeanwhile } from "./submit-claim.ts";

/**
 * Compute units for assertions that the agent's wallet may add. Phantom adds up to four; published
 * logs show 1,819 units for one and 5,660 for another.
 */
const ASSERTION_UNITS = 15_000;

export async function buildClaim(
  chain: ChainContext,
  {
    maySponsor,
    ...claim
  }: BuildClaimOptions & { readonly agent: string; readonly tokens: readonly TokenRef[] },
): Promise<UnsignedClaim | null> {
  const order = { ...claim, agent: new PublicKey(claim.agent) };
  try {
    return await buildOwnClaim(chain, order);
  } catch (error) {
    if (!(error instanceof InsufficientSolError) || !hasWallet(chain)) throw error;
    if (!(await maySponsor?.())) throw error;
    const sponsored = await buildSponsoredClaim(chain, order);
    if (sponsored === null) throw error;
    return sponsored;
  }
}

async function buildOwnClaim(
  chain: ChainContext,
  order: ClaimOrder,
): Promise<UnsignedClaim | null> {
  const draft = await draftClaim(chain, order);
  if (draft === null) return null;
  const payout = await planPayout(chain, order);
  const paid = payout?.(draft.lamports);
  const instructions = draft.instructions(paid);
  const purpose = { name: "claim", holds: ({ deposit }: ClaimFunds) => deposit } as const;
  const claim = await composeOwn(chain, { payer: order.agent, instructions }, purpose);
  return { ...claim, tokens: draft.tokens, repaidLamports: null, receivers: paid?.paid ?? [] };
}

/** @returns what pays a claim's receivers; null without any. @throws {NotAWalletError} */
async function planPayout(chain: ChainContext, { agent, receivers = [] }: ClaimOrder) {
  if (receivers.length === 0) return null;
  const order = { agent, receivers };
  const funds = await readPayoutFunds(chain, order);
  /**
   * @param repaidFee of a sponsored claim: it comes out of the lamports, as does what the agent's wallet must
   * keep so that fees which arrive until the claim lands can stay in it
   * @throws {ReceiverRentError} what is left is too little for one of them
   * @throws {ClaimBuildError} nothing is left
   */
  return (taken: bigint, repaidFee?: bigint): ReceiverPayout => {
    const left = repaidFee === undefined ? taken : taken - repaidFee - funds.agentLacks;
    if (left <= 0n) throw new ClaimBuildError("The fees only cover what the claim repays");
    const payout = payOut(order, left, repaidFee);
    requireRent(payout, order, funds);
    return payout;
  };
}

interface OwnPurpose {
  readonly name: "claim" | "hand-over";
  readonly holds: (funds: ClaimFunds) => bigint;
  readonly words?: { readonly takes: string; readonly again: string };
}

/** Composes what an agent pays for and signs alone. @returns also its network fee */
export async function composeOwn(
  chain: ChainContext,
  {
    payer,
    instructions,
  }: { readonly payer: PublicKey; readonly instructions: readonly TransactionInstruction[] },
  { name, holds, words }: OwnPurpose,
): Promise<UnsignedTransaction & { readonly networkFee: bigint }> {
  // Simulated before it is handed out, so that the agent signs nothing that would fail.
  const simulation = await simulateClaim(chain, payer, instructions);
  const fee = await readClaimFee(chain, 1);
  const ensureFunds = async (lamports: bigint, cause?: unknown) => {
    const asked = { payer, instructions, minContextSlot: simulation.slot };
    const funds = await readClaimFunds(chain, asked);
    const { balance } = funds;
    if (balance >= lamports + holds(funds)) return;
    const required = fee.highest + holds(funds);
    throw new InsufficientSolError(payer.toBase58(), { required, balance, ...words }, cause);
  };
  const { error, logs } = simulation;
  if (error !== null) {
    if (classifyError(error, logs) === "payer") await ensureFunds(LAMPORTS_PER_SIGNATURE, error);
    throw buildError(name, simulation, [unitLimit(MAX_UNITS), ...instructions]);
  }
  const { lamports, instructions: budget } = fee.of(claimUnits(simulation) + ASSERTION_UNITS);
  // The simulation contained no bid, so it does not show whether the wallet can pay one.
  if (lamports > LAMPORTS_PER_SIGNATURE) await ensureFunds(lamports);
  const all = [...budget, ...instructions];
  const unsigned = serializeClaim(chain, { signers: [payer], simulation, instructions: all });
  return { ...unsigned, networkFee: lamports };
}

function buildError(
  name: OwnPurpose["name"],
  { error, logs }: Pick<ClaimSimulation, "error" | "logs">,
  instructions: readonly TransactionInstruction[],
) {
  if (error === null) throw new Error("a transaction that runs has no error");
  const errorClass = classifyError(error, logs);
  const reason = describeError(error);
  if (errorClass === "later") return busy(error, name);
  const refusal = programRefusal(error);
  const isOld = [isFilledMeanwhile, isPayoutOutdated].some((is) => is(refusal, instructions));
  if (errorClass === "payer" || isOld) {
    // The wallet got SOL or tokens between the two reads, or one of the two states was old.
    const text = `The chain gave different answers about the ${name} (${reason})`;
    return new ChainUnavailableError(text, error);
  }
  return new ClaimBuildError(`The chain would refuse the ${name} (${reason})`, { error, logs });
}

function busy(error: TransactionError, name: OwnPurpose["name"] = "claim"): ChainUnavailableError {
  const reason = describeError(error);
  return new ChainUnavailableError(`The cluster cannot take the ${name} now (${reason})`, error);
}

/** The launch wallet and the agent sign a sponsored claim. */
const SIGNATURES = 2;

/**
 * The launch wallet pays the network fee and the rents of an agent that cannot, and the agent
 * repays, with the last instruction, all of it that does not come back by itself.
 * @returns null if the fees do not cover the repayment, or the launch wallet cannot pay
 */
async function buildSponsoredClaim(
  chain: PayingContext,
  order: ClaimOrder,
): Promise<UnsignedClaim | null> {
  const { agent } = order;
  const sponsor = chain.wallet.publicKey;
  if (agent.equals(sponsor)) return null;
  const draft = await draftClaim(chain, { ...order, sponsor });
  if (draft === null) return null;
  const payout = await planPayout(chain, order);
  const { rent, mayRiseBy } = await readAdvance(chain, agent, draft.instructions());
  const repaying = (lamports: bigint) => {
    const repaid = { fromPubkey: agent, toPubkey: sponsor, lamports: rent + lamports };
    const paid = payout?.(draft.lamports, lamports);
    const instructions = [...draft.instructions(paid), SystemProgram.transfer(repaid)];
    return { instructions, receivers: paid?.paid ?? [] };
  };
  const fee = await readClaimFee(chain, SIGNATURES);
  try {
    // The fee follows from the simulation, so this simulates the highest.
    const simulation = await simulateClaim(chain, sponsor, repaying(fee.highest).instructions);
    const { error, logs } = simulation;
    if (error !== null && classifyError(error, logs) === "later") throw busy(error);
    // What it repays is fixed, and the rent may rise until it lands.
    const left = simulation.payerLamports - mayRiseBy;
    if (error !== null || chain.guard.isUnderFloor(left)) return null;
    const { lamports, instructions: budget } = fee.of(claimUnits(simulation));
    const { instructions, receivers } = repaying(lamports);
    const all = [...budget, ...instructions];
    const signers = [sponsor, agent] as const;
    const claim = serializeClaim(chain, { signers, simulation, instructions: all });
    return { ...claim, tokens: draft.tokens, repaidLamports: rent + lamports, receivers };
  } catch (fault) {
    if (fault instanceof ClaimBuildError) return null;
    throw fault;
  }
}

/**
 * Reads what the launch wallet pays in advance for accounts that a claim creates and closes, and how much
 * more it is if the rent rises to the usual one; lamports.
 */
async function readAdvance(
  chain: PayingContext,
  agent: PublicKey,
  instructions: readonly TransactionInstruction[],
) {
  const payer = chain.wallet.publicKey;
  const { created } = await readClaimFunds(chain, { payer, instructions });
  const closed = instructions.filter(closesAccount);
  const repaid = created.filter(({ address }) =>
    closed.some(
      ({ keys: [account, destination] }) =>
        account?.pubkey.equals(address) && destination?.pubkey.equals(agent),
    ),
  );
  const rent = repaid.reduce((sum, account) => sum + account.rent, 0n);
  const highest = repaid.reduce((sum, account) => sum + account.highestRent, 0n);
  return { rent, mayRiseBy: highest - rent };
}

export async function cosignClaim(
  chain: ChainContext,
  { transaction, lastValidBlockHeight }: Pick<SignedClaim, "transaction" | "lastValidBlockHeight">,
): Promise<CosignedClaim> {
  const claim = VersionedTransaction.deserialize(transaction);
  const [feePayer, agent] = claim.message.staticAccountKeys;
  if (!hasWallet(chain) || !feePayer?.equals(chain.wallet.publicKey) || !agent) {
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
  const fee = BigInt(SIGNATURES) * LAMPORTS_PER_SIGNATURE + bidOf(instructions);
  if (repaidBy(instructions) !== rent + fee) {
    throw new ClaimOutdatedError("The rent of its accounts has changed since the claim was built");
  }
  await withProgramErrors(() => signWith(chain.wallet, claim, { purpose: "claim" }));
  return {
    transaction: claim.serialize(),
    signature: bs58.encode(claim.signatures[0] ?? new Uint8Array()),
  };
}

function repaidBy(instructions: readonly TransactionInstruction[]): bigint | null {
  const repayment = instructions.at(-1);
  if (!repayment?.programId.equals(SystemProgram.programId)) return null;
  return BigInt(SystemInstruction.decodeTransfer(repayment).lamports);
}
