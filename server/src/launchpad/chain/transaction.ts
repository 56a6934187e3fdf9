import {
  type Connection,
  PublicKey,
  type TransactionInstruction,
  VersionedTransaction,
  type VersionedTransactionResponse,
} from "@solana/web3.js";
import { type Clock, nextTurn, sleep } from "../../base/clock.ts";
import type { Journal, SignedTransaction } from "../../domain/journal.ts";
import { type BlockPace, PriorityFees } from "../../solana/cluster-pace.ts";
import { Confirmer, type ConfirmerOptions } from "../../solana/confirmer.ts";
import {
  cappedUnitPrice,
  compileMessage,
  type FeeCaps,
  fitsIntoTransaction,
  nameOf,
  priorityLamports,
  unitsWithMargin,
  unsignedTransaction,
} from "../../solana/message.ts";
import {
  findOutcome,
  readTip,
  readTransaction,
  type SentTransaction,
  type TransactionOutcome,
} from "../../solana/outcome.ts";
import type { Senders, Tips } from "../../solana/senders.ts";
import { feeOf, type Simulation, simulate } from "../../solana/simulate.ts";
import {
  SignerRefusal,
  type SigningPurpose,
  signWith,
  type WalletSigner,
} from "../../solana/wallet-signer.ts";
import type { CrashPoint } from "../crash-point.ts";
import { ChainUnavailableError } from "../errors.ts";
import type { LaunchInstructions } from "../pool-program.ts";
import { toUnavailable, withRpcErrors } from "./cluster.ts";

/** The priority fee would have sufficed in 75 % of recent slots; after an expiry, in all. */
export const USUAL_PERCENTILE = 75;
const URGENT_PERCENTILE = 100;

/** A node may return a confirmed transaction late: tries, and milliseconds between them. */
const READ_TRIES = 20;
const READ_PAUSE_MS = 500;

export type SendContext = ReturnType<typeof sendingChain>;

export interface OwnContext extends SendContext {
  readonly wallet: WalletSigner;
  readonly tips: Tips | null;
  readonly pace?: BlockPace;
}

/** @param minContextSlot refuses answers from an older slot */
export function simulateOwn(
  { connection, wallet, pace }: OwnContext,
  instructions: readonly TransactionInstruction[],
  minContextSlot?: number,
): Promise<Simulation> {
  const order = { pace, payer: wallet.publicKey, instructions, minContextSlot };
  return withRpcErrors(() => simulate(connection, order));
}

/** @returns the instructions with a tip, if there is one and it fits */
export function withTip(
  { wallet, tips }: OwnContext,
  instructions: readonly TransactionInstruction[],
): readonly TransactionInstruction[] {
  const tip = tips?.next(wallet.publicKey);
  const tipped = tip ? [...instructions, tip] : instructions;
  return fitsIntoTransaction(wallet.publicKey, tipped) ? tipped : instructions;
}

/** Simulates a transaction with a tip, and without it if the chain refuses that. */
export async function draftOwn(
  chain: OwnContext,
  { instructions, signers }: LaunchInstructions,
  minContextSlot?: number,
) {
  const draft = async (all: readonly TransactionInstruction[]) => {
    const simulation = await simulateOwn(chain, all, minContextSlot);
    const untipped = all === instructions ? null : instructions;
    return { instructions: all, signers, simulation, untipped };
  };
  const tipped = await draft(withTip(chain, instructions));
  const isRefused = tipped.untipped !== null && tipped.simulation.error !== null;
  return isRefused ? draft(instructions) : tipped;
}

/** Compiles the launch wallet's transaction with a compute unit limit and a priority fee. */
export async function planOwn(
  chain: OwnContext,
  { instructions, untipped, signers, simulation }: Awaited<ReturnType<typeof draftOwn>>,
  isUrgent: boolean,
) {
  const percentile = isUrgent ? URGENT_PERCENTILE : USUAL_PERCENTILE;
  const unitPrice = await withRpcErrors(() => chain.fees.unitPrice(percentile));
  const units = unitsWithMargin(simulation.units);
  const { blockhash, lastValidBlockHeight } = simulation;
  const fee = await withRpcErrors(() => feeOf(chain.connection, simulation));
  const price = cappedUnitPrice(unitPrice, { units, fee }, chain.feeCaps);
  const payer = chain.wallet.publicKey;
  const budget = { units, price };
  const compile = (all: readonly TransactionInstruction[]) => {
    const parts = { version: "legacy", payer, instructions: all, budget, blockhash } as const;
    return unsignedTransaction(compileMessage(parts));
  };
  const priorityFee = priorityLamports(price, units);
  const tipLamports = untipped && chain.tips ? chain.tips.lamports : 0n;
  return {
    transaction: compile(instructions),
    /** The transaction without the tip, for a signer that refuses tips; null if there is no tip. */
    untipped: untipped && compile(untipped),
    signers,
    lastValidBlockHeight,
    priorityLamports: priorityFee,
    feeLamports: fee + priorityFee + tipLamports,
  };
}

