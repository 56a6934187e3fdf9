import { type Static, Type } from "@sinclair/typebox";
import { errorCodes } from "./error-codes.ts";
import { limits } from "./limits.ts";
import type {
  AgentEvent,
  AgentEventList,
  Challenge,
  ClaimHistory,
  ClaimList,
  ClaimReceipt,
  ClaimsReceipt,
  ErrorBody,
  FeeThresholdList,
  Health,
  LaunchAccepted,
  LaunchCheck,
  LaunchList,
  LaunchStatus,
  MetadataDocument,
  PreparedClaim,
  PreparedClaims,
  PublicToken,
  RedeemedInvite,
  ReplayAccepted,
  Session,
  Token,
  TokenList,
  UploadedImage,
  WalletBalance,
  Webhook,
  WebhookDeliveryList,
  WebhookList,
  WebhookRemoved,
  WebhookWithSecret,
} from "./types.ts";

/** TypeBox schemas of answers: what the OpenAPI document publishes and the contract tests check. */
const strict = { additionalProperties: false } as const;
const timestamp = Type.String({
  pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$",
  description: "ISO-8601 in UTC",
  examples: ["2026-03-01T09:00:00.000Z"],
});
const address = Type.String({
  pattern: "^[1-9A-HJ-NP-Za-km-z]{32,44}$",
  description: "Base58 of 32 bytes",
  examples: ["9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin"],
});
const signature = Type.String({
  pattern: "^[1-9A-HJ-NP-Za-km-z]{64,88}$",
  description: "Base58 of 64 bytes",
  examples: [
    "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW",
  ],
});
const uuid = Type.String({
  pattern: "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
  description: "UUID v4",
  examples: ["3f2b8c1e-7d4a-4e9b-9c61-0a5d2f7b8e34"],
});
const sol = Type.Number({ minimum: 0, description: "SOL", examples: [0.001234567] });
const ticker = Type.String({ examples: ["AGENT"] });
const tokenName = Type.String({ examples: ["An agent's token"] });
const nextCursor = Type.Optional(
  Type.String({ description: "The `cursor` of the next page; absent after the last" }),
);

function nullable<T extends Parameters<typeof Type.Union>[0][number]>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

export const FieldErrorSchema = Type.Object(
  { field: Type.String(), message: Type.String() },
  strict,
);

