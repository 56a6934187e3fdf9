import { type Static, type TSchema, Type } from "@sinclair/typebox";
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
const success = Type.Literal(true, { description: "Always true: a refusal is an error" });
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
const ticker = Type.String({ description: "The token's ticker", examples: ["AGENT"] });
const tokenName = Type.String({
  description: "The token's name",
  examples: ["An agent's token"],
});
const nextCursor = Type.Optional(
  Type.String({ description: "The `cursor` of the next page; absent after the last" }),
);

/** @returns the schema, with what the value means in this place */
function meaning<T extends TSchema>(description: string, schema: T): T {
  return { ...schema, description };
}

function nullable<T extends Parameters<typeof Type.Union>[0][number]>(
  schema: T,
  description: string,
) {
  return Type.Union([schema, Type.Null()], { description });
}

const mint = meaning("The token's mint address, base58", address);
const pool = meaning("The address of the token's pool, base58", address);
const hash = meaning("The transaction's signature, base58", signature);
const deployedAt = meaning("When the token was on chain; ISO-8601 in UTC", timestamp);

const launchStatusName = Type.Union([
  Type.Literal("pending"),
  Type.Literal("success"),
  Type.Literal("failed"),
  Type.Literal("rate_limited"),
]);
/** What a refused launch tells its agent beside words. */
const refusalFacts = {
  requiredSOL: Type.Optional(
    meaning("With `insufficient_sol` and `agent_balance_low`: SOL that the wallet needs", sol),
  ),
  balanceSOL: Type.Optional(meaning("With the same codes: SOL that the wallet holds", sol)),
  eventId: Type.Optional(
    meaning("With `ticker_taken`, if the agent's own launch has the ticker: its id", uuid),
  ),
  status: Type.Optional(meaning("That launch's status", launchStatusName)),
};

export const FieldErrorSchema = Type.Object(
  {
    field: Type.String({
      description: "The field, parameter or header; `body` for the body as a whole",
      examples: ["ticker"],
    }),
    message: Type.String({
      description: "What is wrong with it, in words",
      examples: ["must be 2 to 10 characters of A-Z and 0-9"],
    }),
  },
  strict,
);

export const ErrorBodySchema = Type.Object(
  {
    error: Type.String({ minLength: 1, description: "What went wrong, for people" }),
    code: Type.String({
      pattern: `^(${Object.keys(errorCodes).join("|")})$`,
      description: "What went wrong, for programs",
    }),
    details: Type.Optional(
      Type.Array(FieldErrorSchema, { description: "The parts of the request that are wrong" }),
    ),
    message: Type.Optional(
      Type.String({ description: "What to do next, or the request's id to quote" }),
    ),
    oldestAfter: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: "With `events_gone`: the oldest cursor from which on events are kept",
      }),
    ),
    ...refusalFacts,
  },
  strict,
);

const nonce = Type.String({
  // Printable ASCII without spaces: a wallet shows what it signs.
  pattern: "^[!-~]+$",
  minLength: limits.nonce.min,
  maxLength: limits.nonce.max,
  description: "To be signed; the server's host and a `/` come first",
  examples: ["127.0.0.1:8787/3q2-7wAAAAAAAAAAAAAAAA"],
});

export const ChallengeSchema = Type.Object({ nonce }, strict);

export const SessionSchema = Type.Object(
  { token: Type.String({ description: "The bearer token, a JWT" }) },
  strict,
);

export const LaunchAcceptedSchema = Type.Object(
  {
    success,
    eventId: meaning("The launch, for its status; UUID v4", uuid),
    message: Type.String({ description: "What happens next, for people" }),
  },
  strict,
);

export const RedeemedInviteSchema = Type.Object(
  {
    success,
    wasInvited: Type.Boolean({
      description:
        "Whether the wallet had redeemed an invite before; then this code is not used up",
    }),
  },
  strict,
);

