import type { TransactionVersion } from "@tokenctl/shared/words";
import type { ClusterPace } from "../domain/cluster-pace.ts";
import type { Journal, LaunchJournal, SignedTransaction } from "../domain/journal.ts";
import type { LaunchOrder } from "../domain/launch.ts";
import type { LandedClaim, PaidReceiver, Receiver, SigningKind } from "../domain/signing.ts";
import type { Market, OwnedToken, PoolTerms, TokenRef } from "../domain/token.ts";

/**
 * The port between the service and a chain, implemented once (`chain-launchpad.ts`); a {@link
 * PoolProgram} holds what differs. Every call that asks the chain throws {@link
 * ChainUnavailableError} if the RPC does not answer, or not sensibly.
 */
export interface Launchpad {
  /**
   * Puts a launch on chain. Safe to call again after a crash or a failure: it first finds the
   * outcome of the attempt in the journal, and never has two transactions that could both land.
   * @throws {LaunchRefusedError} no retry could help; {@link LaunchWalletError} the launch wallet
   * cannot pay now
   */
  deploy(order: LaunchOrder, journal: LaunchJournal, signal: AbortSignal): Promise<TokenRef>;

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

  /** Lamports of at most 100 wallets, in one request; 0 for one that has no account. */
  readBalances(wallets: readonly string[]): Promise<bigint[]>;

  /** Checks that the chain is reachable and up to date, and that the launch wallet can pay. Never throws. */
  probe(): Promise<ChainProbe>;
}

/**
 * What an agent signs, claims, hand-overs and launches that it pays for, goes one way: one of `build…` hands
 * it out, {@link check} simulates what the agent has signed, {@link cosign} adds the signatures of the service,
 * {@link submit} stores and sends it. Every call throws {@link ChainUnavailableError} as {@link Launchpad}.
 */
export interface Signing {
  /** Reads what a launch costs the agent that pays for it, and simulates it. Hands nothing out. */
  checkLaunch(order: LaunchOrder): Promise<LaunchQuote>;

  /**
   * The transaction by which an agent pays for a launch, without the signatures of agent and mint.
   * @throws {UnaffordableError}, {@link BuildError}, {@link AlreadyLaunchedError}
   */
  buildLaunch(order: LaunchOrder, version?: TransactionVersion): Promise<UnsignedLaunch>;

  /**
   * Builds one transaction by which the agent takes all fees of as many tokens as fit, in order;
   * null if there is nothing to claim.
   * @throws {UnaffordableError}, {@link NotAWalletError}, {@link ReceiverRentError}, {@link
   * CreatorChangedError}, {@link BuildError} it cannot be built
   */
  buildClaim(
    agent: string,
    tokens: readonly TokenRef[],
    options?: BuildClaimOptions,
  ): Promise<UnsignedClaim | null>;

  /**
   * Builds the transaction by which an agent gives a token's fees to another wallet.
   * @throws {ReceiverRefusedError} the receiver does not look like a wallet, and the order does not
   * insist; {@link UnaffordableError}, {@link CreatorChangedError}, {@link BuildError}
   */
  buildHandOver(order: HandOverOrder): Promise<UnsignedHandOver>;

  /** See `checkSigned`. */
  check(handedOut: HandedOut, signature: string | null): Promise<void>;

  /**
   * Adds the launch wallet's signature to a sponsored claim, or the mint's to a launch. Signs whatever
   * transaction it gets: only for a message that was handed out, byte for byte but for a launch's assertions.
   * @throws {ExpiredError} it can no longer land, or repays other than its sponsor would pay now
   */
  cosign(handedOut: HandedOut): Promise<Cosigned>;

  /** See `submitSigned`. */
  submit(signed: Signed, journal: Journal, signal: AbortSignal): Promise<LandedClaim>;

  /**
   * Whether a signed transaction has cost anything, beyond any rollback: `open` if it can still
   * land, `landed` if it has, or failed on chain, `never` if it cannot.
   */
  finalOutcome(
    sent: Pick<Signed, "signature" | "lastValidBlockHeight" | "agent">,
  ): Promise<FinalOutcome>;
}

/** What was handed out, as the agent has signed it. */
export interface HandedOut extends Pick<SignedTransaction, "transaction" | "lastValidBlockHeight"> {
  readonly kind: SigningKind;
  readonly agent: string;
  /** Those of a claim, the one of a hand-over, or the one that a launch makes. */
  readonly tokens: readonly TokenRef[];
  /** Of a launch. */
  readonly order?: LaunchOrder;
}

