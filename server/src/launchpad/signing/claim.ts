import {
  type PublicKey,
  SystemInstruction,
  SystemProgram,
  type TransactionInstruction,
  TransactionMessage,
  VersionedMessage,
} from "@solana/web3.js";
import { limits } from "@tokenctl/shared/limits";
import { readTokenAccount } from "@tokenctl/shared/programs/token";
import { splitTransaction } from "@tokenctl/shared/wire-transaction";
import type { TransactionVersion } from "@tokenctl/shared/words";
import type { SignedBytes } from "../../domain/journal.ts";
import type { HandedOut, PaidReceiver } from "../../domain/signing.ts";
import type { TokenRef } from "../../domain/token.ts";
import { readAccounts } from "../../solana/connection.ts";
import { type Budget, fitsIntoTransaction, nameOf } from "../../solana/message.ts";
import { readTip } from "../../solana/outcome.ts";
import { feeOf } from "../../solana/simulate.ts";
import { classifyError } from "../../solana/transaction-error.ts";
import { signWith } from "../../solana/wallet-signer.ts";
import { withRpcErrors } from "../chain/cluster.ts";
import { type ChainContext, hasWallet, type PayingContext } from "../chain/context.ts";
import { BuildError, ChainUnavailableError, CreatorChangedError, ExpiredError } from "../errors.ts";
import { type ClaimParts, claimOf, fitTokens, wrappedSolAccount } from "../pool-program.ts";
import {
  busy,
  compileDraft,
  compose,
  draftUnits,
  readFee,
  simulateDraft,
  type UnsignedTransaction,
} from "./compose.ts";
import { closesAccount, readFunds } from "./funds.ts";
import { type PayoutOrder, payOut, planPayout, type ReceiverPayout } from "./payout.ts";

export interface UnsignedClaim extends UnsignedTransaction {
  readonly tokens: readonly TokenRef[];
  /** Lamports that the agent repays from the fees; null unless the launch wallet pays. */
  readonly repaidLamports: bigint | null;
  readonly receivers: readonly PaidReceiver[];
}

interface ClaimOrder extends PayoutOrder {
  readonly version: TransactionVersion;
  readonly tokens: readonly TokenRef[];
  readonly sponsor?: PublicKey;
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
  const { version, agent, receivers } = order;
  const paid = receivers.length > 0 ? await planPayout(chain, order, draft.lamports) : undefined;
  const instructions = draft.instructions(paid);
  const claim = await compose(chain, { kind: "claim", version, signers: [agent], instructions });
  return { ...claim, tokens: draft.tokens, repaidLamports: null, receivers: paid?.paid ?? [] };
}

/**
 * Builds a claim without receivers whose network fee and rents the launch wallet pays, because the
 * agent cannot. With the last instruction, the agent repays what does not return to the launch wallet.
 * @returns null if the fees do not cover the repayment, or the launch wallet cannot pay
 */
export async function buildSponsoredClaim(
  chain: PayingContext,
  order: ClaimOrder,
): Promise<UnsignedClaim | null> {
  const { agent } = order;
  const sponsor = chain.wallet.publicKey;
  if (agent.equals(sponsor)) return null;
  const draft = await draftClaim(chain, { ...order, sponsor });
  if (draft === null) return null;
  const rent = await readAdvance(chain, agent, draft.instructions());
  const signed = { kind: "claim", version: order.version, signers: [sponsor, agent] } as const;
  const repaying = (lamports: bigint) => {
    const repaid = { fromPubkey: agent, toPubkey: sponsor, lamports: rent + lamports };
    return [...draft.instructions(), SystemProgram.transfer(repaid)];
  };
  /** @returns null if the agent cannot repay this much */
  const simulateRepaying = async (lamports: bigint, budget?: Budget) => {
    const all = { ...signed, instructions: repaying(lamports) };
    const simulation = await simulateDraft(chain, all, budget);
    const { error, logs } = simulation;
    if (error !== null && classifyError(error, logs) === "later") throw busy("claim", error);
    return error === null ? simulation : null;
  };
  try {
    // The repayment depends on the compute units that this simulation used.
    const first = await simulateRepaying(0n);
    if (first === null) return null;
    const { lamports, budget } = (await readFee(chain, first)).of(draftUnits(first));
    const simulation = await simulateRepaying(lamports, budget);
    if (simulation === null || chain.guard.isUnderFloor(simulation.payerLamports)) return null;
    const fee = await withRpcErrors(() => feeOf(chain.connection, simulation));
    const all = { ...signed, instructions: repaying(fee) };
    const claim = await compileDraft(chain, all, { simulation, budget });
    return { ...claim, tokens: draft.tokens, repaidLamports: rent + fee, receivers: [] };
  } catch (fault) {
    if (fault instanceof BuildError) return null;
    throw fault;
  }
}