const launchStatus = {
  eventId: meaning("The launch; UUID v4", uuid),
  ticker,
  status: meaning(
    "`pending`: queued or in progress. `success`: the token is on chain. `failed`: the chain refused the launch for good, or its agent cancelled it. `rate_limited`: the agent had already launched a token in that UTC day",
    launchStatusName,
  ),
  processedAt: nullable(timestamp, "When it left `pending`; null until then"),
  tokenMint: nullable(address, "The token's mint address; null until it is on chain"),
  poolAddress: nullable(address, "The address of the token's pool; null until it is on chain"),
  error: nullable(Type.String(), "Why it did not succeed, in words; null otherwise"),
  waitingFor: Type.Optional(
    Type.Union(
      [
        Type.Literal("queue"),
        Type.Literal("deployment"),
        Type.Literal("confirmation"),
        Type.Literal("launch_wallet_short"),
        Type.Literal("daily_budget_spent"),
        Type.Literal("chain_unavailable"),
        Type.Literal("chain_stalled"),
        Type.Literal("service_problem"),
      ],
      {
        description:
          "What it waits for, only while it is `pending`: its turn (`queue`), a worker that prepares its transaction (`deployment`), the chain (`confirmation`), SOL in the service's wallet (`launch_wallet_short`), 00:00 UTC (`daily_budget_spent`), a chain that answers (`chain_unavailable`), a chain that lands transactions again (`chain_stalled`), or the service's operator (`service_problem`)",
      },
    ),
  ),
  waitingSince: Type.Optional(meaning("Since when it waits for that; ISO-8601 in UTC", timestamp)),
  queuePlace: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      description:
        "With `queue`, and not in lists: its place, 1 for the next; 1000 also stands for more",
    }),
  ),
};

export const LaunchStatusSchema = Type.Object(launchStatus, strict);

export const LaunchSchema = Type.Object(
  {
    ...launchStatus,
    tokenName,
    createdAt: meaning("When it was accepted; ISO-8601 in UTC", timestamp),
  },
  strict,
);

export const LaunchListSchema = Type.Object(
  {
    launches: Type.Array(LaunchSchema, { description: "Newest first" }),
    nextCursor,
  },
  strict,
);

const count = Type.Integer({ minimum: 0 });
const quota = {
  accepted: meaning("Launches that were accepted in this UTC day", count),
  limit: nullable(count, "How many are accepted in a day; null without a limit"),
  left: nullable(count, "How many more are accepted; null without a limit"),
};
export const TradeFeeSchema = Type.Object(
  {
    startBps: Type.Number({
      minimum: 0,
      description: "The fee when trading begins, in hundredths of a percent of a trade's value",
    }),
    endBps: Type.Number({
      minimum: 0,
      description: "What the fee changes to in time; the same if it does not change",
    }),
    creatorSharePercent: Type.Number({
      minimum: 0,
      maximum: 100,
      description:
        "The agent's share in percent of what the launchpad's protocol leaves of the fee",
    }),
  },
  { ...strict, description: "The fee of a trade, and who gets it" },
);
export const FeeScheduleSchema = Type.Object(
  { bondingCurve: TradeFeeSchema, liquidityPool: TradeFeeSchema },
  { ...strict, description: "The fees of trades before and after the pool's migration" },
);

export const LaunchRefusalSchema = Type.Object(
  {
    code: Type.Union(
      [
        Type.Literal("validation_failed"),
        Type.Literal("paused"),
        Type.Literal("agent_balance_low"),
        Type.Literal("wallet_blocked"),
        Type.Literal("not_on_allowlist"),
        Type.Literal("invite_required"),
        Type.Literal("invite_invalid"),
        Type.Literal("agent_launch_limit"),
        Type.Literal("address_launch_limit"),
        Type.Literal("share_used"),
        Type.Literal("launch_rate_limit"),
        Type.Literal("daily_budget_spent"),
        Type.Literal("queue_full"),
        Type.Literal("ticker_taken"),
      ],
      { description: "The `code` that the launch would be answered with" },
    ),
    error: Type.String({ minLength: 1, description: "Its `error`, for people" }),
    details: Type.Optional(
      Type.Array(FieldErrorSchema, { description: "With `validation_failed`: what is wrong" }),
    ),
    message: Type.Optional(Type.String({ description: "What to do next" })),
    retryAfterSeconds: Type.Optional(meaning("Its `Retry-After`, in seconds", count)),
    ...refusalFacts,
  },
  strict,
);

