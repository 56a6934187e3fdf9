import type {
  AgentEvent,
  AgentEventData,
  AgentEventList,
  ChainPace,
  ChainStall,
  Challenge,
  ClaimHistory,
  ClaimList,
  ClaimReceipt,
  ClaimRecord,
  ClaimsReceipt,
  DevAirdrop,
  DevGraduation,
  DevTrade,
  ErrorBody,
  FeeSchedule,
  FeeThreshold,
  FeeThresholdList,
  FieldError,
  Health,
  LaunchAccepted,
  LaunchCheck,
  LaunchRefusal,
  PaidClaim,
  PreparedClaim,
  PreparedClaims,
  PublicToken,
  RedeemedInvite,
  ReplayAccepted,
  Session,
  Token,
  TokenList,
  TokenMetadata,
  TradeFee,
  UnreadableClaim,
  UploadedImage,
  WalletBalance,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookList,
  WebhookRemoved,
  WebhookWithSecret,
  LaunchRecord as WireRecord,
  LaunchStatus as WireStatus,
} from "@tokenctl/shared/types";
import type { LaunchList, LaunchStatus } from "../launch-status.ts";
import type { Check } from "./shape.ts";
import {
  amount,
  boolean,
  lamports,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
  string,
} from "./shape.ts";

/** Checks whether a body follows the contract, and carries the type that it then has. */
export interface Answer<T> {
  readonly check: Check;
  /** Never set: it only carries the type. */
  readonly type?: T;
}

const answer = <T>(check: Check): Answer<T> => ({ check });

const token = object<Token>({
  poolAddress: string,
  tokenMint: string,
  ticker: string,
  tokenName: string,
  isClaimed: boolean,
  claimedAt: nullable(string),
  claimedToAddress: nullable(string),
  deployedAt: string,
});

const tradeFee = object<TradeFee>({
  startBps: amount,
  endBps: amount,
  creatorSharePercent: amount,
});

const claimRecord = object<ClaimRecord>({
  tokenMint: string,
  poolAddress: string,
  ticker: string,
  claimableSOL: amount,
  dbcClaimableFees: amount,
  dbcTotalFees: amount,
  dbcClaimedFees: amount,
  lpClaimableFees: amount,
  lpTotalFees: amount,
  lpClaimedFees: amount,
  isMigrated: boolean,
  claimedElsewhere: optional(amount),
  creatorChanged: optional(
    object<NonNullable<ClaimRecord["creatorChanged"]>>({
      dbcHolder: optional(string),
      lpHolder: optional(nullable(string)),
    }),
  ),
});

const preparedClaim = {
  success: oneOf(true),
  transaction: string,
  expiresInSeconds: amount,
  sponsored: optional(oneOf(true)),
  repaymentSOL: optional(amount),
};

const claimReceipt = { success: oneOf(true), transactionHash: string, claimedSOL: amount };
const agentEvent = object<AgentEvent>({
  id: amount,
  type: string,
  timestamp: string,
  data: object<AgentEventData>({
    eventId: string,
    ticker: string,
    tokenMint: nullable(string),
    tokenMints: listOf(string),
    transactionHash: nullable(string),
  }),
});

const launchStatus = {
  eventId: string,
  ticker: string,
  status: oneOf("pending", "success", "failed", "rate_limited"),
  processedAt: nullable(string),
  tokenMint: nullable(string),
  poolAddress: nullable(string),
  error: nullable(string),
  // Not by name: a newer server may know other reasons.
  waitingFor: optional(string),
  waitingSince: optional(string),
  queuePlace: optional(amount),
};

/** A launch that has succeeded has a mint and a pool. */
const byStatus =
  (check: Check): Check =>
  (value) => {
    const problem = check(value);
    if (problem !== null) return problem;
    const { status, tokenMint, poolAddress } = value as WireStatus;
    if (status !== "success") return null;
    if (tokenMint === null) return ".tokenMint is null";
    return poolAddress === null ? ".poolAddress is null" : null;
  };

