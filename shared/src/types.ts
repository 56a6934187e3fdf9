/**
 * The JSON of the wire contract, as TypeScript sees it. Timestamps are ISO-8601 in UTC with
 * milliseconds; addresses, signatures and transaction hashes are base58; amounts are SOL.
 */

/** An image that was uploaded. */
export interface UploadedImage {
  success: true;
  /** Where anyone reads it; for the `imageUrl` of a launch. */
  url: string;
  /** SHA-256 of its bytes in hex. */
  hash: string;
  /** `image/png`, `image/jpeg` or `image/webp`. */
  mediaType: string;
  /** In pixels. */
  width: number;
  height: number;
  /** In bytes. */
  size: number;
  /** When it is deleted unless a launch uses it. */
  expiresAt: string;
}

/** What an agent asks for when it launches a token. */
export interface LaunchRequest {
  /**
   * Human-readable token name, 1 to 255 characters, without control or bidirectional characters.
   * Its first 32 bytes of UTF-8 go on chain and are not blank, unless there is an `onChainName`.
   */
  name: string;
  /** The name that goes on chain instead: at most 32 bytes of UTF-8. */
  onChainName?: string;
  /** 2 to 10 characters of `A-Z0-9`, unique across all launches. */
  ticker: string;
  /** At most 1000 characters. */
  description?: string;
  /** At most 255 characters; an http, https, ipfs or ar URL. */
  imageUrl?: string;
  /** The token's website: at most 255 characters; an http or https URL. */
  website?: string;
  /** The token's page on X: at most 255 characters; an https URL of x.com or twitter.com. */
  twitter?: string;
  /** The token's chat: at most 255 characters; an https URL of t.me or telegram.me. */
  telegram?: string;
  /**
   * The code of an invite, at most 64 characters: redeemed with the launch if the service asks for
   * invites and the wallet has none.
   */
  inviteCode?: string;
}

/** An invite that was redeemed: the wallet may launch where the service asks for invites. */
export interface RedeemedInvite {
  success: true;
  /** Whether the wallet had redeemed one before; then this code is not used up. */
  wasInvited: boolean;
}

/** The answer to a launch request. The launch is stored and queued, not yet on chain. */
export interface LaunchAccepted {
  success: true;
  /** UUID v4 of the launch; its status is read by it. */
  eventId: string;
  message: string;
}

/**
 * - `pending`: queued or in progress.
 * - `success`: the token is on chain.
 * - `failed`: the chain refused the launch for good, or its agent cancelled it; `error` says why.
 * - `rate_limited`: the agent had already launched a token in that UTC day.
 */
export type LaunchStatusName = "pending" | "success" | "failed" | "rate_limited";

/**
 * - `queue`: its turn; `queuePlace` says how far it is.
 * - `deployment`: a worker prepares its transaction.
 * - `confirmation`: its transaction is signed, and the chain has not confirmed it yet.
 * - `launch_wallet_short`: SOL in the service's launch wallet.
 * - `daily_budget_spent`: 00:00 UTC, because launches have cost what the service allows in a day.
 * - `chain_unavailable`: the Solana cluster, or the service's node of it.
 * - `chain_stalled`: the Solana cluster, which lands nobody's transactions at present.
 * - `service_problem`: the service's operator, who finds the problem in the log.
 */
export type WaitingFor =
  | "queue"
  | "deployment"
  | "confirmation"
  | "launch_wallet_short"
  | "daily_budget_spent"
  | "chain_unavailable"
  | "chain_stalled"
  | "service_problem";

/** The state of a launch. */
export interface LaunchStatus {
  eventId: string;
  ticker: string;
  status: LaunchStatusName;
  /** When it left `pending`; null until then. */
  processedAt: string | null;
  /** The token's mint; null until it is on chain. */
  tokenMint: string | null;
  /** The token's pool; null until it is on chain. */
  poolAddress: string | null;
  /** Why it did not succeed, in words; null otherwise. */
  error: string | null;
  /** What it waits for; only while it is `pending`. Later versions may send reasons not listed here. */
  waitingFor?: WaitingFor;
  /** Since when it waits for that; only while it is `pending`. */
  waitingSince?: string;
  /**
   * With `waitingFor: "queue"`, unless it is in a list: its place, 1 for the next. Launches in progress
   * count too, and 1000 also stands for more.
   */
  queuePlace?: number;
}

/** A launch in a list. */
export interface LaunchRecord extends LaunchStatus {
  tokenName: string;
  /** When it was accepted. */
  createdAt: string;
}