export const LaunchCheckSchema = Type.Object(
  {
    ok: Type.Boolean({
      description: "Whether nothing speaks against it: no refusal, and `endsAs` is null",
    }),
    refusals: Type.Array(LaunchRefusalSchema, {
      description: "All that would refuse the launch; it would be answered with the first",
    }),
    endsAs: nullable(
      Type.Object(
        {
          status: Type.Literal("rate_limited", { description: "Its status" }),
          error: Type.String({ description: "Its `error`, in words" }),
        },
        strict,
      ),
      "How the launch would end if it were accepted; null if that is not known",
    ),
    ticker: nullable(
      Type.Object(
        {
          isFree: Type.Boolean({ description: "Whether no launch has it" }),
          freeAt: nullable(
            timestamp,
            "When the agent's own launch, which ended without a token, loses it; otherwise null",
          ),
          retryEventId: nullable(uuid, "That launch, which can be retried; otherwise null"),
        },
        strict,
      ),
      "Null if the request has no valid ticker",
    ),
    agent: Type.Object(
      {
        hasLaunchedToday: Type.Boolean({
          description: "Whether the agent's one token of this UTC day is on chain already",
        }),
        waiting: meaning(
          "The agent's launches that wait: if one succeeds today, later ones end `rate_limited`",
          count,
        ),
        ...quota,
      },
      { ...strict, description: "What the agent has launched in this UTC day, and still may" },
    ),
    address: nullable(
      Type.Object(
        {
          limit: nullable(count, "Launches that it may make in a UTC day; null without a limit"),
          maxWaiting: nullable(count, "Launches of it that may wait; null without a limit"),
        },
        strict,
      ),
      "What a network address may launch; null if nothing counts addresses",
    ),
    quotasReturnAt: meaning("When the day's quotas begin anew: the next 00:00 UTC", timestamp),
    queue: Type.Object(
      {
        depth: meaning("Launches that wait", count),
        place: meaning("The place that a new one would get, 1 for the next", count),
        limit: nullable(count, "How many may wait; null without a limit"),
      },
      { ...strict, description: "The launches of all agents that wait" },
    ),
    service: Type.Object(
      {
        ok: Type.Boolean({ description: "Whether launches are worked on" }),
        message: nullable(Type.String(), "What is down and what to do about it; otherwise null"),
      },
      { ...strict, description: "While it is not `ok`, what is accepted waits" },
    ),
    onChain: nullable(
      Type.Object(
        {
          name: Type.String({ description: "The name, cut to 32 bytes of UTF-8" }),
          symbol: Type.String({ description: "The ticker" }),
        },
        strict,
      ),
      "What goes on chain; null if name or ticker is not valid",
    ),
    fees: nullable(FeeScheduleSchema, "Null if the server cannot read its config now"),
    expectedSeconds: nullable(
      count,
      "Seconds until the token is on chain: the median of the last day's; null if there are none",
    ),
    pace: Type.Optional(
      Type.Object(
        {
          secondsPerBlock: nullable(Type.Number({ minimum: 0 }), "Null until it is measured"),
          secondsToLand: nullable(
            count,
            "Seconds in which a transaction can land after it was made; null until that is measured",
          ),
          lamportsPerByte: Type.Integer({
            minimum: 0,
            description: "Lamports that an account holds for each byte",
          }),
        },
        { ...strict, description: "The chain's own figures; absent until they are known" },
      ),
    ),
  },
  strict,
);