export async function signOwn(
  { wallet, tips }: OwnContext,
  { transaction, untipped, signers, lastValidBlockHeight }: Awaited<ReturnType<typeof planOwn>>,
  purpose: SigningPurpose,
): Promise<SignedTransaction> {
  const sign = (bytes: Uint8Array) => signWith(wallet, bytes, { purpose, others: signers });
  let tipLamports = untipped && tips ? tips.lamports : null;
  const signed = await withRpcErrors(() =>
    sign(transaction).catch((error: unknown) => {
      if (untipped === null || !(error instanceof SignerRefusal)) throw error;
      tipLamports = null;
      return sign(untipped);
    }),
  );
  return { signature: nameOf(signed), transaction: signed, lastValidBlockHeight, tipLamports };
}

export interface OwnChainOptions extends SendOptions {
  readonly wallet: WalletSigner;
  readonly tips?: Tips | null;
}

export interface SendOptions {
  readonly connection: Connection;
  readonly feeCaps: FeeCaps;
  readonly clock: Clock;
  readonly confirmer?: ConfirmerOptions;
  /** Called after each step; crash tests stop the process there. Default: does nothing. */
  readonly crashPoint?: CrashPoint | undefined;
  readonly senders?: Senders | null;
}

export function ownChain(options: OwnChainOptions): OwnContext {
  const { wallet, tips = null } = options;
  return { ...sendingChain(options, [wallet.publicKey]), wallet, tips };
}

/** @param accounts accounts that all its transactions write to */
export function sendingChain(options: SendOptions, accounts: readonly PublicKey[]) {
  const { connection, feeCaps, clock, confirmer, crashPoint, senders = null } = options;
  const pause = confirmer?.pause ?? ((milliseconds: number) => sleep(clock, milliseconds));
  return {
    connection,
    senders,
    feeCaps,
    pause,
    crashPoint,
    fees: new PriorityFees(connection, accounts, clock),
    confirmer: new Confirmer(connection, { ...confirmer, pause, clock }),
  };
}

type Purpose = Exclude<SigningPurpose, "config"> | "hand_over";

export interface Sending<Signed extends SignedTransaction> {
  /** Names its crash points; without a purpose, it has none. */
  readonly purpose?: Purpose | undefined;
  readonly journal: Journal<Signed>;
  readonly signal: AbortSignal;
}

export interface SentOutcome {
  readonly sent: SignedTransaction;
  readonly outcome: TransactionOutcome;
}

/**
 * Stores a signed transaction, sends it and waits for its outcome, or finishes an earlier one of the
 * journal. Only this function sends a transaction for the first time.
 * @throws what the journal throws: nothing was sent; {@link ChainUnavailableError}: unknown outcome
 */
export async function storeAndSend<Signed extends SignedTransaction>(
  chain: SendContext,
  signed: Signed,
  { purpose, journal, signal }: Sending<Signed>,
): Promise<SentOutcome> {
  const reach = (step: "signed" | "stored" | "sent") =>
    purpose && chain.crashPoint?.(`${purpose}.${step}`);
  await reach("signed");
  const earlier = await journal.record(signed);
  await reach("stored");
  if (signal.aborted) throw stopped();
  if (earlier) return { sent: earlier, outcome: await finish(chain, earlier, { purpose, signal }) };
  await nextTurn();
  try {
    await resend(chain, signed);
  } catch (error) {
    // The connection sent nothing: it is the wrong cluster, or the cluster is not known yet.
    if (error instanceof ChainUnavailableError) throw error;
    // Any other error proves nothing: the request may have arrived, or the node may be behind. The
    // confirmer finds out.
  }
  await reach("sent");
  return { sent: signed, outcome: await confirm(chain, signed, signal) };
}

/**
 * Finds a stored transaction's outcome, and sends the same bytes again while they can land.
 * @throws {ChainUnavailableError} if the outcome is still unknown
 */
export async function finish(
  chain: SendContext,
  signed: SignedTransaction,
  { purpose, signal }: Pick<Sending<SignedTransaction>, "purpose" | "signal">,
): Promise<TransactionOutcome> {
  const known = await withRpcErrors(() => findOutcome(chain.connection, signed));
  if (known) return known;
  if (signal.aborted) throw stopped();
  // If this fails, the confirmer sends it again.
  await resend(chain, signed).catch(() => {});
  if (purpose) await chain.crashPoint?.(`${purpose}.sent`);
  return confirm(chain, signed, signal);
}

