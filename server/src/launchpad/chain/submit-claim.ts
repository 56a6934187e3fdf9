import {
  PublicKey,
  SendTransactionError,
  type TransactionError,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { bidOf } from "../../solana/compute-budget.ts";
import type { TransactionOutcome } from "../../solana/outcome.ts";
import { payoutOf } from "../../solana/payout.ts";
import { LAMPORTS_PER_SIGNATURE } from "../../solana/priority-fee.ts";
import { readSendRefusal } from "../../solana/send-refusal.ts";
import {
  describeError,
  type ProgramRefusal,
  programRefusal,
} from "../../solana/transaction-error.ts";
import {
  ClaimExpiredError,
  ClaimOutdatedError,
  ClaimRefusedError,
  CreatorChangedError,
  FeesTakenError,
  InsufficientSolError,
} from "../errors.ts";
import type { CreatorChange, LandedClaim, SignedClaim } from "../launchpad.ts";
import { readClaimFunds } from "./claim-funds.ts";
import { claimPayouts } from "./claim-payouts.ts";
import { claimRefusal } from "./claim-refusal.ts";
import { confirm, resend, stopped } from "./confirm.ts";
import type { ChainContext } from "./context.ts";
import { finishSigned } from "./finish-signed.ts";

/** See `Launchpad.submitClaim`. */
export async function submitClaim(
  chain: ChainContext,
  claim: SignedClaim,
  signal: AbortSignal,
): Promise<LandedClaim> {
  await chain.crashPoint("claim.stored");
  const finished = await finishSigned(
    chain,
    claim,
    () => send(chain, claim, signal),
    signal,
    () => chain.crashPoint("claim.landed"),
  );
  if (finished.kind === "failed") throw await refused(chain, claim, finished.error);
  if (finished.kind === "expired") {
    throw new ClaimExpiredError("The claim expired before it landed");
  }
  const { meta } = finished;
  return {
    signature: claim.signature,
    paidLamports: payoutOf(meta, claim.agent),
    payouts: claimPayouts(chain.program, claim, meta),
  };
}

async function send(
  chain: ChainContext,
  claim: SignedClaim,
  signal: AbortSignal,
): Promise<TransactionOutcome> {
  if (signal.aborted) throw stopped();
  try {
    // Without preflight: a node's refusal proves nothing about a claim that was sent before.
    if (claim.mayBeUnderWay) await resend(chain, claim);
    else {
      await chain.connection.sendRawTransaction(claim.transaction, {
        preflightCommitment: "confirmed",
      });
    }
  } catch (error) {
    if (!claim.mayBeUnderWay && error instanceof SendTransactionError) {
      await throwIfRefused(chain, claim, error);
    }
    // Otherwise it may have arrived or landed, or the node is behind. The confirmer finds out.
  }
  await chain.crashPoint("claim.sent");
  return confirm(chain, claim, signal);
}

/**
 * @throws {InsufficientSolError} the node saw that the wallet cannot pay
 * @throws {ClaimRefusedError} the refusal is about the claim, not about the node
 * @throws {ClaimOutdatedError} the chain has changed since the claim was built
 */
async function throwIfRefused(
  chain: ChainContext,
  claim: SignedClaim,
  error: SendTransactionError,
): Promise<void> {
  const { kind, reason, program } = readSendRefusal(error);
  if (kind === "program") await throwIfTaken(chain, claim, error);
  if (kind === "payer" && isSponsored(claim)) {
    const text = "The fees no longer cover what the claim repays, or its sponsor lacks SOL";
    throw new ClaimOutdatedError(`${text}: claim again`, error);
  }
  if (kind === "payer") {
    await throwIfShort(chain, claim, error);
    throw new ClaimRefusedError(
      "The wallet cannot pay the network fee and the rent of its token accounts: send SOL to it",
      error,
    );
  }
  if (kind === "program" || kind === "signature") {
    throw await refusedBy(chain, claim, { program, reason, cause: error });
  }
}

/** Whether another wallet than the agent's pays for a claim. */
function isSponsored({ agent, transaction }: SignedClaim): boolean {
  const { message } = VersionedTransaction.deserialize(transaction);
  return message.staticAccountKeys[0]?.toBase58() !== agent;
}

/** @throws {InsufficientSolError} the wallet's balance confirms it */
async function throwIfShort(
  chain: ChainContext,
  { agent, transaction }: SignedClaim,
  cause: unknown,
): Promise<void> {
  const { message } = VersionedTransaction.deserialize(transaction);
  const { instructions } = TransactionMessage.decompile(message);
  const fee = LAMPORTS_PER_SIGNATURE + bidOf(instructions);
  const payer = new PublicKey(agent);
  // If this request fails, the claim is refused all the same.
  const funds = await readClaimFunds(chain, payer, instructions).catch(() => null);
  if (funds === null || funds.balance >= fee + funds.deposit) return;
  throw new InsufficientSolError(agent, fee + funds.deposit, funds.balance, cause);
}

/** @throws {FeesTakenError} nothing is left of the fees that the claim is for */
async function throwIfTaken(
  { program }: ChainContext,
  { agent, tokens }: SignedClaim,
  cause: unknown,
): Promise<void> {
  // If this request fails, the claim is refused all the same.
  const fees = await program.readFees(agent, tokens).catch(() => []);
  const isTaken = (of: (typeof fees)[number]) =>
    !("unreadable" in of) &&
    of.creatorChanged === undefined &&
    of.bondingCurve.claimable + of.liquidityPool.claimable === 0n;
  if (fees.length === 0 || !fees.every(isTaken)) return;
  throw new FeesTakenError("Another claim of this wallet has taken these fees", cause);
}

async function refused(chain: ChainContext, claim: SignedClaim, error: TransactionError) {
  await throwIfTaken(chain, claim, error);
  const program = programRefusal(error);
  return refusedBy(chain, claim, { program, reason: describeError(error), cause: error });
}

interface Refusal {
  readonly program: ProgramRefusal | null;
  readonly reason: string;
  readonly cause: unknown;
}

/** @returns the error for a claim that the chain refused */
async function refusedBy(
  chain: ChainContext,
  claim: SignedClaim,
  { program, reason, cause }: Refusal,
): Promise<ClaimRefusedError | ClaimOutdatedError> {
  const change = program && (await creatorChange(chain, claim, program));
  if (change) return new CreatorChangedError(change, cause);
  return claimRefusal(claim.transaction, program, reason, cause);
}

/** Whether the refused instruction takes fees that are the agent's no more. */
async function creatorChange(
  { program }: ChainContext,
  { agent, tokens, transaction }: SignedClaim,
  { index }: ProgramRefusal,
): Promise<CreatorChange | null> {
  const { message } = VersionedTransaction.deserialize(transaction);
  const instruction = TransactionMessage.decompile(message).instructions[index];
  for (const { pubkey } of instruction?.keys ?? []) {
    const source = program.sourceOf(pubkey.toBase58(), tokens, instruction ? [instruction] : []);
    const token = tokens.find(({ tokenMint }) => tokenMint === source?.tokenMint);
    if (!source || !token) continue;
    // If this request fails, the claim is refused all the same.
    const [fees] = await program.readFees(agent, [token]).catch(() => []);
    if (!fees || "unreadable" in fees) return null;
    const { creatorChanged } = fees;
    return creatorChanged?.[source.kind] === undefined ? null : creatorChanged;
  }
  return null;
}