const fieldError = object<FieldError>({ field: string, message: string });
const quota = { accepted: amount, limit: nullable(amount), left: nullable(amount) };
const webhook = {
  id: string,
  url: string,
  createdAt: string,
  publicKey: string,
  oldSecretExpiresAt: nullable(string),
  cursor: amount,
  nextAttemptAt: nullable(string),
  failures: amount,
  disabledAt: nullable(string),
};
const webhookDelivery = object<WebhookDelivery>({
  number: amount,
  kind: string,
  event: nullable(amount),
  status: oneOf("pending", "delivered", "failed"),
  attempts: amount,
  createdAt: string,
  attemptedAt: nullable(string),
  httpStatus: nullable(amount),
  problem: nullable(string),
});

/** The body that each endpoint sends with 200. */
/** What a refused launch tells its agent beside words. */
const refusalFacts = {
  message: optional(string),
  details: optional(listOf(fieldError)),
  requiredSOL: optional(amount),
  balanceSOL: optional(amount),
  eventId: optional(string),
  status: optional(string),
};

export const answers = {
  challenge: answer<Challenge>(object<Challenge>({ nonce: string })),
  session: answer<Session>(object<Session>({ token: string })),
  redeemedInvite: answer<RedeemedInvite>(
    object<RedeemedInvite>({ success: oneOf(true), wasInvited: boolean }),
  ),
  launch: answer<LaunchAccepted>(
    object<LaunchAccepted>({ success: oneOf(true), eventId: string, message: string }),
  ),
  launchStatus: answer<LaunchStatus>(byStatus(object<WireStatus>(launchStatus))),
  launches: answer<LaunchList>(
    object<LaunchList>({
      launches: listOf(
        byStatus(object<WireRecord>({ ...launchStatus, tokenName: string, createdAt: string })),
      ),
      nextCursor: optional(string),
    }),
  ),
  launchCheck: answer<LaunchCheck>(
    object<LaunchCheck>({
      ok: boolean,
      refusals: listOf(
        object<LaunchRefusal>({
          // A newer server may know more of them.
          code: string,
          error: string,
          retryAfterSeconds: optional(amount),
          ...refusalFacts,
        }),
      ),
      endsAs: nullable(
        object<NonNullable<LaunchCheck["endsAs"]>>({
          status: oneOf("rate_limited"),
          error: string,
        }),
      ),
      ticker: nullable(
        object<NonNullable<LaunchCheck["ticker"]>>({
          isFree: boolean,
          freeAt: nullable(string),
          retryEventId: nullable(string),
        }),
      ),
      agent: object<LaunchCheck["agent"]>({ hasLaunchedToday: boolean, waiting: amount, ...quota }),
      address: nullable(
        object<NonNullable<LaunchCheck["address"]>>({
          limit: nullable(amount),
          maxWaiting: nullable(amount),
        }),
      ),
      quotasReturnAt: string,
      queue: object<LaunchCheck["queue"]>({
        depth: amount,
        place: amount,
        limit: nullable(amount),
      }),
      service: object<LaunchCheck["service"]>({ ok: boolean, message: nullable(string) }),
      onChain: nullable(
        object<NonNullable<LaunchCheck["onChain"]>>({ name: string, symbol: string }),
      ),
      fees: nullable(object<FeeSchedule>({ bondingCurve: tradeFee, liquidityPool: tradeFee })),
      expectedSeconds: nullable(amount),
      pace: optional(
        object<ChainPace>({
          secondsPerBlock: nullable(amount),
          secondsToLand: nullable(amount),
          lamportsPerByte: amount,
        }),
      ),
    }),
  ),
  wallet: answer<WalletBalance>(object<WalletBalance>({ wallet: string, balanceSOL: amount })),
  metadata: answer<TokenMetadata>(
    object<TokenMetadata>({
      ...{ name: string, symbol: string, description: string, image: string },
      ...{ website: optional(string), twitter: optional(string), telegram: optional(string) },
    }),
  ),
  tokens: answer<TokenList>(
    object<TokenList>({ tokens: listOf(token), nextCursor: optional(string) }),
  ),
  token: answer<Token>(token),
  claims: answer<ClaimList>(
    object<ClaimList>({
      claims: listOf(claimRecord),
      unreadable: optional(
        listOf(object<UnreadableClaim>({ tokenMint: string, ticker: string, error: string })),
      ),
      nextCursor: optional(string),
    }),
  ),
  claimHistory: answer<ClaimHistory>(
    object<ClaimHistory>({
      claims: listOf(
        object<PaidClaim>({
          tokenMint: string,
          ticker: string,
          claimedSOL: amount,
          claimedLamports: lamports,
          dbcClaimedLamports: lamports,
          lpClaimedLamports: lamports,
          transactionHash: string,
          claimedAt: string,
        }),
      ),
      nextCursor: optional(string),
    }),
  ),
  preparedClaim: answer<PreparedClaim>(object<PreparedClaim>(preparedClaim)),
  preparedClaims: answer<PreparedClaims>(
    object<PreparedClaims>({ ...preparedClaim, tokenMints: listOf(string) }),
  ),
  claimsReceipt: answer<ClaimsReceipt>(
    object<ClaimsReceipt>({ ...claimReceipt, tokenMints: listOf(string) }),
  ),
  event: answer<AgentEvent>(agentEvent),
  events: answer<AgentEventList>(
    object<AgentEventList>({ events: listOf(agentEvent), nextAfter: amount }),
  ),
  feeThresholds: answer<FeeThresholdList>(
    object<FeeThresholdList>({
      thresholds: listOf(
        object<FeeThreshold>({ tokenMint: nullable(string), claimableSOL: amount }),
      ),
    }),
  ),
  webhookWithSecret: answer<WebhookWithSecret>(
    object<WebhookWithSecret>({ ...webhook, secret: string }),
  ),
  webhooks: answer<WebhookList>(
    object<WebhookList>({ webhooks: listOf(object<Webhook>(webhook)) }),
  ),
  webhookDelivery: answer<WebhookDelivery>(webhookDelivery),
  webhookDeliveries: answer<WebhookDeliveryList>(
    object<WebhookDeliveryList>({
      deliveries: listOf(webhookDelivery),
      nextCursor: optional(string),
    }),
  ),
  replayAccepted: answer<ReplayAccepted>(
    object<ReplayAccepted>({ success: oneOf(true), delivery: nullable(webhookDelivery) }),
  ),
  webhookRemoved: answer<WebhookRemoved>(
    object<WebhookRemoved>({ success: oneOf(true), url: string }),
  ),
  claimReceipt: answer<ClaimReceipt>(object<ClaimReceipt>(claimReceipt)),
  uploadedImage: answer<UploadedImage>(
    object<UploadedImage>({
      success: oneOf(true),
      url: string,
      hash: string,
      mediaType: string,
      width: amount,
      height: amount,
      size: amount,
      expiresAt: string,
    }),
  ),
  publicToken: answer<PublicToken>(
    object<PublicToken>({
      tokenMint: string,
      poolAddress: string,
      ticker: string,
      tokenName: string,
      creator: string,
      config: nullable(string),
      fees: nullable(object<FeeSchedule>({ bondingCurve: tradeFee, liquidityPool: tradeFee })),
      launchTransaction: nullable(string),
      deployedAt: string,
    }),
  ),
  health: answer<Health>(
    object<Health>({
      network: optional(string),
      ok: boolean,
      db: oneOf("connected", "disconnected"),
      timestamp: string,
      message: optional(string),
      stalled: optional(
        object<ChainStall>({ since: string, launchesWaiting: amount, claimsWaiting: amount }),
      ),
      error: optional(string),
      code: optional(string),
    }),
  ),
  devAirdrop: answer<DevAirdrop>(
    object<DevAirdrop>({ success: oneOf(true), signature: string, wallet: string, sol: amount }),
  ),
  devTrade: answer<DevTrade>(
    object<DevTrade>({
      success: oneOf(true),
      signature: string,
      side: oneOf("buy", "sell"),
      sol: amount,
      tokens: string,
      creatorFeeSOL: amount,
      isMigrated: boolean,
    }),
  ),
  devGraduation: answer<DevGraduation>(
    object<DevGraduation>({ success: oneOf(true), signature: string, isMigrated: boolean }),
  ),
  error: answer<ErrorBody>(
    object<ErrorBody>({
      error: string,
      code: optional(string),
      oldestAfter: optional(amount),
      ...refusalFacts,
    }),
  ),
};