/** Sends without a preflight. A transaction lands at most once. */
function resend(
  { connection, senders }: SendContext,
  { transaction }: SignedTransaction,
): Promise<string> {
  senders?.send(transaction);
  return connection.sendRawTransaction(transaction, { skipPreflight: true, maxRetries: 0 });
}

async function confirm(
  chain: SendContext,
  signed: SignedTransaction,
  signal: AbortSignal,
): Promise<TransactionOutcome> {
  try {
    return await chain.confirmer.wait({
      sent: signed,
      resend: () => resend(chain, signed),
      signal,
    });
  } catch (error) {
    throw signal.aborted ? stopped() : toUnavailable(error);
  }
}

export function stopped(): ChainUnavailableError {
  return new ChainUnavailableError("The server is stopping");
}

/** @returns lamports that a failed or expired transaction cost @throws {ChainUnavailableError} */
export async function spentBy(
  chain: SendContext,
  sent: Pick<SentTransaction, "signature">,
  { outcome, signal }: { readonly outcome: "failed" | "expired"; readonly signal: AbortSignal },
): Promise<bigint> {
  if (outcome === "expired") return 0n;
  const { meta } = await awaitTransaction(chain, sent, signal);
  if (!meta) throw new ChainUnavailableError(NO_BALANCES);
  return BigInt(meta.fee);
}

const NO_BALANCES = "The Solana RPC returned no balances of the transaction";

/** Reads what a transaction did. @throws {ChainUnavailableError} if the RPC does not return it */
export async function readFinished(
  chain: SendContext,
  { sent, outcome }: SentOutcome,
  { purpose, signal }: { readonly purpose: Purpose; readonly signal: AbortSignal },
) {
  if (outcome.kind === "failed") return { kind: "failed", error: outcome.error } as const;
  if (outcome.kind === "landed") await chain.crashPoint?.(`${purpose}.landed`);
  const transaction =
    outcome.kind === "expired"
      ? await searchTransaction(chain, { ...sent, signer: lastSigner(sent) }, outcome.slot)
      : await awaitTransaction(chain, sent, signal);
  if (!transaction) return { kind: "expired" } as const;
  const { meta } = transaction;
  if (!meta) throw new ChainUnavailableError(NO_BALANCES);
  if (meta.err !== null) return { kind: "failed", error: meta.err } as const;
  return { kind: "landed", transaction, meta } as const;
}

/** @returns `open` if it can still land; `landed` also if it failed on chain; otherwise `never` */
export async function finalOutcome(
  chain: SendContext,
  sent: SentTransaction & { readonly agent: string },
): Promise<"open" | "landed" | "never"> {
  const { blockHeight } = await withRpcErrors(() => readTip(chain.connection, "finalized"));
  if (blockHeight <= sent.lastValidBlockHeight) return "open";
  const outcome = await withRpcErrors(() => findOutcome(chain.connection, sent));
  if (outcome === null) return "open";
  if (outcome.kind !== "expired") return "landed";
  const signer = new PublicKey(sent.agent);
  const found = await searchTransaction(chain, { ...sent, signer }, outcome.slot);
  return found === null ? "never" : "landed";
}

/**
 * Searches for a transaction that has expired by this slot and has no status: nodes forget statuses
 * sooner than transactions. @returns null if it never landed
 */
async function searchTransaction(
  chain: SendContext,
  { signature, signer }: { readonly signature: string; readonly signer: PublicKey },
  slot: number,
): Promise<VersionedTransactionResponse | null> {
  const found = await withRpcErrors(() => readTransaction(chain.connection, signature));
  if (found) return found;
  // The request above does not show that a node is behind; this one does.
  const since = { minContextSlot: slot };
  const listed = await withRpcErrors(() => chain.connection.getSignaturesForAddress(signer, since));
  if (!listed.some((one) => one.signature === signature)) return null;
  throw new ChainUnavailableError("The Solana RPC lists the transaction, but does not return it");
}

/** Returns the last signer: in a claim the agent, which has the shortest list of transactions. */
function lastSigner({ transaction }: SignedTransaction): PublicKey {
  const { header, staticAccountKeys } = VersionedTransaction.deserialize(transaction).message;
  return staticAccountKeys[header.numRequiredSignatures - 1] as PublicKey;
}

async function awaitTransaction(
  chain: SendContext,
  { signature }: Pick<SentTransaction, "signature">,
  signal: AbortSignal,
): Promise<VersionedTransactionResponse> {
  for (let tries = 1; tries <= READ_TRIES; tries++) {
    if (signal.aborted) throw stopped();
    const found = await withRpcErrors(() => readTransaction(chain.connection, signature));
    if (found) return found;
    await chain.pause(READ_PAUSE_MS);
  }
  throw new ChainUnavailableError(
    "The transaction landed, but the Solana RPC does not return what it did",
  );
}
