export { signInMessage } from "@tokenctl/shared/sign-in";
export type {
  Challenge,
  ClaimList,
  ClaimReceipt,
  ClaimRecord,
  DevAirdrop,
  DevGraduation,
  DevTrade,
  FieldError,
  Health,
  LaunchAccepted,
  LaunchRequest,
  LaunchStatus,
  LaunchStatusName,
  PreparedClaim,
  Session,
  Token,
  TokenList,
  UnreadableClaim,
} from "@tokenctl/shared/types";
export type { ClaimCost, ClaimTerms, CreatedAccount } from "./claim-check/terms.ts";
export { checkClaimTransaction } from "./claim-check.ts";
export type { Login } from "./client.ts";
export { TokenctlClient } from "./client.ts";
export { DevClient } from "./dev.ts";
export type { ApiFailure, ClaimCheckFinding, NonceProblem } from "./errors.ts";
export {
  AbortError,
  ApiError,
  AuthenticationError,
  ChainRefusedError,
  ClaimCheckError,
  ClaimReceiptError,
  ClaimUnsettledError,
  ClaimUnverifiedError,
  ConflictError,
  ConnectionError,
  InsufficientSolError,
  InvalidArgumentError,
  InvalidResponseError,
  LaunchWaitTimeoutError,
  NonceError,
  NotFoundError,
  RateLimitError,
  RpcError,
  ServerError,
  ServiceUnavailableError,
  SignerError,
  SignerRequiredError,
  TimeoutError,
  TokenctlError,
  ValidationError,
} from "./errors.ts";
export type { FetchInit, FetchLike, FetchResponse } from "./internal/fetch.ts";
export type { RetryNotice } from "./internal/retry.ts";
export type {
  CallOptions,
  ClaimOptions,
  ClaimResult,
  ClientOptions,
  LaunchOptions,
  PageOptions,
  WaitOptions,
} from "./options.ts";
export { formatSecretKey, parseSecretKey } from "./secret-key.ts";
export { signClaim } from "./sign-claim.ts";
export type { KeypairLike, Signer } from "./signer.ts";
export { generateSecretKey, keypairSigner } from "./signer.ts";