export const TokenSchema = Type.Object(
  {
    poolAddress: pool,
    tokenMint: mint,
    ticker,
    tokenName,
    isClaimed: Type.Boolean({
      description: "Whether fees were claimed at least once; they go on accruing after a claim",
    }),
    claimedAt: nullable(timestamp, "When fees were claimed last; null while unclaimed"),
    claimedToAddress: nullable(
      address,
      "The wallet that the latest claim paid; null while unclaimed",
    ),
    deployedAt,
  },
  strict,
);

export const TokenListSchema = Type.Object(
  { tokens: Type.Array(TokenSchema, { description: "Newest first" }), nextCursor },
  strict,
);

export const ClaimRecordSchema = Type.Object(
  {
    tokenMint: mint,
    poolAddress: pool,
    ticker,
    claimableSOL: meaning("All fees that can be claimed now, of both kinds, in SOL", sol),
    dbcClaimableFees: meaning("Fees of the bonding curve that can be claimed now, in SOL", sol),
    dbcTotalFees: meaning("Those that can be claimed and those that were, in SOL", sol),
    dbcClaimedFees: meaning("Fees of the bonding curve that were claimed, in SOL", sol),
    lpClaimableFees: meaning("Fees of the liquidity pool that can be claimed now, in SOL", sol),
    lpTotalFees: meaning("Those that can be claimed and those that were, in SOL", sol),
    lpClaimedFees: meaning("Fees of the liquidity pool that were claimed, in SOL", sol),
    isMigrated: Type.Boolean({
      description:
        "Whether the pool has migrated from the bonding curve to the liquidity pool; until then all `lp…` are 0",
    }),
    claimedElsewhere: Type.Optional(
      meaning(
        "The part of the claimed fees that no claim of this service paid, in SOL: it was claimed on chain by other means. Absent if there is none (less than 0.0001 SOL may be rounding), or while a claim is under way",
        sol,
      ),
    ),
    creatorChanged: Type.Optional(
      Type.Object(
        {
          dbcHolder: Type.Optional(
            meaning(
              "The pool's creator now, to whom the fees of the bonding curve belong",
              address,
            ),
          ),
          lpHolder: Type.Optional(
            nullable(
              address,
              "Who holds the position in the liquidity pool, to whom its fees belong; null if the chain does not say",
            ),
          ),
        },
        {
          ...strict,
          description:
            "Present if the agent has given away the role of the pool's creator, or the NFT of its position: to whom fees belong that are the agent's no more, by kind. Of these, the record counts what claims of this service have paid",
        },
      ),
    ),
  },
  strict,
);

export const UnreadableClaimSchema = Type.Object(
  {
    tokenMint: mint,
    ticker,
    error: Type.String({ minLength: 1, description: "Why, in words" }),
  },
  strict,
);

export const ClaimListSchema = Type.Object(
  {
    claims: Type.Array(ClaimRecordSchema, { description: "Newest token first" }),
    unreadable: Type.Optional(
      Type.Array(UnreadableClaimSchema, {
        minItems: 1,
        description:
          "Tokens whose fees cannot be read although the chain answers: they are not in `claims`",
      }),
    ),
    nextCursor,
  },
  strict,
);

const preparedClaim = {
  success,
  transaction: Type.String({
    pattern: "^[A-Za-z0-9+/]+={0,2}$",
    description: "The transaction to sign, base64",
  }),
  expiresInSeconds: Type.Integer({
    minimum: 0,
    description:
      "Seconds within which the signed transaction must be sent back, by the chain's measured pace",
    examples: [57],
  }),
  sponsored: Type.Optional(
    Type.Literal(true, {
      description: "Present if the wallet cannot pay for the claim, and the service pays first",
    }),
  ),
  repaymentSOL: Type.Optional(
    meaning("With `sponsored`: SOL that the transaction repays to the service", sol),
  ),
};

const claimReceipt = {
  success,
  transactionHash: hash,
  claimedSOL: meaning(
    "SOL that the vaults paid to the wallet, before network fee, rent and repayment",
    sol,
  ),
};

const tokenMints = Type.Array(address, {
  minItems: 1,
  maxItems: limits.claimedTokens.max,
  description: "The tokens of this claim, by their mints: those that have fees, as many as fit",
});

