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
  /** Who has the role of the pool's creator; null once only the pool after the curve is read. */
  readonly creator: string | null;
  readonly market: Market | null;
  /** Lamports that the agent can claim of the bonding curve; 0 once it has migrated. */
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
  /** Absent if all fees are the agent's, as a launch makes them. */
  readonly creatorChanged?: CreatorChange;
}

/**
 * The owner of fees that no longer belong to the agent: its address, or null if the chain does not say. A
 * kind whose fees are still the agent's is absent.
 */
export interface CreatorChange {
  readonly bondingCurve?: string;
  readonly liquidityPool?: string | null;
}

/** The chain answers, but a token is missing or is not as a launch makes it. */
export interface UnreadableFees {
  /** What is wrong; public. */
  readonly unreadable: string;
}

export interface PoolProgram {
  /** Mint and pool of a launch: the same for the same event, so a retry cannot make a second token. */
  addresses(eventId: string): TokenRef;

  /**
   * The instructions that create mint and pool in one transaction, and the keypairs that sign it
   * beside the wallet that pays: the order says which.
   */
  launch(order: LaunchOrder): Promise<NewToken>;

  terms(): Promise<PoolTerms>;

  /** Fees of an agent's tokens, in order. One that cannot be read does not affect the others. */
  readFees(agent: string, tokens: readonly TokenRef[]): Promise<(TokenFees | UnreadableFees)[]>;

  /**
   * Reads the pools of tokens of any agents, in the order given, with one request for each 100: of each token
   * the one pool that it trades in. A pool that is new to the process, or has just migrated, takes more. A pool
   * that cannot be read does not affect the others.
   */
  readPools(tokens: readonly OwnedToken[]): Promise<(PoolReading | UnreadableFees)[]>;

  /** Who has the role of the pools' creators, in order; null for an unreadable curve. */
  readCreators(tokens: readonly TokenRef[]): Promise<(string | null)[]>;

  /**
   * The instructions by which the agent takes all fees of tokens; null if they have none. A token
   * that cannot be read is left out, unless none can. @throws {CreatorChangedError} all fees belong
   * to other wallets
   */
  claim(
    agent: string,
    tokens: readonly TokenRef[],
    options?: ClaimOptions,
  ): Promise<ClaimParts | null>;

  /**
   * The instructions by which an agent gives another wallet what a token's fees follow: the role of
   * the pool's creator, and after migration its position. @throws {CreatorChangedError}
   */
  handOver(agent: string, token: TokenRef, to: string): Promise<TransactionInstruction[]>;

  /** Whose fees a vault holds that a claim of these tokens took SOL from; null if not known. */
  sourceOf(
    vault: string,
    tokens: readonly TokenRef[],
    instructions: readonly TransactionInstruction[],
  ): FeeSource | null;

  /** Why launches cannot work (no programs, unusable config), or null; by this connection. */
  checkConfig(connection?: Connection): Promise<string | null>;
}

export interface ClaimOptions {
  /**
   * Pays the rents instead of the agent. Every account that it pays for is created and closed by the claim;
   * what it paid for the account for wrapped SOL goes to the agent, all other rent back.
   */
  readonly sponsor?: PublicKey | undefined;
  /**
   * Whether the claim makes the account for wrapped SOL, so that it holds nothing but what the claim takes. SOL
   * in an account that exists is unwrapped before.
   */
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

export interface NewToken extends LaunchInstructions {
  /** Bytes that rent is paid for, with those that each account counts besides its data. */
  readonly rentBytes: bigint;
  /** The address of the metadata document, which goes on chain; null if none does. */
  readonly metadataUri: string | null;
  /** What is taken for a new token beside rent and network fee, in lamports. */
  readonly creationLamports: bigint;
}

/** A claim's instructions in the order of a transaction. Any of the tokens can be left out. */
export interface ClaimParts {
  readonly first: readonly TransactionInstruction[];
  /** The tokens that have fees, and what takes them; at least one, in the order asked for. */
  readonly tokens: readonly TokenClaim[];
  readonly last: readonly TransactionInstruction[];
}

export interface TokenClaim extends Taking {
  readonly token: TokenRef;
  /** If it takes from several accounts: from the richest of them alone. */
  readonly richest?: Taking;
}

interface Taking {
  readonly lamports: bigint;
  readonly instructions: readonly TransactionInstruction[];
}

export interface CurveProgress {
  readonly isMigrated: boolean;
  /** When all its tokens were sold, in milliseconds since the Unix epoch; null before that. */
  readonly completedAt: number | null;
}

export interface MigrationProgram {
  /** In order, with batched reads. One that cannot be read does not affect the others. */
  readProgress(tokens: readonly TokenRef[]): Promise<(CurveProgress | UnreadableFees)[]>;

