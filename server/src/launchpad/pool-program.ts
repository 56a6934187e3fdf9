import {
  createAssociatedTokenAccountIdempotentInstruction,
  createAssociatedTokenAccountInstruction,
  createCloseAccountInstruction,
  getAssociatedTokenAddressSync,
  NATIVE_MINT,
} from "@solana/spl-token";
import type { Connection, Keypair, PublicKey, TransactionInstruction } from "@solana/web3.js";
import type { LaunchOrder } from "../domain/launch.ts";
import type { FeeKind } from "../domain/signing.ts";
import type { Market, OwnedToken, PoolTerms, TokenRef } from "../domain/token.ts";

export interface PoolReading {
  readonly isMigrated: boolean;
  /** The wallet with the role of the pool's creator. */
  readonly creator: string;
  readonly market: Market | null;
  /** Lamports that the agent can claim from the bonding curve; 0 once it has migrated. */
  readonly claimable: bigint;
}

/** Lamports of one kind of fee. `claimable + claimed = total`. */
export interface FeeTotals {
  readonly claimable: bigint;
  readonly claimed: bigint;
  readonly total: bigint;
}

export const NO_FEES: FeeTotals = { claimable: 0n, claimed: 0n, total: 0n };

export interface TokenFees {
  readonly bondingCurve: FeeTotals;
  readonly liquidityPool: FeeTotals;
  readonly isMigrated: boolean;
  /** Absent while all fees belong to the agent, as at launch. */
  readonly creatorChanged?: CreatorChange;
}

/** The owner of each kind of fees that is no longer the agent's; null if the chain does not show it. */
export interface CreatorChange {
  readonly bondingCurve?: string;
  readonly liquidityPool?: string | null;
}

/** The chain answers, but the token is missing or differs from what a launch creates. */
export interface UnreadableFees {
  /** What is wrong; public. */
  readonly unreadable: string;
}

export interface PoolProgram {
  /** Returns mint and pool, always the same for an event, so a retry cannot make a second token. */
  addresses(eventId: string): TokenRef;

  launch(order: LaunchOrder): Promise<NewToken>;

  terms(): Promise<PoolTerms>;

  /** Reads the fees of an agent's tokens, in order. An unreadable token does not affect others. */
  readFees(agent: string, tokens: readonly TokenRef[]): Promise<(TokenFees | UnreadableFees)[]>;

  /** Reads the pool that each token trades in, in order, 100 tokens of any agents with a request. */
  readPools(tokens: readonly OwnedToken[]): Promise<(PoolReading | UnreadableFees)[]>;

  /**
   * Returns the instructions that claim all fees of the tokens, null if there are none. Leaves out
   * unreadable tokens unless all are. @throws {CreatorChangedError} if all fees belong to others
   */
  claim(
    agent: string,
    tokens: readonly TokenRef[],
    options?: ClaimOptions,
  ): Promise<ClaimParts | null>;

  /** Instructions that transfer the creator's role and position. @throws {CreatorChangedError} */
  handOver(agent: string, token: TokenRef, to: string): Promise<TransactionInstruction[]>;

  /** Returns the token and kind of fees of a vault that a claim took SOL from; null if unknown. */
  sourceOf(
    vault: string,
    tokens: readonly TokenRef[],
    instructions: readonly TransactionInstruction[],
  ): FeeSource | null;

  /** Returns why launches cannot work over `connection` (no programs, unusable config), or null. */
  checkConfig(connection?: Connection): Promise<string | null>;
}

export interface ClaimOptions {
  /** Pays the rents instead of the agent; gets back all but that of the account for wrapped SOL. */
  readonly sponsor?: PublicKey | undefined;
  /** Whether the claim makes the account for wrapped SOL, which then holds only what it takes. */
  readonly startsEmpty?: boolean;
}

export interface FeeSource {
  readonly tokenMint: string;
  readonly kind: FeeKind;
}

export interface LaunchInstructions {
  readonly instructions: readonly TransactionInstruction[];
  readonly signers: readonly Keypair[];
}

