/** The texts of the wire contract's `error` field. Clients compare them, so they never change. */
export const errorTexts = {
  validationFailed: "Validation failed",
  mintRequired: "Mint address is required",
  missingAuthorization: "Missing or invalid authorization header",
  invalidToken: "Invalid or expired token",
  invalidNonce: "Invalid or expired nonce",
  invalidSignature: "Invalid signature",
  launchNotFound: "Launch not found",
  tokenNotFound: "Token not found",
  imageNotFound: "Image not found",
  webhookNotFound: "Webhook not found",
  webhookExists: "A webhook with this URL exists",
  webhookLimit: "Too many webhooks of this agent",
  webhookDisabled: "Webhook is disabled",
  webhookQueueFull: "Too many tests and replays of this webhook wait",
  agentImageLimit: "Too many images of this agent today",
  imageSpaceFull: "No room for more images today",
  uploadsBusy: "Too many uploads at once",
  notFound: "Not found",
  methodNotAllowed: "Method not allowed",
  bodyTooLate: "Request body took too long",
  bodyTooLarge: "Request body too large",
  foreignHost: "Misdirected request",
  unsupportedMediaType: "Content-Type must be application/json",
  registerFailed: "Failed to register launch",
  internal: "Internal server error",
  noFees: "No fees to claim",
  insufficientSol: "Wallet cannot pay for the claim",
  claimMismatch: "Transaction does not match this claim",
  claimUnsigned: "Transaction is not signed by the agent",
  claimExpired: "Claim transaction expired, request a new one",
  claimUnsettled: "The claim's outcome is not known yet",
  rateLimited: "Too many requests",
  eventsGone: "Events after this cursor are not kept",
  tooManyStreams: "Too many event streams of this agent",
  streamsFull: "Too many event streams",
  queueFull: "Launch queue is full",
  shareUsed: "The share of your network address is used up",
  agentLaunchLimit: "Too many launches of this agent today",
  addressLaunchLimit: "Too many launches of this address today",
  budgetSpent: "Today's budget for launches is spent",
  idempotencyMismatch: "Idempotency-Key was used with another request",
  databaseUnavailable: "Database is not available",
  notRetryable: "Launch cannot be retried",
  walletBlocked: "This wallet may not launch at this service",
  inviteRequired: "An invite is required to launch",
  inviteInvalid: "Invite code cannot be redeemed",
  notOnAllowlist: "This wallet is not on the service's allowlist",
  agentBalanceLow: "Wallet holds too little SOL to launch",
  launchRateLimit: "Too many launches of this service in an hour",
  notCancellable: "Launch cannot be cancelled",
  starting: "The service is starting",
  unhealthy: "The service cannot do its work",
} as const;

/** The `error` in the status of a launch that ended `rate_limited`. */
export const launchedTodayText =
  "This agent has already launched a token today (UTC); retry it tomorrow";

/** @returns the 409 text for a ticker that is taken, for example `Ticker WIF already exists` */
export function tickerExists(ticker: string): string {
  return `Ticker ${ticker} already exists`;
}
