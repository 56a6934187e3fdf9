import { type Static, Type } from "@sinclair/typebox";
import { errorCodes } from "./error-codes.ts";
import { limits } from "./limits.ts";
import type {
  Challenge,
  ClaimList,
  ClaimReceipt,
  ClaimsReceipt,
  ErrorBody,
  Health,
  LaunchAccepted,
  LaunchStatus,
  MetadataDocument,
  PreparedClaim,
  PreparedClaims,
  PublicToken,
  RedeemedInvite,
  Session,
  Token,
  TokenList,
  UploadedImage,
} from "./types.ts";

/** TypeBox schemas of answers: what the OpenAPI document publishes and the contract tests check. */
const strict = { additionalProperties: false } as const;
const timestamp = Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$" });
const address = Type.String({ pattern: "^[1-9A-HJ-NP-Za-km-z]{32,44}$" });
const signature = Type.String({ pattern: "^[1-9A-HJ-NP-Za-km-z]{64,88}$" });
const uuid = Type.String({
  pattern: "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
});
const sol = Type.Number({ minimum: 0 });

function nullable<T extends Parameters<typeof Type.Union>[0][number]>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

export const ErrorBodySchema = Type.Object(
  {
    error: Type.String({ minLength: 1 }),
    code: Type.String({ pattern: `^(${Object.keys(errorCodes).join("|")})$` }),
    details: Type.Optional(
      Type.Array(Type.Object({ field: Type.String(), message: Type.String() }, strict)),
    ),
    message: Type.Optional(Type.String()),
    requiredSOL: Type.Optional(sol),
    balanceSOL: Type.Optional(sol),
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

export const LaunchStatusSchema = Type.Object(
  {
    eventId: uuid,
    ticker: Type.String(),
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
  },
  strict,
);

export const TokenSchema = Type.Object(
  {
    poolAddress: address,
    tokenMint: address,
    ticker: Type.String(),
    tokenName: Type.String(),
    isClaimed: Type.Boolean(),
    claimedAt: nullable(timestamp),
    claimedToAddress: nullable(address),
    deployedAt: timestamp,
  },
  strict,
);

export const TokenListSchema = Type.Object(
  { tokens: Type.Array(TokenSchema), nextCursor: Type.Optional(Type.String()) },
  strict,
);

export const ClaimRecordSchema = Type.Object(
  {
    tokenMint: address,
    poolAddress: address,
    ticker: Type.String(),
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

export const ClaimListSchema = Type.Object(
  {
    claims: Type.Array(ClaimRecordSchema),
    unreadable: Type.Optional(
      Type.Array(
        Type.Object(
          { tokenMint: address, ticker: Type.String(), error: Type.String({ minLength: 1 }) },
          strict,
        ),
        { minItems: 1 },
      ),
    ),
    nextCursor: Type.Optional(Type.String()),
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

const tradeFee = Type.Object(
  {
    startBps: Type.Number({ minimum: 0 }),
    endBps: Type.Number({ minimum: 0 }),
    creatorSharePercent: Type.Number({ minimum: 0, maximum: 100 }),
  },
  strict,
);
const feeSchedule = Type.Object({ bondingCurve: tradeFee, liquidityPool: tradeFee }, strict);

export const PublicTokenSchema = Type.Object(
  {
    tokenMint: address,
    poolAddress: address,
    ticker: Type.String(),
    tokenName: Type.String(),
    creator: address,
    config: nullable(address),
    fees: nullable(feeSchedule),
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
    fees: Type.Optional(feeSchedule),
  },
  strict,
);

export const HealthSchema = Type.Object(
  {
    ok: Type.Boolean(),
    db: Type.Union([Type.Literal("connected"), Type.Literal("disconnected")]),
    timestamp,
    message: Type.Optional(Type.String()),
    error: Type.Optional(Type.String({ minLength: 1 })),
    code: Type.Optional(Type.String({ pattern: "^unhealthy$" })),
  },
  strict,
);

/** Does not compile if what is published and what clients see differ. */
type Same<A, B> = [Required<A>, Required<B>] extends [Required<B>, Required<A>] ? true : never;
const published: [
  Same<Static<typeof ErrorBodySchema>, ErrorBody>,
  Same<Static<typeof ChallengeSchema>, Challenge>,
  Same<Static<typeof SessionSchema>, Session>,
  Same<Static<typeof LaunchAcceptedSchema>, LaunchAccepted>,
  Same<Static<typeof LaunchStatusSchema>, LaunchStatus>,
  Same<Static<typeof TokenSchema>, Token>,
  Same<Static<typeof TokenListSchema>, TokenList>,
  Same<Static<typeof ClaimListSchema>, ClaimList>,
  Same<Static<typeof PreparedClaimSchema>, PreparedClaim>,
  Same<Static<typeof ClaimReceiptSchema>, ClaimReceipt>,
  Same<Static<typeof PreparedClaimsSchema>, PreparedClaims>,
  Same<Static<typeof ClaimsReceiptSchema>, ClaimsReceipt>,
  Same<Static<typeof HealthSchema>, Health>,
  Same<Static<typeof PublicTokenSchema>, PublicToken>,
  Same<Static<typeof UploadedImageSchema>, UploadedImage>,
  Same<Static<typeof RedeemedInviteSchema>, RedeemedInvite>,
  Same<Static<typeof MetadataDocumentSchema>, MetadataDocument>,
] = [
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
  true,
];
void published;