/** Reads the rent that the launch wallet advances for accounts that the agent closes, in lamports. */
async function readAdvance(
  chain: PayingContext,
  agent: PublicKey,
  instructions: readonly TransactionInstruction[],
) {
  const payer = chain.wallet.publicKey;
  const { created } = await readFunds(chain, { kind: "claim", payer, instructions });
  const closed = instructions.filter(closesAccount);
  const repaid = created.filter(({ address }) =>
    closed.some(
      ({ keys: [account, destination] }) =>
        account?.pubkey.equals(address) && destination?.pubkey.equals(agent),
    ),
  );
  return repaid.reduce((sum, account) => sum + account.rent, 0n);
}

export async function cosignClaim(
  chain: ChainContext,
  { transaction, lastValidBlockHeight }: HandedOut,
): Promise<SignedBytes> {
  const { message } = splitTransaction(transaction);
  const read = VersionedMessage.deserialize(message);
  const [feePayer, agent] = read.staticAccountKeys;
  if (!hasWallet(chain) || !feePayer?.equals(chain.wallet.publicKey) || !agent) {
    throw new ExpiredError("claim", "The launch wallet has changed since the claim was built");
  }
  const { connection, wallet } = chain;
  const { instructions } = TransactionMessage.decompile(read);
  const tip = await withRpcErrors(() => readTip(connection));
  if (tip.blockHeight > lastValidBlockHeight) throw new ExpiredError("claim");
  const [fee, rent] = await Promise.all([
    withRpcErrors(() => feeOf(connection, { fee: null, message })),
    readAdvance(chain, agent, instructions),
  ]);
  if (repaidBy(instructions) !== rent + fee) {
    throw new ExpiredError("claim", "What its sponsor pays has changed since the claim was built");
  }
  const signed = await withRpcErrors(() => signWith(wallet, transaction, { purpose: "claim" }));
  return { transaction: signed, signature: nameOf(signed) };
}

function repaidBy(instructions: readonly TransactionInstruction[]): bigint | null {
  const repayment = instructions.at(-1);
  if (!repayment?.programId.equals(SystemProgram.programId)) return null;
  return BigInt(SystemInstruction.decodeTransfer(repayment).lamports);
}

/**
 * Drafts a claim of as many tokens as fit, in order; null if there is nothing to claim. If there is
 * no room for all fees of the first token, it claims only the richest part.
 * @throws {BuildError} if none of the tokens can be claimed
 */
async function draftClaim(chain: ChainContext, order: ClaimOrder) {
  const { agent, tokens, sponsor, receivers } = order;
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
  const [first, ...others] = parts.tokens;
  if (first?.richest && !hasRoom({ ...parts, tokens: [first] })) {
    parts = { ...parts, tokens: [{ ...first, ...first.richest }, ...others] };
  }
  const fitting = fitTokens(parts, hasRoom);
  return {
    tokens: fitting.tokens.map(({ token }) => token),
    lamports: fitting.tokens.reduce((sum, token) => sum + token.lamports, 0n),
    instructions: (payout?: ReceiverPayout) => joinClaim(fitting, payout),
  };
}

/** Bytes that the wallet may add to a claim with receivers: four assertions and their program. */
const ASSERTION_BYTES = 128;

/** Whether a claim fits into a transaction, with its receivers and the repayment of a sponsor. */
function fits(parts: ClaimParts, order: ClaimOrder): boolean {
  const { agent, version, sponsor, receivers } = order;
  const payout = receivers.length > 0 ? payOut(order, 0n) : undefined;
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