export const PreparedClaimSchema = Type.Object(preparedClaim, strict);

export const ClaimReceiptSchema = Type.Object(claimReceipt, strict);

export const PreparedClaimsSchema = Type.Object({ ...preparedClaim, tokenMints }, strict);

export const ClaimsReceiptSchema = Type.Object({ ...claimReceipt, tokenMints }, strict);

export const UploadedImageSchema = Type.Object(
  {
    success,
    url: Type.String({
      maxLength: limits.imageUrl.max,
      description: "Where anyone reads it; for the `imageUrl` of a launch",
    }),
    hash: Type.String({
      pattern: "^[0-9a-f]{64}$",
      description: "SHA-256 of the stored bytes, in hex",
    }),
    mediaType: Type.String({
      pattern: "^image/(png|jpeg|webp)$",
      description: "Of the stored image",
    }),
    width: Type.Integer({
      minimum: 1,
      maximum: limits.image.storedSide,
      description: "Of the stored image, in pixels",
    }),
    height: Type.Integer({
      minimum: 1,
      maximum: limits.image.storedSide,
      description: "Of the stored image, in pixels",
    }),
    size: Type.Integer({
      minimum: 1,
      maximum: limits.image.bytes,
      description: "Of the stored image, in bytes",
    }),
    expiresAt: meaning("When it is deleted unless a launch uses it; ISO-8601 in UTC", timestamp),
  },
  strict,
);

const creator = meaning("The wallet of the agent, to which the creator's fees belong", address);

export const PublicTokenSchema = Type.Object(
  {
    tokenMint: mint,
    poolAddress: pool,
    ticker,
    tokenName,
    creator,
    config: nullable(
      address,
      "The config of the launchpad's program; null if it has none, or a backup was restored that lacks the launch's transaction",
    ),
    fees: nullable(FeeScheduleSchema, "Null if they are not known, as config"),
    launchTransaction: nullable(
      signature,
      "The transaction that made the token, by its signature; null if it is not known",
    ),
    deployedAt,
  },
  strict,
);

const links = {
  website: Type.Optional(Type.String({ description: "The token's website" })),
  twitter: Type.Optional(Type.String({ description: "The token's page on X" })),
  telegram: Type.Optional(Type.String({ description: "The token's Telegram chat" })),
};

export const MetadataDocumentSchema = Type.Object(
  {
    name: Type.String({ description: "The token's name, whole" }),
    symbol: Type.String({ description: "The token's ticker" }),
    description: Type.String({ description: "What the token is about; may be empty" }),
    image: Type.String({ description: "The image's URL; empty without an image" }),
    external_url: Type.Optional(Type.String({ description: "The token's website" })),
    ...links,
    extensions: Type.Optional(
      Type.Object(links, { ...strict, description: "The links again, as token lists have them" }),
    ),
    properties: Type.Object(
      {
        category: Type.Literal("image", { description: "Of the files" }),
        files: Type.Array(
          Type.Object(
            {
              uri: Type.String({ description: "The file's URL" }),
              type: Type.Optional(Type.String({ description: "Its media type, if it is known" })),
            },
            strict,
          ),
          { description: "The image, if there is one" },
        ),
        creators: Type.Array(
          Type.Object({ address, share: Type.Number({ description: "In percent" }) }, strict),
          { description: "The agent" },
        ),
      },
      { ...strict, description: "As Metaplex' token standard has them" },
    ),
    creator,
    fees: Type.Optional(meaning("Absent if they are not known", FeeScheduleSchema)),
  },
  strict,
);

const lamports = Type.String({ pattern: "^\\d+$", examples: ["1234567"] });

