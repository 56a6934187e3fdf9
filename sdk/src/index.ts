export type { RpcErrorKind } from "@tokenctl/shared/rpc-error-kinds";
export { signInMessage } from "@tokenctl/shared/sign-in";
export type * from "@tokenctl/shared/types";
export type { AgentEvent, AgentEventList } from "./agent-event.ts";
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
export {
  checkClaimTransaction,
  checkHandOverTransaction,
  checkLaunchTransaction,
} from "./check-transaction.ts";
export type * from "./claim-check/launch-terms.ts";
export type * from "./claim-check/terms.ts";
export * from "./claim-errors.ts";
export { type Login, TokenctlClient } from "./client.ts";
export { DevClient } from "./dev.ts";
export type { ApiErrorCode, ServerErrorCode, TokenctlErrorCode } from "./error-codes.ts";
export * from "./errors.ts";
export type * from "./explain/explanation.ts";
export { explainTransaction } from "./explain-transaction.ts";
export { type ErrorOf, hasCode } from "./has-code.ts";
export type { FetchInit, FetchLike, FetchResponse } from "./internal/fetch.ts";
export type { RetryNotice } from "./internal/retry.ts";
export { fromKitSigner, type KitSigner } from "./kit-signer.ts";
export type { LaunchList, LaunchRecord, LaunchStatus } from "./launch-status.ts";
export type * from "./options.ts";
export { formatSecretKey, type KeypairLike, parseSecretKey, type SecretKey } from "./secret-key.ts";
export { signClaim } from "./sign-claim.ts";
export { generateSecretKey, keypairSigner, type Signer, type SigningOptions } from "./signer.ts";
export type { FactLimits } from "./verify/facts.ts";
export type * from "./verify/options.ts";
export { costInWords, factTitle, type ProofVerdict, proofVerdict } from "./verify/verdict.ts";
export { verifyToken } from "./verify-token.ts";
export { verifyWebhook, type WebhookHeaders } from "./verify-webhook.ts";
export {
  fromWalletStandard,
  type StandardAccount,
  type StandardWallet,
} from "./wallet-standard-signer.ts";
export { WebhooksClient } from "./webhooks.ts";