interface NewToken extends LaunchInstructions {
  /** Bytes that rent is paid for, including those that each account counts besides its data. */
  readonly rentBytes: bigint;
  /** The address of the metadata document, which goes on chain; null if none does. */
  readonly metadataUri: string | null;
  /** The cost of a new token besides rent and network fee, in lamports. */
  readonly creationLamports: bigint;
}

/** A claim's instructions in the order of a transaction. Any of the tokens can be left out. */
export interface ClaimParts {
  readonly first: readonly TransactionInstruction[];
  /** The tokens with fees, and the instructions that take them; at least one, in order. */
  readonly tokens: readonly TokenClaim[];
  readonly last: readonly TransactionInstruction[];
}

export interface TokenClaim extends Taking {
  readonly token: TokenRef;
  /** Takes only from the richest account, if there are several. */
  readonly richest?: Taking;
}

interface Taking {
  readonly lamports: bigint;
  readonly instructions: readonly TransactionInstruction[];
}

export interface CurveProgress {
  readonly isMigrated: boolean;
  /** When the curve's last token was sold, in Unix milliseconds; null before that. */
  readonly completedAt: number | null;
}

export interface MigrationProgram {
  /** Reads in batches, and returns in order. An unreadable token does not affect the others. */
  readProgress(tokens: readonly TokenRef[]): Promise<(CurveProgress | UnreadableFees)[]>;

  /** Instructions that migrate a complete curve. @throws {TokenUnreadableError} if none can */
  migration(token: TokenRef): Promise<LaunchInstructions>;
}

/** @returns as many tokens as fit into one transaction, in order; at least one */
export function fitTokens<Parts extends ClaimParts>(
  parts: Parts,
  fits: (parts: Parts) => boolean,
): Parts {
  let fitting = { ...parts, tokens: parts.tokens.slice(0, 1) };
  for (const token of parts.tokens.slice(1)) {
    const more = { ...fitting, tokens: [...fitting.tokens, token] };
    if (fits(more)) fitting = more;
  }
  return fitting;
}

export function claimOf({ first, tokens, last }: ClaimParts): TransactionInstruction[] {
  return [...first, ...tokens.flatMap(({ instructions }) => instructions), ...last];
}

export function wrappedSolAccount(wallet: PublicKey): PublicKey {
  return getAssociatedTokenAddressSync(NATIVE_MINT, wallet, true);
}

export function enclosingInstructions(
  agent: PublicKey,
  hasWrappedSol: boolean,
  { sponsor, startsEmpty = false }: ClaimOptions = {},
): Pick<ClaimParts, "first" | "last"> {
  const account = wrappedSolAccount(agent);
  const unwrap = createCloseAccountInstruction(account, agent, agent);
  // A sponsor gets its rent back only if the account did not exist before.
  const make =
    sponsor || startsEmpty
      ? createAssociatedTokenAccountInstruction
      : createAssociatedTokenAccountIdempotentInstruction;
  const made = make(sponsor ?? agent, account, agent, NATIVE_MINT);
  const before = startsEmpty && hasWrappedSol ? [unwrap] : [];
  return { first: sponsor && hasWrappedSol ? [] : [...before, made], last: [unwrap] };
}

/** What the operator, as partner of a token's config, earns from the token, in lamports. */
export interface PartnerRevenue {
  readonly curve: FeeTotals;
  readonly position: FeeTotals;
  /** The partner's share of what the last trade paid beyond the curve's end. */
  readonly surplus: FeeTotals;
  /** The partner's share of the fee that the launch paid for the pool. */
  readonly creationFee: FeeTotals;
}

export interface TokenCollection extends TokenClaim {
  /** The accounts that pay, in base58: the curve's pool and the vaults of both pools. */
  readonly vaults: readonly string[];
}

interface CollectionParts extends ClaimParts {
  readonly tokens: readonly TokenCollection[];
}

export interface PartnerProgram {
  readRevenue(tokens: readonly TokenRef[]): Promise<(PartnerRevenue | UnreadableFees)[]>;

  collect(tokens: readonly TokenRef[]): Promise<CollectionParts | null>;
}

export function claimableOf({ curve, position, surplus, creationFee }: PartnerRevenue): bigint {
  return curve.claimable + position.claimable + surplus.claimable + creationFee.claimable;
}
