export type { RpcErrorKind } from "@tokenctl/shared/rpc-error-kinds";
export type * from "@tokenctl/shared/types";
export {
  ApiError,
  type ApiFailure,
  AuthenticationError,
  ConflictError,
  ForbiddenError,
  NotFoundError,
  RateLimitError,
  ServiceUnavailableError,
  ValidationError,
} from "./api-error.ts";
export {
  checkClaimTransaction,
  checkHandOverTransaction,
  checkLaunchTransaction,
} from "./check-transaction.ts";
export type * from "./claim-check/terms.ts";
export * from "./claim-errors.ts";
export { type Login, TokenctlClient } from "./client.ts";
export { DevClient } from "./dev.ts";
export type { ApiErrorCode, ServerErrorCode, TokenctlErrorCode } from "./error-codes.ts";
export * from "./errors.ts";
export type * from "./explain/explanation.ts";
export { explainTransaction } from "./explain-transaction.ts";
export { type ErrorOf, hasCode } from "./has-code.ts";
export type { FetchInit, FetchLike, FetchResponse } from "./internal/http.ts";
export type { RetryNotice } from "./internal/retry.ts";
export type {
  AgentEvent,
  AgentEventList,
  LaunchList,
  LaunchRecord,
  LaunchStatus,
} from "./narrowed-answers.ts";
export type * from "./options.ts";
export * from "./signer.ts";
export type { FactLimits, VerifyOptions } from "./verify/facts.ts";
export { costInWords, factTitle, proofVerdict } from "./verify/verdict.ts";
export { verifyToken } from "./verify-token.ts";
export { verifyWebhook, type WebhookHeaders } from "./verify-webhook.ts";
export {
  fromWalletStandard,
  type StandardAccount,
  type StandardWallet,
} from "./wallet-standard-signer.ts";
export { WebhooksClient } from "./webhooks.ts";