/** The agent's launches, newest first. */
export interface LaunchList {
  launches: LaunchRecord[];
  /** Present when `limit` was given and there is more: the next page's `cursor`. */
  nextCursor?: string;
}

/** What would become of a launch that is sent now. The check itself changes nothing. */
export interface LaunchCheck {
  /** Whether nothing is known that speaks against it: no refusal, and `endsAs` is null. */
  ok: boolean;
  /**
   * All that would refuse the launch, in the order in which that is decided, each as the launch would
   * be answered: a launch is answered with the first.
   */
  refusals: LaunchRefusal[];
  /** What would become of the launch if it were accepted, and its status's `error`; null if it is not known. */
  endsAs: { status: "rate_limited"; error: string } | null;
  /** Null if the request has no valid ticker. */
  ticker: {
    isFree: boolean;
    /** If the agent's own launch has it and ended without a token: when it loses it; null otherwise. */
    freeAt: string | null;
    /** That launch, which can be retried under it; null otherwise. */
    retryEventId: string | null;
  } | null;
  /** What the agent has launched in this UTC day. */
  agent: LaunchQuota & {
    /** Whether its one token of the day is on chain already. */
    hasLaunchedToday: boolean;
    /** Its launches that wait: if one of them succeeds today, later ones end `rate_limited`. */
    waiting: number;
  };
  /** What a network address may launch in a UTC day, and have waiting; null if no limit counts addresses. */
  address: { limit: number | null; maxWaiting: number | null } | null;
  /** When the day's quotas begin anew: the next 00:00 UTC. */
  quotasReturnAt: string;
  /** Launches that wait, and the place that a new one would get, from 1. */
  queue: { depth: number; place: number; limit: number | null };
  /**
   * The server's health, with the chain and the launch wallet: while `ok` is false, what is accepted
   * waits. `message` says why.
   */
  service: { ok: boolean; message: string | null };
  /** What goes on chain, where the name has 32 bytes and the symbol 10; null if one is not valid. */
  onChain: { name: string; symbol: string } | null;
  /** Null if the server cannot read its config now. */
  fees: FeeSchedule | null;
  /** Seconds until the token is on chain: the median of the last day's; null if there are none. */
  expectedSeconds: number | null;
  /** The chain's own figures, as measured; absent until they are known. */
  pace?: ChainPace;
}

/** What the chain takes at present; it changes with the network's upgrades. */
export interface ChainPace {
  /** Null until it is measured. */
  secondsPerBlock: number | null;
  /** Seconds in which a transaction can land after it was made; null until that is measured. */
  secondsToLand: number | null;
  /** Lamports that an account holds for each byte. */
  lamportsPerByte: number;
}

/** What a launch would be answered with: its body, and its `Retry-After`. */
export interface LaunchRefusal extends Omit<ErrorBody, "code" | "oldestAfter"> {
  code: LaunchRefusalCode;
  retryAfterSeconds?: number;
}

export type LaunchRefusalCode =
  | "validation_failed"
  | "paused"
  | "agent_balance_low"
  | "wallet_blocked"
  | "not_on_allowlist"
  | "invite_required"
  | "invite_invalid"
  | "agent_launch_limit"
  | "address_launch_limit"
  | "share_used"
  | "launch_rate_limit"
  | "daily_budget_spent"
  | "queue_full"
  | "ticker_taken";

/** How many launches are accepted; `limit` and `left` are null without a limit. */
export interface LaunchQuota {
  accepted: number;
  limit: number | null;
  left: number | null;
}

/** A token of the signed-in agent. */
export interface Token {
  poolAddress: string;
  tokenMint: string;
  ticker: string;
  tokenName: string;
  /** Whether fees were claimed at least once. Fees go on accruing after a claim. */
  isClaimed: boolean;
  /** When fees were claimed last; null while unclaimed. */
  claimedAt: string | null;
  /** The wallet that the latest claim paid; null while unclaimed. */
  claimedToAddress: string | null;
  deployedAt: string;
}

/** The fee of a trade, and who gets it. */
export interface TradeFee {
  /** Hundredths of a percent of a trade's value when trading begins. */
  startBps: number;
  /** What the fee changes to in time; the same if it does not change. */
  endBps: number;
  /** The agent's share in percent of what the launchpad's protocol leaves of the fee. */
  creatorSharePercent: number;
}

/** The fees of a token's trades. They are fixed when its pool is made. */
export interface FeeSchedule {
  /** On the bonding curve. */
  bondingCurve: TradeFee;
  /** In the liquidity pool, after migration. */
  liquidityPool: TradeFee;
}