  /**
   * What migrates a complete curve, as anyone may, and the keys that sign beside the launch wallet.
   * @throws {TokenUnreadableError} this curve cannot be migrated like that
   */
  migration(token: TokenRef): Promise<LaunchInstructions>;
}

/** @returns as many tokens as fit into one transaction, in their order, at least one */
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

export interface AgentClaimOptions extends ClaimOptions {
  readonly agent: PublicKey;
}

export function wrappedSolAccount(wallet: PublicKey): PublicKey {
  return getAssociatedTokenAddressSync(NATIVE_MINT, wallet, true);
}

/** What encloses a claim of any tokens: make the agent's account for wrapped SOL, and unwrap it. */
export function enclosingInstructions(
  { agent, sponsor, startsEmpty }: AgentClaimOptions,
  hasWrappedSol: boolean,
): Pick<ClaimParts, "first" | "last"> {
  const account = wrappedSolAccount(agent);
  const unwrap = createCloseAccountInstruction(account, agent, agent);
  // A sponsor gets its rent back only from an account that was not there before.
  const make =
    sponsor || startsEmpty
      ? createAssociatedTokenAccountInstruction
      : createAssociatedTokenAccountIdempotentInstruction;
  const made = make(sponsor ?? agent, account, agent, NATIVE_MINT);
  if (startsEmpty) return { first: hasWrappedSol ? [unwrap, made] : [made], last: [unwrap] };
  return { first: sponsor && hasWrappedSol ? [] : [made], last: [unwrap] };
}

/** What the partner of a token's config, the operator, earns from the token. Lamports. */
export interface PartnerRevenue {
  /** Whether the wallet that asks is the partner. Otherwise only positions can be its own. */
  readonly isPartner: boolean;
  /** The partner's share of the trading fees on the curve. */
  readonly curve: FeeTotals;
  /** What the wallet's positions earn in the pool after the curve. */
  readonly position: FeeTotals;
  /** The partner's share of what the last trade paid beyond the curve's end. */
  readonly surplus: FeeTotals;
  /** The partner's share of what the config takes from the curve at migration. */
  readonly migrationFee: FeeTotals;
  /** The partner's share of what its launch paid for the pool. */
  readonly creationFee: FeeTotals;
  readonly isMigrated: boolean;
}

export interface TokenCollection extends TokenClaim {
  /** The accounts from which the lamports come: the curve's pool and the vaults of both pools. Base58. */
  readonly vaults: readonly string[];
}

export interface CollectionParts extends ClaimParts {
  readonly tokens: readonly TokenCollection[];
}

export interface PartnerProgram {
  /** In the order given. A token that cannot be read does not affect the others. */
  readRevenue(tokens: readonly TokenRef[]): Promise<(PartnerRevenue | UnreadableFees)[]>;

  /**
   * Takes all that the wallet can from tokens; null if that is nothing. One that cannot be read is
   * left out.
   */
  collect(tokens: readonly TokenRef[]): Promise<CollectionParts | null>;
}

export function claimableOf(revenue: PartnerRevenue): bigint {
  const { curve, position, surplus, migrationFee, creationFee } = revenue;
  const all = [curve, position, surplus, migrationFee, creationFee];
  return all.reduce((sum, { claimable }) => sum + claimable, 0n);
}
