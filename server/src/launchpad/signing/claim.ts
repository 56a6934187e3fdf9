import { type PublicKey, SystemProgram, type TransactionInstruction } from "@solana/web3.js";
import { limits } from "@tokenctl/shared/limits";
import { readTokenAccount } from "@tokenctl/shared/programs/token";
import type { TransactionVersion } from "@tokenctl/shared/words";
import type { PaidReceiver, Receiver } from "../../domain/signing.ts";
import type { TokenRef } from "../../domain/token.ts";
import { readAccounts } from "../../solana/connection.ts";
import { fitsIntoTransaction } from "../../solana/message.ts";
import { withRpcErrors } from "../chain/cluster.ts";
import type { ChainContext } from "../chain/context.ts";
import { BuildError, ChainUnavailableError, CreatorChangedError } from "../errors.ts";
import { type ClaimParts, claimOf, fitTokens, wrappedSolAccount } from "../pool-program.ts";
import { compose, type UnsignedTransaction } from "./compose.ts";
import { readFunds } from "./funds.ts";
import { payOut, type ReceiverPayout, readPayoutFunds, requireRent } from "./payout.ts";

export interface UnsignedClaim extends UnsignedTransaction {
  readonly tokens: readonly TokenRef[];
  /** Lamports that the agent repays from the fees; null unless the launch wallet pays. */
  readonly repaidLamports: bigint | null;
  readonly receivers: readonly PaidReceiver[];
}

interface ClaimParties {
  readonly agent: PublicKey;
  readonly version: TransactionVersion;
  readonly sponsor?: PublicKey;
  readonly receivers?: readonly Receiver[];
}

export interface ClaimOrder extends ClaimParties {
  readonly tokens: readonly TokenRef[];
}

/**
 * Explains why a claim cannot be built. Every claim pays into the wallet's account for wrapped SOL
 * and closes it, so it fails if another wallet owns that account or alone may close it.
 * @throws {BuildError} if that is the reason: it names the account and what the agent can still do
 */
export async function orWrappedSolProblem<T>(
  { connection }: ChainContext,
  agent: PublicKey,
  claim: Promise<T>,
): Promise<T> {
  try {
    return await claim;
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    const address = wrappedSolAccount(agent);
    const [found] = await withRpcErrors(() => readAccounts(connection, [address]));
    const account = readTokenAccount(found);
    const wallet = agent.toBase58();
    const closes = account?.closeAuthority ?? wallet;
    if (!account || (account.owner === wallet && closes === wallet)) throw error;
    const cause =
      account.owner === wallet ? `may be closed by ${closes} alone` : `belongs to ${account.owner}`;
    const text = `The wallet's account for wrapped SOL ${address} ${cause}, so no claim can be paid through it`;
    const advice =
      "Hand the token over to another wallet of yours, with its open fees: `tokenctl hand-over <token> --to <wallet> --leave-fees`. That wallet can claim them.";
    throw new BuildError("claim", text, error, advice);
  }
}

export async function buildOwnClaim(
  chain: ChainContext,
  order: ClaimOrder,
): Promise<UnsignedClaim | null> {
  const draft = await draftClaim(chain, order);
  if (draft === null) return null;
  const payout = await planPayout(chain, order);
  const paid = payout?.(draft.lamports);
  const instructions = draft.instructions(paid);
  const kind = "claim";
  const of = { kind, payer: order.agent, instructions } as const;
  const claim = await compose(chain, {
    kind,
    version: order.version,
    signers: [order.agent],
    instructions,
    funds: (minContextSlot) => readFunds(chain, { ...of, minContextSlot }),
  });
  return { ...claim, tokens: draft.tokens, repaidLamports: null, receivers: paid?.paid ?? [] };
}

/**
 * Drafts a claim of as many tokens as fit, in order; null if there is nothing to claim. If the
 * receivers leave no room for all fees of the first token, it claims only the richest part.
 * @throws {BuildError} if none of the tokens can be claimed
 */
export async function draftClaim(chain: ChainContext, order: ClaimOrder) {
  const { agent, tokens, sponsor, receivers = [] } = order;
  const options = { sponsor, startsEmpty: receivers.length > 0 };
  let parts: ClaimParts | null;
  try {
    parts = await withRpcErrors(() => chain.program.claim(agent.toBase58(), tokens, options));
  } catch (error) {
    if (error instanceof ChainUnavailableError || error instanceof CreatorChangedError) throw error;
    throw new BuildError("claim", "The claim cannot be built from what is on chain", error);
  }
  if (parts === null) return null;
  const hasRoom = (some: ClaimParts) => fits(some, order);
  const fitting = fitTokens(withRichest(parts, order), hasRoom);
  return {
    tokens: fitting.tokens.map(({ token }) => token),
    lamports: fitting.tokens.reduce((sum, token) => sum + token.lamports, 0n),
    instructions: (payout?: ReceiverPayout) => joinClaim(fitting, payout),
  };
}

function withRichest(parts: ClaimParts, order: ClaimParties): ClaimParts {
  const [first, ...others] = parts.tokens;
  if (!order.receivers || !first?.richest) return parts;
  if (fits({ ...parts, tokens: [first] }, order)) return parts;
  return { ...parts, tokens: [{ ...first, ...first.richest }, ...others] };
}

/** Bytes that the wallet may add to a claim with receivers: four assertions and their program. */
const ASSERTION_BYTES = 128;

/** Whether a claim fits into a transaction, with its receivers and the repayment of a sponsor. */
function fits(parts: ClaimParts, order: ClaimParties): boolean {
  const { agent, version, sponsor, receivers = [] } = order;
  const payout = receivers.length > 0 ? payOut({ agent, receivers }, 0n) : undefined;
  const most = limits.transaction.bytes - (payout && !sponsor ? ASSERTION_BYTES : 0);
  const repayment = sponsor
    ? [SystemProgram.transfer({ fromPubkey: agent, toPubkey: sponsor, lamports: 1 })]
    : [];
  const instructions = [...joinClaim(parts, payout), ...repayment];
  return fitsIntoTransaction(sponsor ?? agent, instructions, { version, most });
}

function joinClaim(parts: ClaimParts, payout?: ReceiverPayout): TransactionInstruction[] {
  if (!payout) return claimOf(parts);
  return [...claimOf({ ...parts, last: [] }), payout.proof, ...parts.last, ...payout.transfers];
}

/** @returns a function for the payout; null without receivers @throws {NotAWalletError} */
export async function planPayout(chain: ChainContext, { agent, receivers = [] }: ClaimOrder) {
  if (receivers.length === 0) return null;
  const order = { agent, receivers };
  const funds = await readPayoutFunds(chain, order);
  /**
   * @param repaidFee the fee of a sponsored claim. The lamports also pay what the agent's wallet
   * lacks to its minimum, so that fees that arrive before the claim lands can stay in it
   * @throws {ReceiverRentError} if too little is left for a receiver
   * @throws {BuildError} if nothing is left
   */
  return (taken: bigint, repaidFee?: bigint): ReceiverPayout => {
    const left = repaidFee === undefined ? taken : taken - repaidFee - funds.agentLacks;
    if (left <= 0n) throw new BuildError("claim", "The fees only cover what the claim repays");
    const payout = payOut(order, left, repaidFee);
    requireRent(payout, order, funds);
    return payout;
  };
}
