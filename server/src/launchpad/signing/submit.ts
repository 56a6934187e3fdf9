import {
  PublicKey,
  type TransactionError,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { LIGHTHOUSE_PROGRAM } from "@tokenctl/shared/lighthouse";
import { payoutOf, payoutsOf, type TokenBalances } from "@tokenctl/shared/payout";
import { splitTransaction } from "@tokenctl/shared/wire-transaction";
import type { Journal } from "../../domain/journal.ts";
import type { LandedClaim, TokenPayout } from "../../domain/signing.ts";
import type { TokenRef } from "../../domain/token.ts";
import { readFee } from "../../solana/fees.ts";
import { findOutcome, readTip } from "../../solana/outcome.ts";
import { simulateSigned } from "../../solana/simulate.ts";
import {
  classifyError,
  describeError,
  type ProgramRefusal,
  programRefusal,
} from "../../solana/transaction-error.ts";
import { BEHIND, withRpcErrors } from "../chain/cluster.ts";
import type { ChainContext } from "../chain/context.ts";
import { landed, readLaunchState } from "../chain/launch-state.ts";
import { readFinished, spentBy, storeAndSend } from "../chain/transaction.ts";
import {
  AlreadyLaunchedError,
  ChainUnavailableError,
  CreatorChangedError,
  ExpiredError,
  FailedLaunchError,
  FeesTakenError,
  LaunchRefusedError,
  RefusedError,
  SIGNED_NAMES,
  UnaffordableError,
} from "../errors.ts";
import type { CreatorChange, HandedOut, Signed } from "../launchpad.ts";
import { claimFunds } from "./claim.ts";
import { busy, contradiction } from "./compose.ts";
import { isFilledMeanwhile } from "./funds.ts";
import { handOverFunds } from "./hand-over.ts";
import { launchFunds } from "./paid-launch.ts";
import { isPayoutOutdated } from "./payout.ts";

interface Opened extends HandedOut {
  readonly message: Uint8Array;
  readonly payer: string | undefined;
  readonly accounts: readonly PublicKey[];
  readonly instructions: readonly TransactionInstruction[];
}

function open<Bytes extends HandedOut>(bytes: Bytes): Bytes & Opened {
  const opened = VersionedTransaction.deserialize(bytes.transaction).message;
  const { instructions } = TransactionMessage.decompile(opened);
  const { message } = splitTransaction(bytes.transaction);
  const accounts = opened.staticAccountKeys;
  return { ...bytes, message, payer: accounts[0]?.toBase58(), accounts, instructions };
}

/**
 * Simulates what an agent signed, before it is stored, and before anyone else signs it. A refusal counts
 * only if the transaction has not landed, because its agent may have sent it itself, and if a second simulation agrees,
 * because a node may be behind.
 *
 * @param signature its first, if that is the agent's: the cluster's name for it
 * @throws {RefusedError} the chain refuses it for good; {@link UnaffordableError}; {@link ExpiredError}; {@link
 * AlreadyLaunchedError}; {@link ChainUnavailableError} nothing is known
 */
export async function checkSigned(
  chain: ChainContext,
  handedOut: HandedOut,
  signature: string | null,
): Promise<void> {
  const { kind, transaction, lastValidBlockHeight } = handedOut;
  const simulate = (minContextSlot?: number) =>
    withRpcErrors(() => simulateSigned(chain.connection, transaction, { minContextSlot }));
  const first = await simulate();
  if (first.error === null) return;
  if (signature !== null) {
    const sent = { signature, lastValidBlockHeight };
    const known = await withRpcErrors(() => findOutcome(chain.connection, sent));
    if (known?.kind === "expired") throw new ExpiredError(kind);
    if (known) return;
  }
  if (first.error === "BlockhashNotFound") {
    const { blockHeight } = await withRpcErrors(() => readTip(chain.connection));
    if (blockHeight > lastValidBlockHeight) throw new ExpiredError(kind);
    throw new ChainUnavailableError(BEHIND, first.error);
  }
  const again = await simulate(first.slot);
  const opened = open(handedOut);
  if (JSON.stringify(again.error) !== JSON.stringify(first.error)) {
    throw contradiction(kind, first.error, opened.instructions);
  }
  if (kind === "launch") {
    const deployed = await findDeployed(chain, handedOut, first.slot);
    if (deployed !== null)
      throw deployed instanceof RefusedError ? deployed : new AlreadyLaunchedError(deployed);
  }
  throw await explain(chain, opened, { ...first, error: first.error, isLanded: false });
}

/**
 * Stores what an agent signed, sends it and waits until it is confirmed. Safe to call again: it sends what
 * the journal holds, and a transaction lands once.
 * @throws what the journal throws: then nothing was sent; {@link RefusedError} it failed on chain; {@link
 * ExpiredError} it expired before it landed, or no longer fits what is on chain; {@link ChainUnavailableError}
 * its outcome is still unknown
 */
export async function submitSigned(
  chain: ChainContext,
  signed: Signed,
  { journal, signal }: { readonly journal: Journal; readonly signal: AbortSignal },
): Promise<LandedClaim> {
  const { kind, signature, transaction, lastValidBlockHeight } = signed;
  const bytes = { signature, transaction, lastValidBlockHeight };
  const sent = await storeAndSend(chain, bytes, { purpose: kind, journal, signal });
  const opened = open({ ...signed, ...sent.sent });
  const nothing = { signature: opened.signature, paidLamports: 0n, payouts: [] };
  const failedLaunch = async (cause: Error, outcome: "failed" | "expired") =>
    new FailedLaunchError(cause, await spentBy(chain, opened, { outcome, signal }));
  if (kind === "launch") {
    const { outcome } = sent;
    const deployed =
      outcome.kind === "landed"
        ? signed.tokens[0]
        : await findDeployed(chain, signed, outcome.slot);
    if (deployed instanceof RefusedError)
      throw await failedLaunch(deployed, outcome.kind === "failed" ? "failed" : "expired");
    if (deployed) {
      await landed(chain, deployed);
      return nothing;
    }
  }
  const finished = await readFinished(chain, sent, { purpose: kind, signal });
  if (finished.kind === "expired") throw new ExpiredError(kind);
  if (finished.kind === "failed") {
    const failed = await explain(chain, opened, { ...finished, logs: [], isLanded: true });
    throw kind === "launch" ? await failedLaunch(failed, "failed") : failed;
  }
  if (kind !== "claim") return nothing;
  return {
    signature: opened.signature,
    paidLamports: payoutOf(finished.meta, opened.agent),
    payouts: claimPayouts(chain, opened, finished.meta),
  };
}

/**
 * The token of a launch, which a restored database may have forgotten; null if it is not on chain. @returns {@link
 * RefusedError} if its mint is, under another config: then no transaction can make its token any more
 */
async function findDeployed(
  chain: ChainContext,
  { tokens }: HandedOut,
  minContextSlot: number,
): Promise<TokenRef | RefusedError | null> {
  try {
    return (await readLaunchState(chain, tokens, { minContextSlot })).deployed;
  } catch (error) {
    if (!(error instanceof LaunchRefusedError)) throw error;
    return new RefusedError("launch", error.message, error);
  }
}

function claimPayouts(
  { program }: ChainContext,
  { agent, tokens, accounts, instructions }: Opened,
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

interface Failure {
  readonly error: TransactionError;
  readonly logs: readonly string[];
  /** Whether it is in a block: otherwise it was simulated. */
  readonly isLanded: boolean;
}

/** @returns what the refusal of a simulation, or the failure on chain, means for the agent */
async function explain(chain: ChainContext, opened: Opened, failure: Failure): Promise<Error> {
  const { kind } = opened;
  const { error, logs, isLanded } = failure;
  const errorClass = classifyError(error, logs);
  if (errorClass === "later") return busy(kind, error);
  const reason = describeError(error, opened.instructions);
  if (errorClass === "payer") {
    const shortage = await readShortage(chain, opened, error);
    if (shortage) return shortage;
    // The wallet got SOL since, or it is not known what it holds: it may be able to pay.
    if (!isLanded) return contradiction(kind, error, opened.instructions);
  }
  const program = programRefusal(error);
  const known =
    kind === "launch" ? null : await explainOfToken(chain, opened, { program, cause: error });
  if (known) return known;
  const refused = program && opened.instructions[program.index];
  const why = refused?.programId.equals(LIGHTHOUSE)
    ? `The chain refused the ${SIGNED_NAMES[kind]}: an assertion that the wallet added does not hold`
    : `The chain refused the ${SIGNED_NAMES[kind]}`;
  return new RefusedError(kind, `${why} (${reason})`, { error, logs });
}

const LIGHTHOUSE = new PublicKey(LIGHTHOUSE_PROGRAM);

async function readShortage(
  chain: ChainContext,
  opened: Opened,
  cause: unknown,
): Promise<Error | null> {
  const { kind, agent, payer, instructions, order } = opened;
  if (payer !== agent) {
    const text = "The fees no longer cover what the claim repays, or its sponsor lacks SOL";
    return new ExpiredError(kind, text, cause);
  }
  const wallet = new PublicKey(agent);
  const funds = order
    ? launchFunds(chain, order)
    : (kind === "claim" ? claimFunds : handOverFunds)(chain, wallet, instructions);
  const read = await Promise.all([funds, readFee(chain.connection, opened.message)]).catch(
    () => null,
  );
  if (read === null) return null;
  const [{ balance, holds }, fee] = read;
  const required = holds + fee;
  return balance >= required
    ? null
    : new UnaffordableError(kind, agent, { required, balance }, cause);
}

/** @returns why a claim or hand-over is refused; null if it is not known */
async function explainOfToken(
  chain: ChainContext,
  opened: Opened,
  { program, cause }: { readonly program: ProgramRefusal | null; readonly cause: unknown },
): Promise<Error | null> {
  const { kind, agent, tokens, instructions } = opened;
  // If this request fails, it is refused for another reason.
  const fees = await chain.program.readFees(agent, tokens).catch(() => []);
  const read = fees.map((one) => ("unreadable" in one ? null : one));
  if (kind === "hand_over") {
    const change = read[0]?.creatorChanged;
    return change ? new CreatorChangedError(change, cause) : null;
  }
  const isTaken = (of: (typeof read)[number]) =>
    of?.creatorChanged === undefined &&
    of?.bondingCurve.claimable === 0n &&
    of.liquidityPool.claimable === 0n;
  if (read.length > 0 && read.every(isTaken)) {
    return new FeesTakenError("Another claim of this wallet has taken these fees", cause);
  }
  const change =
    program &&
    changeAt(chain, opened, { program, changes: read.map((one) => one?.creatorChanged) });
  if (change) return new CreatorChangedError(change, cause);
  if (isFilledMeanwhile(program, instructions)) {
    const text = "The agent's account for the token was made and filled after the claim was built";
    return new ExpiredError("claim", text, cause);
  }
  if (isPayoutOutdated(program, instructions)) {
    const text = "What the claim pays its receivers has changed since it was built";
    return new ExpiredError("claim", text, cause);
  }
  return null;
}

/** @returns whose the fees are that the refused instruction would have taken; null if still the agent's */
function changeAt(
  { program }: ChainContext,
  { tokens, instructions }: Opened,
  refused: {
    readonly program: ProgramRefusal;
    readonly changes: readonly (CreatorChange | undefined)[];
  },
): CreatorChange | null {
  const instruction = instructions[refused.program.index];
  for (const { pubkey } of instruction?.keys ?? []) {
    const source = program.sourceOf(pubkey.toBase58(), tokens, instruction ? [instruction] : []);
    const index = tokens.findIndex(({ tokenMint }) => tokenMint === source?.tokenMint);
    const change = refused.changes[index];
    if (source && change?.[source.kind] !== undefined) return change;
  }
  return null;
}
