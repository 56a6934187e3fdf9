export { signInMessage } from "@tokenctl/shared/sign-in";
export type * from "@tokenctl/shared/types";
export {
  ApiError,
  type ApiFailure,
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
export {
  ClaimCheckError,
  type ClaimCheckFinding,
  ClaimReceiptError,
  ClaimUnsettledError,
  ClaimUnverifiedError,
  NotApprovedError,
} from "./claim-errors.ts";
export { type Login, TokenctlClient } from "./client.ts";
export { DevClient } from "./dev.ts";
export type { ApiErrorCode, ServerErrorCode, TokenctlErrorCode } from "./error-codes.ts";
export {
  AbortError,
  ConnectionError,
  InvalidArgumentError,
  InvalidResponseError,
  LaunchWaitTimeoutError,
  NonceError,
  type NonceProblem,
  RpcError,
  SignerError,
  SignerRequiredError,
  TimeoutError,
  TokenctlError,
} from "./errors.ts";
export type { FetchInit, FetchLike, FetchResponse } from "./internal/fetch.ts";
export type { RetryNotice } from "./internal/http.ts";
export { fromKitSigner, type KitSigner } from "./kit-signer.ts";
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
export { formatSecretKey, type KeypairLike, parseSecretKey, type SecretKey } from "./secret-key.ts";
export { signClaim } from "./sign-claim.ts";
export { generateSecretKey, keypairSigner, type Signer, type SigningOptions } from "./signer.ts";
export {
  fromWalletStandard,
  type StandardAccount,
  type StandardWallet,
} from "./wallet-standard-signer.ts";
export { WebhooksClient } from "./webhooks.ts";