/** Where a token comes from, for anyone to read. */
export interface PublicToken {
  tokenMint: string;
  poolAddress: string;
  ticker: string;
  tokenName: string;
  /** The wallet of the agent, to which the creator's fees belong. */
  creator: string;
  /** Address of the launchpad program's config; null if it has none, or a backup was restored that lacks the launch's transaction. */
  config: string | null;
  /** Null if they are not known, as `config`. */
  fees: FeeSchedule | null;
  /** Signature of the transaction that made the token, base58; null if it is not known. */
  launchTransaction: string | null;
  deployedAt: string;
}

/** A file of a token's metadata document. */
export interface MetadataFile {
  uri: string;
  /** Its media type, if it is known. */
  type?: string;
}

/**
 * A token's metadata document: the fields of Metaplex' token standard for fungible assets
 * (https://developers.metaplex.com/token-metadata/token-standard), the links once as launchpads write
 * them and once as token lists do (`extensions`), and who earns what.
 */
export interface MetadataDocument {
  name: string;
  symbol: string;
  description: string;
  /** The image's URL; empty without an image. */
  image: string;
  /** The website. */
  external_url?: string;
  website?: string;
  twitter?: string;
  telegram?: string;
  extensions?: { website?: string; twitter?: string; telegram?: string };
  properties: {
    category: "image";
    files: MetadataFile[];
    creators: { address: string; share: number }[];
  };
  /** The wallet of the agent, to which the creator's fees belong. */
  creator: string;
  /** Absent if they are not known. */
  fees?: FeeSchedule;
}

/** What a token's metadata document says of the token to people. */
export type TokenMetadata = Pick<
  MetadataDocument,
  "name" | "symbol" | "description" | "image" | "website" | "twitter" | "telegram"
>;

/** The agent's tokens, newest first. */
export interface TokenList {
  tokens: Token[];
  /** Present when `limit` was given and there is more: the next page's `cursor`. */
  nextCursor?: string;
}

/** The fees of one token, in SOL. `claimable + claimed = total`, for each kind. */
export interface ClaimRecord {
  tokenMint: string;
  poolAddress: string;
  ticker: string;
  /** All fees that can be claimed now: the sum of both kinds. */
  claimableSOL: number;
  /** Bonding-curve fees that can be claimed now. */
  dbcClaimableFees: number;
  dbcTotalFees: number;
  dbcClaimedFees: number;
  /** Liquidity-pool fees that can be claimed now; all three are 0 until migration. */
  lpClaimableFees: number;
  lpTotalFees: number;
  lpClaimedFees: number;
  /** Whether the pool has migrated from the bonding curve to the liquidity pool. */
  isMigrated: boolean;
  /**
   * The part of `dbcClaimedFees` and `lpClaimedFees` that no claim of this service paid: it was claimed
   * on chain by other means. Absent if there is none, or it is not known.
   */
  claimedElsewhere?: number;
  /** Present if fees are the agent's no more; then its totals are what claims of this service paid. */
  creatorChanged?: {
    /** The wallet that is the pool's creator now. Absent if the agent is. */
    dbcHolder?: string;
    /** Null: the agent holds no position, and the chain does not say which one it had. */
    lpHolder?: string | null;
  };
}

/** A token whose fees cannot be read although the chain answers. */
export interface UnreadableClaim {
  tokenMint: string;
  ticker: string;
  /** Why, in words. */
  error: string;
}

/** The fees of all of the agent's tokens, newest token first. */
export interface ClaimList {
  claims: ClaimRecord[];
  /** Tokens that are missing in `claims`; absent if every token can be read. */
  unreadable?: UnreadableClaim[];
  /** Present when `limit` was given and there is more: the next page's `cursor`. */
  nextCursor?: string;
}

/** Claim, step 1: the transaction for the agent to sign. */
export interface PreparedClaim {
  success: true;
  /**
   * Base64 of an unsigned legacy transaction. Its only signer and fee payer is the agent, unless it is
   * sponsored: then the service pays and signs first, and the agent second.
   */
  transaction: string;
  /**
   * Seconds within which the signed transaction must be sent back, by the chain's measured pace; for
   * example 57.
   */
  expiresInSeconds: number;
  /** Present if the wallet cannot pay for the claim, and the service pays in advance. */
  sponsored?: true;
  /** With `sponsored`: SOL that the transaction repays to the service, for example 0.00204928. */
  repaymentSOL?: number;
}

/** Claim of several tokens, step 1. */
export interface PreparedClaims extends PreparedClaim {
  /** The tokens whose fees it takes, at least one: those that have fees, as many as fit. */
  tokenMints: string[];
}