export const ClaimHistorySchema = Type.Object(
  {
    claims: Type.Array(
      Type.Object(
        {
          tokenMint: mint,
          ticker,
          claimedSOL: meaning("SOL that the token's vaults paid", sol),
          claimedLamports: meaning("The same in lamports, exact", lamports),
          dbcClaimedLamports: meaning("The part from the bonding curve", lamports),
          lpClaimedLamports: meaning("The part from the liquidity pool", lamports),
          transactionHash: hash,
          claimedAt: meaning("When the server saw it confirmed; ISO-8601 in UTC", timestamp),
        },
        strict,
      ),
      { description: "Newest first, an entry for each token of a claim" },
    ),
    nextCursor,
  },
  strict,
);

export const AgentEventSchema = Type.Object(
  {
    id: Type.Integer({
      minimum: 1,
      description: "1, 2, 3 … for each agent, in the order in which they happened",
    }),
    type: Type.Union(
      [
        Type.Literal("launch.succeeded"),
        Type.Literal("launch.failed"),
        Type.Literal("launch.rate_limited"),
        Type.Literal("claim.confirmed"),
        Type.Literal("claim.expired"),
        Type.Literal("token.migrated"),
        Type.Literal("fees.claimable"),
      ],
      {
        description:
          "What happened: a launch made a token or ended without one; a signed claim has paid, or expired and paid nothing; a token has left the bonding curve; a token's fees have reached the agent's threshold",
      },
    ),
    timestamp: meaning("When it happened; ISO-8601 in UTC", timestamp),
    data: Type.Object(
      {
        eventId: meaning("The token's launch; UUID v4", uuid),
        ticker,
        tokenMint: nullable(address, "The token's mint address; null if the launch has no token"),
        tokenMints: Type.Array(address, {
          description: "All tokens that it is about: several if one claim was for several",
        }),
        transactionHash: nullable(
          signature,
          "The transaction of the claim, or of the launch that succeeded; null if it is about neither",
        ),
      },
      { ...strict, description: "What it is about: identifiers alone" },
    ),
  },
  strict,
);

export const AgentEventListSchema = Type.Object(
  {
    events: Type.Array(AgentEventSchema, { description: "Oldest first" }),
    nextAfter: Type.Integer({ minimum: 0, description: "The `after` of the next request" }),
  },
  strict,
);

export const FeeThresholdListSchema = Type.Object(
  {
    thresholds: Type.Array(
      Type.Object(
        {
          tokenMint: nullable(
            address,
            "The token that it is for; null for all that have none of their own",
          ),
          claimableSOL: meaning("Claimable fees of one token, both kinds together, in SOL", sol),
        },
        strict,
      ),
      { description: "That of all tokens first, if there is one" },
    ),
  },
  strict,
);

/** What a stream of Server-Sent Events consists of. */
export const AgentEventStreamSchema = Type.String({
  description:
    "Server-Sent Events. Each event of the agent has its number as `id`, its type as `event`, and as `data` the JSON that the list of events has. `stream.open` comes first, with the cursor as `id`; `stream.end` comes last, with the `reason` for which the server ends the stream: `token_expired`, `server_stopping`, `unavailable` or `events_gone`. Comments keep the connection open.",
});
export const WalletBalanceSchema = Type.Object(
  {
    wallet: meaning("The wallet, base58", address),
    balanceSOL: meaning("SOL that it holds", sol),
  },
  strict,
);

const webhookFields = {
  id: meaning("The webhook; UUID v4", uuid),
  url: Type.String({ maxLength: limits.webhook.url, description: "The receiver" }),
  createdAt: meaning("When it was added; ISO-8601 in UTC", timestamp),
  publicKey: Type.String({
    pattern: "^whpk_[A-Za-z0-9+/]{43}=$",
    description: "Verifies `v1a` signatures (Ed25519): `whpk_` and the key in base64",
  }),
  oldSecretExpiresAt: nullable(
    timestamp,
    "Until when the secrets before the last rotation sign beside the new ones; null without any",
  ),
  cursor: Type.Integer({
    minimum: 0,
    description: "The last event that was sent, or that waits until the receiver accepts it",
  }),
  nextAttemptAt: nullable(timestamp, "When the event that waits is sent again; null if none waits"),
  failures: Type.Integer({
    minimum: 0,
    description: "Attempts that failed since the last that did not",
  }),
  disabledAt: nullable(
    timestamp,
    "Since when nothing is sent, because the receiver answered 410; otherwise null",
  ),
};

