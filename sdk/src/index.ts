export { signInMessage } from "@tokenctl/shared/sign-in";
export type {
  AgentEvent,
  AgentEventData,
  AgentEventList,
  AgentEventType,
  ChainPace,
  ChainStall,
  Challenge,
  ClaimHistory,
  ClaimList,
  ClaimReceipt,
  ClaimRecord,
  DevAirdrop,
  DevGraduation,
  DevTrade,
  FeeSchedule,
  FeeThreshold,
  FeeThresholdList,
  FieldError,
  Health,
  LaunchAccepted,
  LaunchCheck,
  LaunchRefusal,
  LaunchRefusalCode,
  LaunchRequest,
  LaunchStatusName,
  Network,
  PaidClaim,
  PreparedClaim,
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
  WaitingFor,
  WalletBalance,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookList,
  WebhookRemoved,
  WebhookWithSecret,
} from "@tokenctl/shared/types";
export type { ApiFailure } from "./api-errors.ts";
export {
  ApiError,
  AuthenticationError,
  ChainRefusedError,
  ConflictError,
  EventsGoneError,
  ForbiddenError,
  InsufficientSolError,
  NotFoundError,
  RateLimitError,
  ServerError,
  ServiceUnavailableError,
  TickerTakenError,
  ValidationError,
} from "./api-errors.ts";
export type { ClaimCost, ClaimSponsor, ClaimTerms, CreatedAccount } from "./claim-check/terms.ts";
export { checkClaimTransaction } from "./claim-check.ts";
export type { ClaimCheckFinding } from "./claim-errors.ts";
export {
  ClaimCheckError,
  ClaimReceiptError,
  ClaimUnsettledError,
  ClaimUnverifiedError,
  NotApprovedError,
} from "./claim-errors.ts";
export type { Login } from "./client.ts";
export { TokenctlClient } from "./client.ts";
export { DevClient } from "./dev.ts";
export type { ApiErrorCode, ServerErrorCode, TokenctlErrorCode } from "./error-codes.ts";
export type { NonceProblem } from "./errors.ts";
export {
  AbortError,
  ConnectionError,
  InvalidArgumentError,
  InvalidResponseError,
  LaunchWaitTimeoutError,
  NonceError,
  RpcError,
  SignerError,
  SignerRequiredError,
  TimeoutError,
  TokenctlError,
} from "./errors.ts";
export type { FetchInit, FetchLike, FetchResponse } from "./internal/fetch.ts";
export type { RetryNotice } from "./internal/http.ts";
export type { KitSigner } from "./kit-signer.ts";
export { fromKitSigner } from "./kit-signer.ts";
export type { LaunchList, LaunchRecord, LaunchStatus } from "./launch-status.ts";
export type {
  BalanceOptions,
  CallOptions,
  ClaimAllOptions,
  ClaimAllResult,
  ClaimManyResult,
  ClaimOptions,
  ClaimOutcome,
  ClaimResult,
  ClientOptions,
  EventListOptions,
  EventOptions,
  HistoryOptions,
  LaunchListOptions,
  LaunchOptions,
  PageOptions,
  TokenOfClaim,
  WaitOptions,
} from "./options.ts";
export type { KeypairLike, SecretKey } from "./secret-key.ts";
export { formatSecretKey, parseSecretKey } from "./secret-key.ts";
export { signClaim } from "./sign-claim.ts";
export type { Signer, SigningOptions } from "./signer.ts";
export { generateSecretKey, keypairSigner } from "./signer.ts";
export type { StandardAccount, StandardWallet } from "./wallet-standard-signer.ts";
export { fromWalletStandard } from "./wallet-standard-signer.ts";
export { WebhooksClient } from "./webhooks.ts";