/** Claim of several tokens, step 2. */
export interface ClaimsReceipt extends ClaimReceipt {
  /** The tokens whose fees it took. */
  tokenMints: string[];
}

/** Claim, step 2: what the confirmed transaction did. */
export interface ClaimReceipt {
  success: true;
  /** The transaction's signature, base58. */
  transactionHash: string;
  /** SOL that the vaults paid: the wallet's gain before network fee and rent. */
  claimedSOL: number;
}

/** What a claim that has paid took of one token's fees. Lamports are decimal integers as texts, exact at any size. */
export interface PaidClaim {
  tokenMint: string;
  ticker: string;
  /** SOL that the token's vaults paid, before network fee, rent and a sponsor's repayment. */
  claimedSOL: number;
  /** The same in lamports, for example `1234567`. */
  claimedLamports: string;
  /** The part from the bonding curve. */
  dbcClaimedLamports: string;
  /** The part from the liquidity pool. */
  lpClaimedLamports: string;
  /** The transaction's signature, base58. */
  transactionHash: string;
  /** When the server confirmed it. */
  claimedAt: string;
}

/** What the agent's claims have paid, newest first: one entry for each token of a claim. */
export interface ClaimHistory {
  claims: PaidClaim[];
  /** Present when `limit` was given and there is more: the next page's `cursor`. */
  nextCursor?: string;
}
/** What the agent's wallet holds. */
export interface WalletBalance {
  /** Base58. */
  wallet: string;
  balanceSOL: number;
}

/**
 * A chain: the embedded one, a public cluster of Solana, or another cluster: `localnet` if all of its
 * nodes are on the server's machine, otherwise `private`.
 */
export type Network = "sandbox" | "mainnet-beta" | "devnet" | "testnet" | "localnet" | "private";

/** That the chain lands nothing: the service waits, and goes on by itself. */
export interface ChainStall {
  /** Since when a transaction of the service waits, and no block has held anyone's. */
  since: string;
  /** Launches that are pending. */
  launchesWaiting: number;
  /** Claims that were sent and have not landed. */
  claimsWaiting: number;
}

/** The answer of the health endpoint, with 200 and with 503. */
export interface Health {
  ok: boolean;
  db: "connected" | "disconnected";
  timestamp: string;
  /** The chain that launches go to; absent until it is known. Only on `mainnet-beta` SOL is money. */
  network?: Network;
  /** What is down and what to do about it; with `ok: true` what to know although nothing is, such as a pause. */
  message?: string;
  /** Only while the chain lands nothing. */
  stalled?: ChainStall;
  /** `The service cannot do its work` or `The service is starting`; only with `ok: false`. */
  error?: string;
  /** `unhealthy` or `starting`; only with `ok: false`. */
  code?: string;
}

/**
 * - `launch.succeeded`: the token is on chain.
 * - `launch.failed`, `launch.rate_limited`: the launch ended without a token.
 * - `claim.confirmed`: a claim has paid.
 * - `claim.expired`: a signed claim expired before it landed; it paid nothing.
 * - `token.migrated`: the token has left the bonding curve for the liquidity pool.
 * - `fees.claimable`: the token's fees have reached the threshold that the agent has set.
 */
export type AgentEventType =
  | "launch.succeeded"
  | "launch.failed"
  | "launch.rate_limited"
  | "claim.confirmed"
  | "claim.expired"
  | "token.migrated"
  | "fees.claimable";

/** Something that happened to a launch or a token of the agent. A newer server may have more types. */
export interface AgentEvent {
  /** 1, 2, 3 … for each agent, in the order in which they happened and without gaps. */
  id: number;
  type: AgentEventType;
  /** When it happened. */
  timestamp: string;
  data: AgentEventData;
}

/** What an event is about: identifiers alone. */
export interface AgentEventData {
  /** Of the launch. */
  eventId: string;
  ticker: string;
  /** The token's mint; null if the launch has no token. */
  tokenMint: string | null;
  /** All tokens that the event is about: several if one claim was for several, `tokenMint` first. */
  tokenMints: string[];
  /** Of the claim, or of the launch that succeeded; null if the event is about neither. */
  transactionHash: string | null;
}

/** Events of the agent, oldest first. */
export interface AgentEventList {
  events: AgentEvent[];
  /** The `after` of the next request: the id of the last event here, or the cursor as it was. */
  nextAfter: number;
}

/** From how much on the agent hears of its fees (`fees.claimable`). */
export interface FeeThreshold {
  /** The token that it is for; null for all that have no threshold of their own. */
  tokenMint: string | null;
  /** Claimable fees of one token, both kinds together, in SOL. */
  claimableSOL: number;
}

