import { randomInt } from "node:crypto";
import type { PublicKey, TransactionError, TransactionInstruction } from "@solana/web3.js";
import type { TransactionVersion } from "@tokenctl/shared/words";
import { BLOCKHASH_VALID_BLOCKS } from "../../domain/cluster-pace.ts";
import type { SigningKind } from "../../domain/signing.ts";
import {
  type Budget,
  cappedUnitPrice,
  compileMessage,
  MAX_UNITS,
  priorityLamports,
  unitsWithMargin,
  unsignedTransaction,
} from "../../solana/message.ts";
import { feeOf, type Simulation, simulate } from "../../solana/simulate.ts";
import { classifyError, describeError } from "../../solana/transaction-error.ts";
import { withRpcErrors } from "../chain/cluster.ts";
import type { ChainContext } from "../chain/context.ts";
import { USUAL_PERCENTILE } from "../chain/transaction.ts";
import { BuildError, ChainUnavailableError, SIGNED_NAMES, UnaffordableError } from "../errors.ts";
import { readFunds } from "./funds.ts";

export interface UnsignedTransaction {
  readonly transaction: Uint8Array;
  readonly lastValidBlockHeight: number;
  /** Seconds within which the agent must sign it so that it can land; at least 1. */
  readonly expiresInSeconds: number;
}

/** RPC requests that step 2 may make until the cluster has the transaction. */
const SENDING_REQUESTS = 5;

/** Blocks that may pass until a block contains a sent transaction. */
const LANDING_BLOCKS = 5;

const MAX_FEE_LAMPORTS = 50_000n;

/** Compute units for assertions that the agent's wallet may add; Phantom adds up to four. */
const ASSERTION_UNITS = 15_000;

export interface Draft {
  readonly kind: SigningKind;
  readonly version: TransactionVersion;
  /** All signers, in order; the first pays the network fee. */
  readonly signers: readonly [PublicKey, ...PublicKey[]];
  readonly instructions: readonly TransactionInstruction[];
  /**
   * What the payer holds, must hold besides the network fee, and may need temporarily in addition,
   * in lamports. Default: read from the instructions.
   */
  readonly funds?: Readonly<Record<"balance" | "holds" | "lends", bigint>>;
}

/** Simulates and prices a draft, so that an agent signs nothing that would fail. */
export async function compose(chain: ChainContext, draft: Draft) {
  return compilePriced(chain, draft, await priceDraft(chain, draft));
}

export async function priceDraft(chain: ChainContext, draft: Draft) {
  const simulation = await simulateDraft(chain, draft);
  return { simulation, fee: await readFee(chain, simulation) };
}

export async function compilePriced(
  chain: ChainContext,
  draft: Draft,
  { simulation, fee }: Awaited<ReturnType<typeof priceDraft>>,
) {
  const { kind, signers, instructions } = draft;
  const [payer] = signers;
  const ensureFunds = async (lamports: bigint, cause?: unknown) => {
    const read = () => readFunds(chain, { kind, payer, instructions }, simulation.slot);
    const { balance, holds, lends } = draft.funds ?? { ...(await read()), lends: 0n };
    if (balance >= lamports + holds) return;
    const funds = { required: fee.highest + holds + lends, balance };
    throw new UnaffordableError(kind, payer.toBase58(), funds, cause);
  };
  const { error, logs } = simulation;
  if (error !== null) {
    const errorClass = classifyError(error, logs);
    if (errorClass === "later") throw busy(kind, error);
    if (errorClass === "payer") await ensureFunds(fee.withoutPriorityFee, error);
    const all = simulation.instructions;
    // The wallet got SOL between two reads, or one of the reads was of an old state.
    if (errorClass === "payer") throw contradiction(kind, error, all);
    const text = `The chain would refuse the ${SIGNED_NAMES[kind]} (${describeError(error, all)})`;
    throw new BuildError(kind, text, { error, logs });
  }
  const { lamports, budget } = fee.of(draftUnits(simulation) + ASSERTION_UNITS);
  // The simulation contained no priority fee, so it does not show whether the wallet can pay one.
  if (lamports > fee.withoutPriorityFee) await ensureFunds(lamports);
  const unsigned = await compileDraft(chain, draft, { simulation, budget });
  return { ...unsigned, networkFee: lamports };
}

