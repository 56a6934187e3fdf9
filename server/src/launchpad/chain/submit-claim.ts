import {
  PublicKey,
  type SendTransactionError,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { LIGHTHOUSE_PROGRAM } from "@tokenctl/shared/lighthouse";
import { payoutOf, payoutsOf, type TokenBalances } from "@tokenctl/shared/payout";
import type { LandedClaim, TokenPayout } from "../../domain/claim.ts";
import type { Journal } from "../../domain/journal.ts";
import { bidOf, LAMPORTS_PER_SIGNATURE } from "../../solana/fees.ts";
import { findOutcome, type TransactionOutcome } from "../../solana/outcome.ts";
import {
  describeError,
  type ProgramRefusal,
  programRefusal,
  readSendRefusal,
} from "../../solana/transaction-error.ts";
import {
  ClaimExpiredError,
  ClaimOutdatedError,
  ClaimRefusedError,
  CreatorChangedError,
  FeesTakenError,
  InsufficientSolError,
} from "../errors.ts";
import type { CreatorChange, SignedClaim } from "../launchpad.ts";
import type { PoolProgram } from "../pool-program.ts";
import { closesAccount, readClaimFunds } from "./claim-funds.ts";
import { withRpcErrors } from "./cluster.ts";
import type { ChainContext } from "./context.ts";
import { isPayoutOutdated } from "./payout.ts";
import { readFinished, storeAndSend } from "./transaction.ts";

/** SPL Token's refusal to close an account that holds tokens. */
const NON_NATIVE_HAS_BALANCE = 11;

const lighthouse = new PublicKey(LIGHTHOUSE_PROGRAM);

interface OpenedClaim extends SignedClaim {
  readonly payer: string | undefined;
  readonly accounts: readonly PublicKey[];
  readonly instructions: readonly TransactionInstruction[];
}

function open(claim: SignedClaim): OpenedClaim {
  const { message } = VersionedTransaction.deserialize(claim.transaction);
  const { instructions } = TransactionMessage.decompile(message);
  const accounts = message.staticAccountKeys;
  return { ...claim, payer: accounts[0]?.toBase58(), accounts, instructions };
}

export async function submitClaim(
  chain: ChainContext,
  signed: SignedClaim,
  { journal, signal }: { readonly journal: Journal; readonly signal: AbortSignal },
): Promise<LandedClaim> {
  const { signature, transaction, lastValidBlockHeight } = signed;
  const bytes = { signature, transaction, lastValidBlockHeight };
  const onRefused = (error: SendTransactionError) => decideRefusal(chain, open(signed), error);
  const sent = await storeAndSend(chain, bytes, { purpose: "claim", journal, signal, onRefused });
  const claim = open({ ...signed, ...sent.sent });
  const finished = await readFinished(chain, sent, { purpose: "claim", signal });
  if (finished.kind === "expired") {
    throw new ClaimExpiredError("The claim expired before it landed");
  }
  if (finished.kind === "failed") {
    const { error } = finished;
    await throwIfTaken(chain, claim, error);
    const program = programRefusal(error);
    throw await refusedBy(chain, claim, { program, reason: describeError(error), cause: error });
  }
  return {
    signature: claim.signature,
    paidLamports: payoutOf(finished.meta, claim.agent),
    payouts: claimPayouts(chain.program, claim, finished.meta),
  };
}

function claimPayouts(
  program: Pick<PoolProgram, "sourceOf">,
  { agent, tokens, accounts, instructions }: OpenedClaim,
  balances: TokenBalances,
): TokenPayout[] {
  const payouts = tokens.map(({ tokenMint }) => ({
    tokenMint,
    bondingCurve: 0n,
    liquidityPool: 0n,
  }));
  for (const { accountIndex, lamports } of payoutsOf(balances, agent)) {
    const vault = accounts[accountIndex];
    const source = vault && program.sourceOf(vault.toBase58(), tokens, instructions);
    const payout = payouts.find(({ tokenMint }) => tokenMint === source?.tokenMint);
    if (source && payout) payout[source.kind] += lamports;
  }
  return payouts;
}

/**
 * What a node's refusal means of a claim that the service has not sent before: its outcome, if its
 * agent has sent it, or null if the refusal proves nothing. @throws {InsufficientSolError}, {@link
 * ClaimRefusedError}, {@link ClaimOutdatedError}
 */
async function decideRefusal(
  chain: ChainContext,
  claim: OpenedClaim,
  error: SendTransactionError,
): Promise<TransactionOutcome | null> {
  const isSponsored = claim.payer !== claim.agent;
  // No agent can send a sponsored claim, which lacks the launch wallet's signature.
  const known = isSponsored
    ? null
    : await withRpcErrors(() => findOutcome(chain.connection, claim));
  if (known) return known;
  const { kind, reason, program } = readSendRefusal(error);
  if (kind === "program") await throwIfTaken(chain, claim, error);
  if (kind === "payer" && isSponsored) {
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
  if (kind === "program") throw await refusedBy(chain, claim, { program, reason, cause: error });
  if (kind === "signature") {
    throw new ClaimRefusedError(`The chain refused the claim (${reason})`, error);
  }
  return null;
}

async function throwIfShort(
  chain: ChainContext,
  { agent, instructions }: OpenedClaim,
  cause: unknown,
): Promise<void> {
  const fee = LAMPORTS_PER_SIGNATURE + bidOf(instructions);
  // If this request fails, the claim is refused without the exact sum.
  const asked = { payer: new PublicKey(agent), instructions };
  const funds = await readClaimFunds(chain, asked).catch(() => null);
  if (funds === null || funds.balance >= fee + funds.deposit) return;
  const { balance, deposit } = funds;
  throw new InsufficientSolError(agent, { required: fee + deposit, balance }, cause);
}

async function throwIfTaken(
  { program }: ChainContext,
  { agent, tokens }: SignedClaim,
  cause: unknown,
): Promise<void> {
  // If this request fails, the claim is refused for another reason.
  const fees = await program.readFees(agent, tokens).catch(() => []);
  const isTaken = (of: (typeof fees)[number]) =>
    !("unreadable" in of) &&
    of.creatorChanged === undefined &&
    of.bondingCurve.claimable + of.liquidityPool.claimable === 0n;
  if (fees.length === 0 || !fees.every(isTaken)) return;
  throw new FeesTakenError("Another claim of this wallet has taken these fees", cause);
}

interface ClaimRefusal {
  readonly program: ProgramRefusal | null;
  readonly reason: string;
  readonly cause: unknown;
}

async function refusedBy(
  chain: ChainContext,
  claim: OpenedClaim,
  { program, reason, cause }: ClaimRefusal,
): Promise<ClaimRefusedError | ClaimOutdatedError> {
  const change = program && (await creatorChange(chain, claim, program));
  if (change) return new CreatorChangedError(change, cause);
  if (isFilledMeanwhile(program, claim.instructions)) {
    const text = "The agent's account for the token was made and filled after the claim was built";
    return new ClaimOutdatedError(`${text}: claim again`, cause);
  }
  if (isPayoutOutdated(program, claim.instructions)) {
    const text = "What the claim pays its receivers has changed since it was built";
    return new ClaimOutdatedError(`${text}: claim again`, cause);
  }
  const refused = program && claim.instructions[program.index];
  const why = refused?.programId.equals(lighthouse)
    ? "The chain refused the claim: an assertion that the wallet added does not hold"
    : "The chain refused the claim";
  return new ClaimRefusedError(`${why} (${reason})`, cause);
}

async function creatorChange(
  { program }: ChainContext,
  { agent, tokens, instructions }: OpenedClaim,
  { index }: ProgramRefusal,
): Promise<CreatorChange | null> {
  const instruction = instructions[index];
  for (const { pubkey } of instruction?.keys ?? []) {
    const source = program.sourceOf(pubkey.toBase58(), tokens, instruction ? [instruction] : []);
    const token = tokens.find(({ tokenMint }) => tokenMint === source?.tokenMint);
    if (!source || !token) continue;
    // If this request fails, the claim is refused for another reason.
    const [fees] = await program.readFees(agent, [token]).catch(() => []);
    if (!fees || "unreadable" in fees) return null;
    const { creatorChanged } = fees;
    return creatorChanged?.[source.kind] === undefined ? null : creatorChanged;
  }
  return null;
}

/** Whether the token account that the claim makes and closes was made since, and filled. */
export function isFilledMeanwhile(
  refusal: ProgramRefusal | null,
  instructions: readonly TransactionInstruction[],
): boolean {
  const instruction = refusal && instructions[refusal.index];
  if (!instruction || refusal.code !== NON_NATIVE_HAS_BALANCE) return false;
  return closesAccount(instruction);
}
