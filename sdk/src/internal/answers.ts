import type {
  Challenge,
  ClaimList,
  ClaimReceipt,
  ClaimRecord,
  ClaimsReceipt,
  DevAirdrop,
  DevGraduation,
  DevTrade,
  ErrorBody,
  FeeSchedule,
  FieldError,
  Health,
  LaunchAccepted,
  LaunchStatus,
  PreparedClaim,
  PreparedClaims,
  PublicToken,
  RedeemedInvite,
  Session,
  Token,
  TokenList,
  TradeFee,
  UnreadableClaim,
  UploadedImage,
} from "@tokenctl/shared/types";
import type { Check } from "./shape.ts";
import { amount, boolean, listOf, nullable, object, oneOf, optional, string } from "./shape.ts";

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
  dbcClaimableFees: amount,
  dbcTotalFees: amount,
  dbcClaimedFees: amount,
  lpClaimableFees: amount,
  lpTotalFees: amount,
  lpClaimedFees: amount,
  isMigrated: boolean,
});

const preparedClaim = {
  success: oneOf(true),
  transaction: string,
  expiresInSeconds: amount,
  sponsored: optional(oneOf(true)),
  repaymentSOL: optional(amount),
};

const claimReceipt = { success: oneOf(true), transactionHash: string, claimedSOL: amount };

/** The body that each endpoint sends with 200. */
export const answers = {
  challenge: answer<Challenge>(object<Challenge>({ nonce: string })),
  session: answer<Session>(object<Session>({ token: string })),
  redeemedInvite: answer<RedeemedInvite>(
    object<RedeemedInvite>({ success: oneOf(true), wasInvited: boolean }),
  ),
  launch: answer<LaunchAccepted>(
    object<LaunchAccepted>({ success: oneOf(true), eventId: string, message: string }),
  ),
  launchStatus: answer<LaunchStatus>(
    object<LaunchStatus>({
      eventId: string,
      ticker: string,
      status: oneOf("pending", "success", "failed", "rate_limited"),
      processedAt: nullable(string),
      tokenMint: nullable(string),
      poolAddress: nullable(string),
      error: nullable(string),
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
  preparedClaim: answer<PreparedClaim>(object<PreparedClaim>(preparedClaim)),
  preparedClaims: answer<PreparedClaims>(
    object<PreparedClaims>({ ...preparedClaim, tokenMints: listOf(string) }),
  ),
  claimsReceipt: answer<ClaimsReceipt>(
    object<ClaimsReceipt>({ ...claimReceipt, tokenMints: listOf(string) }),
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
      ok: boolean,
      db: oneOf("connected", "disconnected"),
      timestamp: string,
      message: optional(string),
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
      details: optional(listOf(object<FieldError>({ field: string, message: string }))),
      message: optional(string),
      requiredSOL: optional(amount),
      balanceSOL: optional(amount),
    }),
  ),
};