/** The agent's thresholds: the one of all tokens first, if there is one. */
export interface FeeThresholdList {
  thresholds: FeeThreshold[];
}

/** Why the server ended a stream of events. */
export type StreamEndReason = "token_expired" | "server_stopping" | "unavailable" | "events_gone";

/** A receiver of the agent, to which its events are sent by POST. */
export interface Webhook {
  id: string;
  url: string;
  createdAt: string;
  /** Verifies `v1a` signatures (Ed25519): `whpk_` and the key in base64. */
  publicKey: string;
  /** Until when the secrets before the last rotation sign beside the new ones; null if there are none. */
  oldSecretExpiresAt: string | null;
  /** The id of the last event that was sent, or that waits until the receiver accepts it. */
  cursor: number;
  /** When the event that waits is sent again; null if none waits. */
  nextAttemptAt: string | null;
  /** Attempts that failed since the last that did not. */
  failures: number;
  /** Since when nothing is sent any more, because the receiver answered 410; null while it is. */
  disabledAt: string | null;
}

/** A webhook and its secret, which no other answer has. */
export interface WebhookWithSecret extends Webhook {
  /** Verifies `v1` signatures (HMAC-SHA256): `whsec_` and the key in base64. */
  secret: string;
}

/** The agent's webhooks, oldest first. */
export interface WebhookList {
  webhooks: Webhook[];
}

export interface NewWebhookRequest {
  url: string;
  /** Sends the events after this one. Default: those to come. */
  after?: number;
}

/** Which events to send again: one, or all after one. */
export interface ReplayRequest {
  event?: number;
  after?: number;
}

/** A message to a receiver. */
export interface WebhookDelivery {
  /** 1, 2, 3 … for each webhook. */
  number: number;
  /** `event`: sent in its order, until it is accepted. `replay`, `test`: sent once. */
  kind: "event" | "replay" | "test";
  /** The event's id; null for a test. */
  event: number | null;
  status: "pending" | "delivered" | "failed";
  attempts: number;
  createdAt: string;
  attemptedAt: string | null;
  /** Of the last answer; null if there was none. */
  httpStatus: number | null;
  /** Why the last attempt had no answer. */
  problem: string | null;
}

/** The last deliveries of a webhook, newest first. */
export interface WebhookDeliveryList {
  deliveries: WebhookDelivery[];
  /** The `cursor` of the next page; only if a `limit` was given and there are more. */
  nextCursor?: string;
}

/** What was put in line. */
export interface ReplayAccepted {
  success: true;
  /** Of the one event; null if all after one are sent. */
  delivery: WebhookDelivery | null;
}

export interface WebhookRemoved {
  success: true;
  url: string;
}

/** One field of a request that breaks the contract. */
export interface FieldError {
  field: string;
  message: string;
}

/** The body of every answer outside 2xx; the health endpoint's 503 also has the fields of {@link Health}. */
export interface ErrorBody {
  error: string;
  /** Stable and snake_case, for programs; `error-codes.ts` has them all. Gateways send none. */
  code?: string;
  details?: FieldError[];
  /** What to do next, or the request id to quote. */
  message?: string;
  /** With codes `insufficient_sol` and `agent_balance_low`: what the wallet must hold, in SOL. */
  requiredSOL?: number;
  /** With the same codes: what the wallet holds, in SOL. */
  balanceSOL?: number;
  /** With code `events_gone`: the oldest cursor that can be read from. */
  oldestAfter?: number;
  /** With code `ticker_taken`, if it is the agent's own launch that has the ticker: its id. */
  eventId?: string;
  /** That launch's status. */
  status?: LaunchStatusName;
}

/** A challenge to sign: valid for five minutes, once. */
export interface Challenge {
  nonce: string;
}

/** A bearer token (JWT), valid for 15 minutes. */
export interface Session {
  token: string;
}

/** Sandbox only: SOL minted into a wallet. */
export interface DevAirdrop {
  success: true;
  signature: string;
  wallet: string;
  sol: number;
}

/** Sandbox only: a trade of the embedded chain's own trader. */
export interface DevTrade {
  success: true;
  signature: string;
  side: "buy" | "sell";
  /** SOL that the buyer paid in all, or that the sold tokens were worth. */
  sol: number;
  /** Base units (10⁻⁶ of a token) that changed hands, as a decimal integer. */
  tokens: string;
  /** SOL that the trade earned the token's agent. */
  creatorFeeSOL: number;
  isMigrated: boolean;
}

/** Sandbox only: a pool that has migrated. */
export interface DevGraduation {
  success: true;
  signature: string;
  isMigrated: boolean;
}
