import { randomInt } from "node:crypto";
import {
  PACKET_DATA_SIZE,
  type PublicKey,
  SystemProgram,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import type { Receiver } from "../../domain/claim.ts";
import { BLOCKHASH_VALID_BLOCKS } from "../../domain/cluster-pace.ts";
import type { TokenRef } from "../../domain/token.ts";
import {
  cappedBid,
  LAMPORTS_PER_SIGNATURE,
  MAX_UNITS,
  priorityLamports,
  unitLimit,
  unitPrice,
  unitsWithMargin,
} from "../../solana/fees.ts";
import { type Simulation, simulate } from "../../solana/simulate.ts";
import { ChainUnavailableError, ClaimBuildError, CreatorChangedError } from "../errors.ts";
import type { UnsignedTransaction } from "../launchpad.ts";
import type { ClaimParts } from "../pool-program.ts";
import { withProgramErrors, withRpcErrors } from "./cluster.ts";
import type { ChainContext } from "./context.ts";
import { payOut, type ReceiverPayout } from "./payout.ts";
import { USUAL_PERCENTILE } from "./transaction.ts";

/**
 * Requests that step 2 may take before the cluster has the claim: its status and the height if it may have
 * been sent before, the rent, the sending.
 */
const SENDING_REQUESTS = 4;

/** Blocks that may pass until a claim that was sent is in one. */
const LANDING_BLOCKS = 5;

const MAX_FEE_LAMPORTS = 50_000n;

interface ClaimParties {
  readonly agent: PublicKey;
  readonly sponsor?: PublicKey;
  readonly receivers?: readonly Receiver[];
}

export interface ClaimOrder extends ClaimParties {
  readonly tokens: readonly TokenRef[];
}

/**
 * Drafts a claim of as many of the tokens as fit, in order; null if there is nothing to claim.
 * @throws {ClaimBuildError} none of the tokens can be claimed
 */
export async function draftClaim(chain: ChainContext, order: ClaimOrder) {
  const { agent, tokens, sponsor, receivers = [] } = order;
  const options = { sponsor, startsEmpty: receivers.length > 0 };
  let parts: ClaimParts | null;
  try {
    parts = await withProgramErrors(() => chain.program.claim(agent.toBase58(), tokens, options));
  } catch (error) {
    if (error instanceof ChainUnavailableError || error instanceof CreatorChangedError) throw error;
    throw new ClaimBuildError("The claim cannot be built from what is on chain", error);
  }
  if (parts === null) return null;
  const fitting = fitTokens(parts, order);
  return {
    tokens: fitting.tokens.map(({ token }) => token),
    lamports: fitting.tokens.reduce((sum, token) => sum + token.lamports, 0n),
    instructions: (payout?: ReceiverPayout) => joinClaim(fitting, payout),
  };
}

/**
 * @returns as many tokens as fit into one transaction, in their order, at least one. If the
 * receivers leave no room for all of its fees, only the richest part is claimed
 */
export function fitTokens<Parts extends ClaimParts>(parts: Parts, parties: ClaimParties): Parts {
  let fitting = { ...parts, tokens: parts.tokens.slice(0, 1) };
  const [first] = parts.tokens;
  if (parties.receivers && first?.richest && !fits(fitting, parties)) {
    fitting = { ...parts, tokens: [{ ...first, ...first.richest }] };
  }
  for (const token of parts.tokens.slice(1)) {
    const more = { ...fitting, tokens: [...fitting.tokens, token] };
    if (fits(more, parties)) fitting = more;
  }
  return fitting;
}

export interface ClaimSimulation extends Simulation {
  readonly askedAt: number;
  readonly answeredAt: number;
}

export async function simulateClaim(
  { connection, clock }: ChainContext,
  payer: PublicKey,
  instructions: readonly TransactionInstruction[],
): Promise<ClaimSimulation> {
  const askedAt = clock.elapsed();
  const all = [unitLimit(MAX_UNITS), ...instructions];
  const order = { payer, instructions: all };
  const simulation = await withRpcErrors(() => simulate(connection, order));
  return { ...simulation, askedAt, answeredAt: clock.elapsed() };
}

/**
 * How long a claim may be signed: until its blockhash expires, less what step 2 takes, by the time
 * of the simulation. @throws {ChainUnavailableError} the RPC is too slow for the claim to land
 */
function lifetimeSeconds(
  { pace, clock }: ChainContext,
  { lastValidBlockHeight, askedAt, answeredAt }: ClaimSimulation,
): number {
  const whole = BLOCKHASH_VALID_BLOCKS * pace.msPerBlock - (clock.elapsed() - askedAt);
  const left = Math.min(whole, pace.msUntil(lastValidBlockHeight));
  const sending = SENDING_REQUESTS * (answeredAt - askedAt) + LANDING_BLOCKS * pace.msPerBlock;
  const seconds = Math.floor((left - sending) / 1000);
  if (seconds >= 1) return seconds;
  throw new ChainUnavailableError(
    "The Solana RPC is too slow: a claim would expire before it lands",
  );
}

/** Bytes for assertions that the wallet may add to a claim with receivers: four, and their program. */
const ASSERTION_BYTES = 128;

/** Whether a claim fits into a transaction, with a bid, its receivers and the repayment of a sponsor. */
function fits(parts: ClaimParts, { agent, sponsor, receivers = [] }: ClaimParties): boolean {
  const payout = receivers.length > 0 ? payOut({ agent, receivers }, 0n) : undefined;
  const most = payout && !sponsor ? PACKET_DATA_SIZE - ASSERTION_BYTES : PACKET_DATA_SIZE;
  const repayment = sponsor
    ? [SystemProgram.transfer({ fromPubkey: agent, toPubkey: sponsor, lamports: 1 })]
    : [];
  const budget = [unitLimit(MAX_UNITS), ...unitPrice(1n)];
  const message = new TransactionMessage({
    payerKey: sponsor ?? agent,
    recentBlockhash: SystemProgram.programId.toBase58(),
    instructions: [...budget, ...joinClaim(parts, payout), ...repayment],
  }).compileToLegacyMessage();
  try {
    return new VersionedTransaction(message).serialize().length <= most;
  } catch {
    // web3.js writes into a buffer of that size.
    return false;
  }
}

/** Claims are numbered modulo this. A claim's number adds to its compute units, so it stays small. */
const CLAIM_NUMBERS = 5_000;
let lastClaim = randomInt(CLAIM_NUMBERS);

/** They differ from claim to claim: the chain takes the same message only once. */
export function claimUnits({ units }: Simulation): number {
  lastClaim = (lastClaim + 1) % CLAIM_NUMBERS;
  return unitsWithMargin(units) + lastClaim;
}

export async function readClaimFee({ fees, feeCaps }: ChainContext, signatures: number) {
  const bid = await withRpcErrors(() => fees.bid(USUAL_PERCENTILE));
  const caps = { ...feeCaps, maxTransactionFeeLamports: MAX_FEE_LAMPORTS };
  const signing = BigInt(signatures) * LAMPORTS_PER_SIGNATURE;
  const priceOf = (units: number) => cappedBid(bid, { units, signatures }, caps);
  return {
    /** Lamports of the highest fee; the next claim may bid more than this one. */
    highest: priceOf(MAX_UNITS) > 0n ? MAX_FEE_LAMPORTS : signing,
    /** @returns lamports that a claim of this many compute units pays, and the instructions that say so */
    of(units: number) {
      const price = priceOf(units);
      const lamports = signing + priorityLamports(price, units);
      return { lamports, instructions: [unitLimit(units), ...unitPrice(price)] };
    },
  };
}

interface ComposedClaim {
  /** All who have to sign it, in order; the first pays the network fee. */
  readonly signers: readonly [PublicKey, ...PublicKey[]];
  readonly simulation: ClaimSimulation;
  readonly instructions: readonly TransactionInstruction[];
}

export function serializeClaim(
  chain: ChainContext,
  { signers, simulation, instructions }: ComposedClaim,
): UnsignedTransaction {
  const { blockhash, lastValidBlockHeight } = simulation;
  const message = new TransactionMessage({
    payerKey: signers[0],
    recentBlockhash: blockhash,
    instructions: [...instructions],
  }).compileToLegacyMessage();
  const [payer, ...others] = message.accountKeys.slice(0, message.header.numRequiredSignatures);
  const sorted = (keys: readonly PublicKey[]) => keys.map(String).sort().join();
  if (!payer?.equals(signers[0]) || sorted(others) !== sorted(signers.slice(1))) {
    throw new ClaimBuildError("The claim needs other signatures than it may");
  }
  const expiresInSeconds = lifetimeSeconds(chain, simulation);
  try {
    return {
      message: message.serialize(),
      transaction: new VersionedTransaction(message).serialize(),
      lastValidBlockHeight,
      expiresInSeconds,
    };
  } catch (error) {
    throw new ClaimBuildError("The claim does not fit into a transaction", error);
  }
}

export function joinClaim(
  { first, tokens, last }: ClaimParts,
  payout?: ReceiverPayout,
): TransactionInstruction[] {
  const claims = tokens.flatMap(({ instructions }) => instructions);
  if (!payout) return [...first, ...claims, ...last];
  return [...first, ...claims, payout.proof, ...last, ...payout.transfers];
}