/** The same with all its signatures. */
export type Signed = HandedOut & SignedTransaction;

export interface Cosigned {
  readonly transaction: Uint8Array;
  /** The first, base58: the cluster's name for the transaction. */
  readonly signature: string;
}

export interface BuildClaimOptions {
  readonly maySponsor?: () => Promise<boolean>;
  /** Default: legacy, as of all that agents sign. */
  readonly transactionVersion?: TransactionVersion | undefined;
  readonly receivers?: readonly Receiver[];
}

export interface PoolReading {
  readonly isMigrated: boolean;
  /** See {@link Launchpad.readCreators}; null once only the pool after the curve is read. */
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

export interface UnsignedTransaction {
  /** The serialized message, which the agent signs. */
  readonly message: Uint8Array;
  /** The serialized transaction with that message and an empty signature for each signer. */
  readonly transaction: Uint8Array;
  readonly lastValidBlockHeight: number;
  /** For how long it may be signed and still land, in seconds; at least 1. */
  readonly expiresInSeconds: number;
}

export interface UnsignedLaunch extends UnsignedTransaction {
  readonly token: TokenRef;
  readonly terms: PoolTerms;
  /** The address of the metadata document, which goes on chain; null if none does. */
  readonly metadataUri: string | null;
  readonly cost: LaunchPrice;
}

/** What a launch costs at most before its transaction is built, and what the agent's wallet has for it. */
export interface LaunchQuote {
  readonly cost: LaunchPrice;
  readonly required: bigint;
  readonly balance: bigint;
  /** Why {@link Signing.buildLaunch} would throw; null if it would not. */
  readonly refusal: unknown;
}

/** What a launch costs the agent that pays for it, in lamports. */
export interface LaunchPrice {
  readonly rent: bigint;
  readonly networkFee: bigint;
  /** What the launchpad and the service take for a new token. */
  readonly creationFee: bigint;
  readonly firstBuy: bigint;
}

export interface UnsignedClaim extends UnsignedTransaction {
  readonly tokens: readonly TokenRef[];
  /** Lamports that the agent repays out of the fees if the launch wallet pays; null otherwise. */
  readonly repaidLamports: bigint | null;
  readonly receivers: readonly PaidReceiver[];
}

export type FinalOutcome = "open" | "landed" | "never";

export interface HandOverOrder {
  readonly agent: string;
  readonly token: TokenRef;
  readonly to: string;
  /** Whether the receiver may be something else than a wallet. */
  readonly force: boolean;
  readonly transactionVersion?: TransactionVersion | undefined;
}

export interface UnsignedHandOver extends UnsignedTransaction {
  readonly networkFee: bigint;
  /** Lamports of rent for the receiver's account, which the agent does not get back. */
  readonly rent: bigint;
}

export interface ChainProbe {
  readonly ok: boolean;
  /** What is wrong and what to do about it; null if nothing is. Contains no URL. */
  readonly problem: string | null;
  /**
   * What is wrong although launches and claims work, such as nodes that are left out. Contains no
   * URL.
   */
  readonly warning?: string | null;
  /** That the chain lands nothing, and since when, in milliseconds since the Unix epoch. */
  readonly stalledSince?: number | null;
  /** The chain's time per block and rent; absent if they could not be read. */
  readonly pace?: ClusterPace;
  /** The launch wallet's balance; null if it could not be read, or there is none. */
  readonly walletLamports: bigint | null;
  /** For how many launches that lasts; null if it is not known, or launches cost nothing. */
  readonly walletLaunches?: number | null;
}

/** How far the launch wallet's transactions were seen. */
export interface HistoryPlace {
  /** Of the last one that was seen, base58; null if there was none. */
  readonly signature: string | null;
  readonly slot: number;
}

export interface SeenTransaction extends HistoryPlace {
  readonly signature: string;
}

export interface WalletHistory {
  newest(): Promise<HistoryPlace>;

  /**
   * The wallet's transactions that succeeded after a place, oldest first. A node that is behind it
   * shows nothing: to one that does not know the transaction there, all older ones are new.
   */
  since(after: HistoryPlace): Promise<readonly SeenTransaction[]>;

  /**
   * Whether it made a pool; null if it is of a version that this program cannot read. @throws
   * {ChainUnavailableError} the RPC does not answer, or not yet
   */
  isLaunch(signature: string): Promise<boolean | null>;
}