export const ErrorBodySchema = Type.Object(
  {
    error: Type.String({ minLength: 1 }),
    code: Type.String({ pattern: `^(${Object.keys(errorCodes).join("|")})$` }),
    details: Type.Optional(Type.Array(FieldErrorSchema)),
    message: Type.Optional(Type.String()),
    requiredSOL: Type.Optional(sol),
    balanceSOL: Type.Optional(sol),
    oldestAfter: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  strict,
);

const nonce = Type.String({
  // Printable ASCII without spaces: a wallet shows what it signs.
  pattern: "^[!-~]+$",
  minLength: limits.nonce.min,
  maxLength: limits.nonce.max,
});

export const ChallengeSchema = Type.Object({ nonce }, strict);

export const SessionSchema = Type.Object({ token: Type.String() }, strict);

export const LaunchAcceptedSchema = Type.Object(
  { success: Type.Literal(true), eventId: uuid, message: Type.String() },
  strict,
);

export const RedeemedInviteSchema = Type.Object(
  { success: Type.Literal(true), wasInvited: Type.Boolean() },
  strict,
);

const launchStatus = {
  eventId: uuid,
  ticker,
  status: Type.Union([
    Type.Literal("pending"),
    Type.Literal("success"),
    Type.Literal("failed"),
    Type.Literal("rate_limited"),
  ]),
  processedAt: nullable(timestamp),
  tokenMint: nullable(address),
  poolAddress: nullable(address),
  error: nullable(Type.String()),
  waitingFor: Type.Optional(
    Type.Union([
      Type.Literal("queue"),
      Type.Literal("deployment"),
      Type.Literal("confirmation"),
      Type.Literal("launch_wallet_short"),
      Type.Literal("daily_budget_spent"),
      Type.Literal("chain_unavailable"),
      Type.Literal("service_problem"),
    ]),
  ),
  waitingSince: Type.Optional(timestamp),
  queuePlace: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
};

export const LaunchStatusSchema = Type.Object(launchStatus, strict);

export const LaunchSchema = Type.Object(
  { ...launchStatus, tokenName, createdAt: timestamp },
  strict,
);

export const LaunchListSchema = Type.Object(
  {
    launches: Type.Array(LaunchSchema),
    nextCursor,
  },
  strict,
);

const count = Type.Integer({ minimum: 0 });
const quota = { accepted: count, limit: nullable(count), left: nullable(count) };
export const TradeFeeSchema = Type.Object(
  {
    startBps: Type.Number({ minimum: 0 }),
    endBps: Type.Number({ minimum: 0 }),
    creatorSharePercent: Type.Number({ minimum: 0, maximum: 100 }),
  },
  strict,
);
export const FeeScheduleSchema = Type.Object(
  { bondingCurve: TradeFeeSchema, liquidityPool: TradeFeeSchema },
  strict,
);

export const LaunchRefusalSchema = Type.Object(
  {
    code: Type.Union([
      Type.Literal("validation_failed"),
      Type.Literal("paused"),
      Type.Literal("agent_balance_low"),
      Type.Literal("wallet_blocked"),
      Type.Literal("not_on_allowlist"),
      Type.Literal("invite_required"),
      Type.Literal("invite_invalid"),
      Type.Literal("agent_launch_limit"),
      Type.Literal("address_launch_limit"),
      Type.Literal("address_queue_share"),
      Type.Literal("launch_rate_limit"),
      Type.Literal("daily_budget_spent"),
      Type.Literal("queue_full"),
      Type.Literal("ticker_taken"),
    ]),
    error: Type.String({ minLength: 1 }),
    details: Type.Optional(Type.Array(FieldErrorSchema)),
    message: Type.Optional(Type.String()),
    retryAfterSeconds: Type.Optional(count),
  },
  strict,
);

export const LaunchCheckSchema = Type.Object(
  {
    ok: Type.Boolean(),
    refusals: Type.Array(LaunchRefusalSchema),
    endsAs: nullable(
      Type.Object({ status: Type.Literal("rate_limited"), error: Type.String() }, strict),
    ),
    ticker: nullable(
      Type.Object(
        { isFree: Type.Boolean(), freeAt: nullable(timestamp), retryEventId: nullable(uuid) },
        strict,
      ),
    ),
    agent: Type.Object({ hasLaunchedToday: Type.Boolean(), waiting: count, ...quota }, strict),
    address: nullable(Type.Object({ limit: nullable(count), maxWaiting: nullable(count) }, strict)),
    quotasReturnAt: timestamp,
    queue: Type.Object({ depth: count, place: count, limit: nullable(count) }, strict),
    service: Type.Object({ ok: Type.Boolean(), message: nullable(Type.String()) }, strict),
    onChain: nullable(Type.Object({ name: Type.String(), symbol: Type.String() }, strict)),
    fees: nullable(FeeScheduleSchema),
    expectedSeconds: nullable(count),
  },
  strict,
);

export const TokenSchema = Type.Object(
  {
    poolAddress: address,
    tokenMint: address,
    ticker,
    tokenName,
    isClaimed: Type.Boolean(),
    claimedAt: nullable(timestamp),
    claimedToAddress: nullable(address),
    deployedAt: timestamp,
  },
  strict,
);

export const TokenListSchema = Type.Object({ tokens: Type.Array(TokenSchema), nextCursor }, strict);

export const ClaimRecordSchema = Type.Object(
  {
    tokenMint: address,
    poolAddress: address,
    ticker,
    dbcClaimableFees: sol,
    dbcTotalFees: sol,
    dbcClaimedFees: sol,
    lpClaimableFees: sol,
    lpTotalFees: sol,
    lpClaimedFees: sol,
    isMigrated: Type.Boolean(),
  },
  strict,
);

export const UnreadableClaimSchema = Type.Object(
  { tokenMint: address, ticker, error: Type.String({ minLength: 1 }) },
  strict,
);

export const ClaimListSchema = Type.Object(
  {
    claims: Type.Array(ClaimRecordSchema),
    unreadable: Type.Optional(Type.Array(UnreadableClaimSchema, { minItems: 1 })),
    nextCursor,
  },
  strict,
);

const preparedClaim = {
  success: Type.Literal(true),
  transaction: Type.String({ pattern: "^[A-Za-z0-9+/]+={0,2}$" }),
  expiresInSeconds: Type.Integer({ minimum: 0 }),
  sponsored: Type.Optional(Type.Literal(true)),
  repaymentSOL: Type.Optional(sol),
};

const claimReceipt = {
  success: Type.Literal(true),
  transactionHash: signature,
  claimedSOL: sol,
};

const tokenMints = Type.Array(address, { minItems: 1, maxItems: limits.claimedTokens.max });

export const PreparedClaimSchema = Type.Object(preparedClaim, strict);

export const ClaimReceiptSchema = Type.Object(claimReceipt, strict);

export const PreparedClaimsSchema = Type.Object({ ...preparedClaim, tokenMints }, strict);

export const ClaimsReceiptSchema = Type.Object({ ...claimReceipt, tokenMints }, strict);

export const UploadedImageSchema = Type.Object(
  {
    success: Type.Literal(true),
    url: Type.String({ maxLength: limits.imageUrl.max }),
    hash: Type.String({ pattern: "^[0-9a-f]{64}$" }),
    mediaType: Type.String({ pattern: "^image/(png|jpeg|webp)$" }),
    width: Type.Integer({ minimum: 1, maximum: limits.image.storedSide }),
    height: Type.Integer({ minimum: 1, maximum: limits.image.storedSide }),
    size: Type.Integer({ minimum: 1, maximum: limits.image.bytes }),
    expiresAt: timestamp,
  },
  strict,
);

export const PublicTokenSchema = Type.Object(
  {
    tokenMint: address,
    poolAddress: address,
    ticker,
    tokenName,
    creator: address,
    config: nullable(address),
    fees: nullable(FeeScheduleSchema),
    launchTransaction: nullable(signature),
    deployedAt: timestamp,
  },
  strict,
);

const links = {
  website: Type.Optional(Type.String()),
  twitter: Type.Optional(Type.String()),
  telegram: Type.Optional(Type.String()),
};

export const MetadataDocumentSchema = Type.Object(
  {
    name: Type.String(),
    symbol: Type.String(),
    description: Type.String(),
    image: Type.String(),
    external_url: Type.Optional(Type.String()),
    ...links,
    extensions: Type.Optional(Type.Object(links, strict)),
    properties: Type.Object(
      {
        category: Type.Literal("image"),
        files: Type.Array(
          Type.Object({ uri: Type.String(), type: Type.Optional(Type.String()) }, strict),
        ),
        creators: Type.Array(Type.Object({ address, share: Type.Number() }, strict)),
      },
      strict,
    ),
    creator: address,
    fees: Type.Optional(FeeScheduleSchema),
  },
  strict,
);

const lamports = Type.String({ pattern: "^\\d+$" });

export const ClaimHistorySchema = Type.Object(
  {
    claims: Type.Array(
      Type.Object(
        {
          tokenMint: address,
          ticker,
          otherTokenMints: Type.Optional(Type.Array(address)),
          claimedSOL: sol,
          claimedLamports: lamports,
          dbcClaimedLamports: nullable(lamports),
          lpClaimedLamports: nullable(lamports),
          transactionHash: signature,
          claimedAt: timestamp,
        },
        strict,
      ),
    ),
    nextCursor,
  },
  strict,
);

export const AgentEventSchema = Type.Object(
  {
    id: Type.Integer({ minimum: 1 }),
    type: Type.Union([
      Type.Literal("launch.succeeded"),
      Type.Literal("launch.failed"),
      Type.Literal("launch.rate_limited"),
      Type.Literal("claim.confirmed"),
      Type.Literal("claim.expired"),
      Type.Literal("token.migrated"),
      Type.Literal("fees.claimable"),
    ]),
    timestamp,
    data: Type.Object(
      {
        eventId: uuid,
        ticker,
        tokenMint: nullable(address),
        tokenMints: Type.Array(address),
        transactionHash: nullable(signature),
      },
      strict,
    ),
  },
  strict,
);

export const AgentEventListSchema = Type.Object(
  { events: Type.Array(AgentEventSchema), nextAfter: Type.Integer({ minimum: 0 }) },
  strict,
);

export const FeeThresholdListSchema = Type.Object(
  {
    thresholds: Type.Array(
      Type.Object({ tokenMint: nullable(address), claimableSOL: sol }, strict),
    ),
  },
  strict,
);

/** What a stream of Server-Sent Events consists of. */
export const AgentEventStreamSchema = Type.String({
  description:
    "Server-Sent Events. Each event of the agent has its number as `id`, its type as `event`, and as `data` the JSON that the list of events has. `stream.open` comes first, with the cursor as `id`; `stream.end` comes last, with the `reason` for which the server ends the stream: `token_expired`, `server_stopping`, `unavailable` or `events_gone`. Comments keep the connection open.",
});
export const WalletBalanceSchema = Type.Object({ wallet: address, balanceSOL: sol }, strict);

const webhookFields = {
  id: uuid,
  url: Type.String({ maxLength: limits.webhook.url }),
  createdAt: timestamp,
  publicKey: Type.String({ pattern: "^whpk_[A-Za-z0-9+/]{43}=$" }),
  oldSecretExpiresAt: nullable(timestamp),
  cursor: Type.Integer({ minimum: 0 }),
  nextAttemptAt: nullable(timestamp),
  failures: Type.Integer({ minimum: 0 }),
  disabledAt: nullable(timestamp),
};

export const WebhookSchema = Type.Object(webhookFields, strict);

export const WebhookWithSecretSchema = Type.Object(
  { ...webhookFields, secret: Type.String({ pattern: "^whsec_[A-Za-z0-9+/]{43}=$" }) },
  strict,
);

export const WebhookListSchema = Type.Object({ webhooks: Type.Array(WebhookSchema) }, strict);

export const WebhookDeliverySchema = Type.Object(
  {
    number: Type.Integer({ minimum: 1 }),
    kind: Type.Union([Type.Literal("event"), Type.Literal("replay"), Type.Literal("test")]),
    event: nullable(Type.Integer({ minimum: 1 })),
    status: Type.Union([
      Type.Literal("pending"),
      Type.Literal("delivered"),
      Type.Literal("failed"),
    ]),
    attempts: Type.Integer({ minimum: 0 }),
    createdAt: timestamp,
    attemptedAt: nullable(timestamp),
    httpStatus: nullable(Type.Integer()),
    problem: nullable(Type.String()),
  },
  strict,
);

export const WebhookDeliveryListSchema = Type.Object(
  { deliveries: Type.Array(WebhookDeliverySchema), nextCursor: Type.Optional(Type.String()) },
  strict,
);

export const ReplayAcceptedSchema = Type.Object(
  { success: Type.Literal(true), delivery: nullable(WebhookDeliverySchema) },
  strict,
);

export const WebhookRemovedSchema = Type.Object(
  { success: Type.Literal(true), url: webhookFields.url },
  strict,
);

export const HealthSchema = Type.Object(
  {
    ok: Type.Boolean(),
    db: Type.Union([Type.Literal("connected"), Type.Literal("disconnected")]),
    timestamp,
    network: Type.Optional(
      Type.Union([
        Type.Literal("sandbox"),
        Type.Literal("mainnet-beta"),
        Type.Literal("devnet"),
        Type.Literal("testnet"),
        Type.Literal("localnet"),
        Type.Literal("private"),
      ]),
    ),
    message: Type.Optional(Type.String()),
    error: Type.Optional(Type.String({ minLength: 1 })),
    code: Type.Optional(Type.String({ pattern: "^(unhealthy|starting)$" })),
  },
  strict,
);

type Same<A, B> = [Required<A>, Required<B>] extends [Required<B>, Required<A>] ? true : false;
type AllTrue<Answers extends readonly true[]> = Answers;

/** Does not compile if what is published and what clients see differ. */
export type Published = AllTrue<
  [
    Same<Static<typeof ErrorBodySchema>, ErrorBody>,
    Same<Static<typeof ChallengeSchema>, Challenge>,
    Same<Static<typeof SessionSchema>, Session>,
    Same<Static<typeof LaunchAcceptedSchema>, LaunchAccepted>,
    Same<Static<typeof LaunchStatusSchema>, LaunchStatus>,
    Same<Static<typeof LaunchCheckSchema>, LaunchCheck>,
    Same<Static<typeof LaunchListSchema>, LaunchList>,
    Same<Static<typeof TokenSchema>, Token>,
    Same<Static<typeof TokenListSchema>, TokenList>,
    Same<Static<typeof ClaimListSchema>, ClaimList>,
    Same<Static<typeof ClaimHistorySchema>, ClaimHistory>,
    Same<Static<typeof PreparedClaimSchema>, PreparedClaim>,
    Same<Static<typeof ClaimReceiptSchema>, ClaimReceipt>,
    Same<Static<typeof PreparedClaimsSchema>, PreparedClaims>,
    Same<Static<typeof ClaimsReceiptSchema>, ClaimsReceipt>,
    Same<Static<typeof HealthSchema>, Health>,
    Same<Static<typeof WalletBalanceSchema>, WalletBalance>,
    Same<Static<typeof PublicTokenSchema>, PublicToken>,
    Same<Static<typeof UploadedImageSchema>, UploadedImage>,
    Same<Static<typeof RedeemedInviteSchema>, RedeemedInvite>,
    Same<Static<typeof MetadataDocumentSchema>, MetadataDocument>,
    Same<Static<typeof AgentEventSchema>, AgentEvent>,
    Same<Static<typeof AgentEventListSchema>, AgentEventList>,
    Same<Static<typeof FeeThresholdListSchema>, FeeThresholdList>,
    Same<Static<typeof WebhookSchema>, Webhook>,
    Same<Static<typeof WebhookWithSecretSchema>, WebhookWithSecret>,
    Same<Static<typeof WebhookListSchema>, WebhookList>,
    Same<Static<typeof WebhookDeliveryListSchema>, WebhookDeliveryList>,
    Same<Static<typeof ReplayAcceptedSchema>, ReplayAccepted>,
    Same<Static<typeof WebhookRemovedSchema>, WebhookRemoved>,
  ]
>;