/** Returns the error for two contradictory answers about a transaction: nothing is decided. */
export function contradiction(
  kind: SigningKind,
  error: TransactionError,
  instructions: readonly TransactionInstruction[],
) {
  const reason = describeError(error, instructions);
  const text = `The chain gave different answers about the ${SIGNED_NAMES[kind]} (${reason})`;
  return new ChainUnavailableError(text, error);
}

export function busy(kind: SigningKind, error: TransactionError) {
  const text = `The cluster cannot take the ${SIGNED_NAMES[kind]} now (${describeError(error)})`;
  return new ChainUnavailableError(text, error);
}

type DraftSimulation = Awaited<ReturnType<typeof simulateDraft>>;

/** @param budget by default the maximum of compute units, and no price */
export async function simulateDraft(
  { connection, clock, pace }: ChainContext,
  { kind, version, signers: [payer], instructions }: Draft,
  budget?: Budget,
) {
  const askedAt = clock.elapsed();
  const order = { pace, payer, version, instructions, ...(budget && { budget }) };
  const simulation = await fitting(kind, () => withRpcErrors(() => simulate(connection, order)));
  return { ...simulation, askedAt, answeredAt: clock.elapsed() };
}

async function fitting<Made>(kind: SigningKind, make: () => Promise<Made>): Promise<Made> {
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const text = `The ${SIGNED_NAMES[kind]} does not fit into a transaction`;
    throw new BuildError(kind, text, error);
  }
}

/** Transactions are numbered modulo this; the number adds to the compute units, so it is small. */
const NUMBERS = 5_000;
let lastNumber = randomInt(NUMBERS);

/** Returns units that differ with each call: the chain accepts the same message only once. */
export function draftUnits({ units }: Simulation): number {
  lastNumber = (lastNumber + 1) % NUMBERS;
  return unitsWithMargin(units) + lastNumber;
}

/** Reads what a draft costs that was simulated without a priority fee. */
export async function readFee(
  { connection, fees, feeCaps }: ChainContext,
  simulation: DraftSimulation,
) {
  const [fee, unitPrice] = await withRpcErrors(() =>
    Promise.all([feeOf(connection, simulation), fees.unitPrice(USUAL_PERCENTILE)]),
  );
  const caps = { ...feeCaps, maxTransactionFeeLamports: MAX_FEE_LAMPORTS };
  const priceOf = (units: number) => cappedUnitPrice(unitPrice, { units, fee }, caps);
  return {
    withoutPriorityFee: fee,
    /** The highest fee in lamports; the next transaction may pay more than this one. */
    highest: priceOf(MAX_UNITS) > 0n ? MAX_FEE_LAMPORTS : fee,
    /** @returns the fee in lamports for this many compute units, and their budget */
    of(units: number) {
      const price = priceOf(units);
      return { lamports: fee + priorityLamports(price, units), budget: { units, price } };
    },
  };
}

export async function compileDraft(
  chain: ChainContext,
  { kind, version, signers: [payer], instructions }: Draft,
  { simulation, budget }: { readonly simulation: DraftSimulation; readonly budget: Budget },
): Promise<UnsignedTransaction> {
  const { blockhash, lastValidBlockHeight } = simulation;
  const transaction = await fitting(kind, async () =>
    unsignedTransaction(compileMessage({ version, payer, instructions, budget, blockhash })),
  );
  const expiresInSeconds = lifetimeSeconds(chain, simulation);
  return { transaction, lastValidBlockHeight, expiresInSeconds };
}

/**
 * Returns the seconds until the blockhash expires, less what step 2 takes, judged by the time of
 * the simulation.
 */
function lifetimeSeconds(
  { pace, clock }: ChainContext,
  { lastValidBlockHeight, askedAt, answeredAt }: DraftSimulation,
): number {
  const whole = BLOCKHASH_VALID_BLOCKS * pace.msPerBlock - (clock.elapsed() - askedAt);
  const left = Math.min(whole, pace.msUntil(lastValidBlockHeight));
  const sending = SENDING_REQUESTS * (answeredAt - askedAt) + LANDING_BLOCKS * pace.msPerBlock;
  return Math.max(1, Math.floor((left - sending) / 1000));
}