export const WebhookSchema = Type.Object(webhookFields, strict);

export const WebhookWithSecretSchema = Type.Object(
  {
    ...webhookFields,
    secret: Type.String({
      pattern: "^whsec_[A-Za-z0-9+/]{43}=$",
      description:
        "Verifies `v1` signatures (HMAC-SHA256): `whsec_` and the key in base64. No other answer has it",
    }),
  },
  strict,
);

export const WebhookListSchema = Type.Object(
  { webhooks: Type.Array(WebhookSchema, { description: "Oldest first" }) },
  strict,
);

export const WebhookDeliverySchema = Type.Object(
  {
    number: Type.Integer({ minimum: 1, description: "1, 2, 3 … for each webhook" }),
    kind: Type.Union([Type.Literal("event"), Type.Literal("replay"), Type.Literal("test")], {
      description: "`event`: sent in its order, until it is accepted. `replay`, `test`: sent once",
    }),
    event: nullable(Type.Integer({ minimum: 1 }), "The event's id; null for a test"),
    status: Type.Union(
      [Type.Literal("pending"), Type.Literal("delivered"), Type.Literal("failed")],
      { description: "`failed` only once it is not tried again" },
    ),
    attempts: Type.Integer({ minimum: 0, description: "How often it was sent" }),
    createdAt: meaning("When it was put in line; ISO-8601 in UTC", timestamp),
    attemptedAt: nullable(timestamp, "When it was sent last; null before"),
    httpStatus: nullable(Type.Integer(), "Of the last answer; null if there was none"),
    problem: nullable(Type.String(), "Why the last attempt had no answer; otherwise null"),
  },
  strict,
);

export const WebhookDeliveryListSchema = Type.Object(
  { deliveries: Type.Array(WebhookDeliverySchema, { description: "Newest first" }), nextCursor },
  strict,
);

export const ReplayAcceptedSchema = Type.Object(
  {
    success,
    delivery: nullable(
      WebhookDeliverySchema,
      "The entry of the one event in the log; null if all after one are sent",
    ),
  },
  strict,
);

export const WebhookRemovedSchema = Type.Object({ success, url: webhookFields.url }, strict);

export const HealthSchema = Type.Object(
  {
    ok: Type.Boolean({ description: "Whether the service can do its work" }),
    db: Type.Union([Type.Literal("connected"), Type.Literal("disconnected")], {
      description: "Whether the database answers",
    }),
    timestamp,
    network: Type.Optional(
      Type.Union(
        [
          Type.Literal("sandbox"),
          Type.Literal("mainnet-beta"),
          Type.Literal("devnet"),
          Type.Literal("testnet"),
          Type.Literal("localnet"),
          Type.Literal("private"),
        ],
        {
          description:
            "The chain of its tokens; absent until it is known. Only on `mainnet-beta` SOL is money",
        },
      ),
    ),
    message: Type.Optional(
      Type.String({
        description:
          "What is down and what to do about it; if `ok`, what to know although nothing is, such as a pause",
      }),
    ),
    stalled: Type.Optional(
      Type.Object(
        {
          since: meaning(
            "Since when a transaction of the service waits, and no block has held anyone's; ISO-8601 in UTC",
            timestamp,
          ),
          launchesWaiting: Type.Integer({ minimum: 0, description: "Launches that are pending" }),
          claimsWaiting: Type.Integer({
            minimum: 0,
            description: "Claims that were sent and have not landed",
          }),
        },
        { ...strict, description: "Only while the chain lands nothing" },
      ),
    ),
    error: Type.Optional(Type.String({ minLength: 1, description: "Only if not `ok`" })),
    code: Type.Optional(
      Type.String({ pattern: "^(unhealthy|starting)$", description: "Only if not `ok`" }),
    ),
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
