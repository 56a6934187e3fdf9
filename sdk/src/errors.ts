import { formatSol, solToLamports } from "@tokenctl/shared/sol";
import type { ClaimReceipt, ErrorBody, FieldError, LaunchStatus } from "@tokenctl/shared/types";

/** What every error of this package carries beside its message. */
interface ErrorContext {
  /** What to do next. */
  hint?: string | undefined;
  cause?: unknown;
}

/**
 * Base of every error that this package throws. `code` is stable and meant for programs, `message`
 * says what happened, `hint` what to do next.
 */
export class TokenctlError extends Error {
  /** Stable and snake_case, for example `ticker_taken`. */
  readonly code: string;
  /** What to do next, where there is something to do. */
  readonly hint: string | undefined;

  constructor(code: string, message: string, context: ErrorContext = {}) {
    super(message, context.cause === undefined ? undefined : { cause: context.cause });
    this.name = new.target.name;
    this.code = code;
    this.hint = context.hint;
  }
}

/** An argument or option cannot be used as it is; nothing was sent. Code `invalid_argument`. */
export class InvalidArgumentError extends TokenctlError {
  constructor(message: string, context: ErrorContext = {}) {
    super("invalid_argument", message, context);
  }
}

/** The call needs a wallet and the client has none. Code `signer_required`. */
export class SignerRequiredError extends TokenctlError {
  constructor() {
    super("signer_required", "This call needs a wallet and the client was made without one", {
      hint: "Give the client a signer: new TokenctlClient({ signer: keypairSigner(secretKey) })",
    });
  }
}

/** The signer threw, or returned something other than what it was asked to sign. Code `signer_failed`. */
export class SignerError extends TokenctlError {
  constructor(message: string, context: ErrorContext = {}) {
    super("signer_failed", message, context);
  }
}

/** What is wrong with a nonce. */
export type NonceProblem = "malformed" | "no host" | "other host";

/**
 * The server's nonce was not signed: the signature could sign the agent in at another server.
 * Code `nonce_refused`.
 */
export class NonceError extends TokenctlError {
  readonly problem: NonceProblem;
  /** Host of the client's `apiUrl`. */
  readonly apiHost: string;
  /** The host that the nonce names; null if it names none. */
  readonly nonceHost: string | null;

  constructor(problem: NonceProblem, apiHost: string, nonceHost: string | null) {
    const texts: Record<NonceProblem, [message: string, hint: string]> = {
      malformed: [
        `The nonce of ${apiHost} was not signed: it is not 22 to 200 visible ASCII characters`,
        "Check that apiUrl is the address of a tokend server",
      ],
      "no host": [
        `The nonce of ${apiHost} was not signed: it does not say which server it is of`,
        "If you trust the server, allow it with allowNonceWithoutHost",
      ],
      "other host": [
        `The server names itself ${nonceHost}, but this client talks to ${apiHost}`,
        `Use apiUrl with ${nonceHost} if you meant that server, or set PUBLIC_URL on this one`,
      ],
    };
    const [message, hint] = texts[problem];
    super("nonce_refused", message, { hint });
    this.problem = problem;
    this.apiHost = apiHost;
    this.nonceHost = nonceHost;
  }
}

/** The caller's `AbortSignal` fired. Code `aborted`; `name` is `AbortError`; `cause` is the signal's reason. */
export class AbortError extends TokenctlError {
  constructor(cause?: unknown) {
    super("aborted", "The call was aborted", { cause });
    // Code that knows the platform's own aborts tells them by this name.
    this.name = "AbortError";
  }
}

/** No answer came: refused, reset, unknown host, TLS. Code `connection_failed`. */
export class ConnectionError extends TokenctlError {
  constructor(apiUrl: string, cause: unknown) {
    super("connection_failed", `Cannot reach ${apiUrl}`, {
      cause,
      hint: "Check that the server runs and that apiUrl is right",
    });
  }
}

/** No answer came in time. Code `timeout`. */
export class TimeoutError extends TokenctlError {
  /** How long was waited, in milliseconds. */
  readonly timeoutMs: number;

  constructor(message: string, timeoutMs: number, context: ErrorContext = {}) {
    super("timeout", message, context);
    this.timeoutMs = timeoutMs;
  }
}

/** A launch was still pending when `waitForLaunch` gave up. It goes on; ask again. Code `timeout`. */
export class LaunchWaitTimeoutError extends TimeoutError {
  readonly eventId: string;
  /** What the last poll saw. */
  readonly lastStatus: LaunchStatus | null;

  constructor(eventId: string, timeoutMs: number, lastStatus: LaunchStatus | null) {
    super(`Launch ${eventId} is still pending after ${timeoutMs / 1000} s`, timeoutMs, {
      hint: "The launch goes on without the caller: wait again, or ask for its status later",
    });
    this.eventId = eventId;
    this.lastStatus = lastStatus;
  }
}

/**
 * An answer came that is not of this API's contract. Code `invalid_response`; `response_too_large`
 * for one of more than 8 MiB, `response_encoded` for a compressed one.
 */
export class InvalidResponseError extends TokenctlError {
  readonly status: number;
  readonly requestId: string | null;

  constructor(
    message: string,
    status: number,
    requestId: string | null,
    context: { code?: string; hint?: string } = {},
  ) {
    super(context.code ?? "invalid_response", message, {
      hint:
        context.hint ?? "Check that apiUrl is the address of a tokend server of a matching version",
    });
    this.status = status;
    this.requestId = requestId;
  }
}

/**
 * A signed claim was handed in, and whether it was paid is not known: no answer came, or one that
 * does not tell. `cause` is why. Code `claim_unsettled`.
 *
 * Claiming again is safe at once: it asks for a new transaction, and fees are paid once. The old one
 * lands within 90 s of its making or never; until then `submitClaim` with the same one tells.
 */
export class ClaimUnsettledError extends TokenctlError {
  readonly tokenMint: string;
  /** Base64, as `submitClaim` takes it. */
  readonly signedTransaction: string;

  constructor(tokenMint: string, signedTransaction: string, cause: Error) {
    super(
      "claim_unsettled",
      `It is not known whether the claim of ${tokenMint} was paid: ${cause.message}`,
      {
        cause,
        hint: "Claim again once the server answers: it cannot pay twice, as fees are paid once",
      },
    );
    this.tokenMint = tokenMint;
    this.signedTransaction = signedTransaction;
  }
}

/** What the claim check saw and where. */
export interface ClaimCheckFinding {
  /** Position of the instruction in the transaction, from 0; null where it is about the whole. */
  instruction: number | null;
  /** The address of the program called, base58; null where it is about the whole. */
  program: string | null;
  /** What was seen, for example `CloseAccount pays 7xKX… instead of the agent`. */
  saw: string;
}

/**
 * A claim transaction does something other than pay fees to the agent. It was not signed.
 * Code `claim_check_failed`.
 */
export class ClaimCheckError extends TokenctlError implements ClaimCheckFinding {
  readonly instruction: number | null;
  readonly program: string | null;
  readonly saw: string;

  constructor(finding: ClaimCheckFinding) {
    const where =
      finding.instruction === null
        ? ""
        : ` (instruction ${finding.instruction}, program ${finding.program})`;
    super("claim_check_failed", `Refused to sign the claim: ${finding.saw}${where}`, {
      hint: "Nothing was signed. Do not sign this transaction elsewhere; tell the server's operator",
    });
    this.instruction = finding.instruction;
    this.program = finding.program;
    this.saw = finding.saw;
  }
}

/**
 * The server's receipt is not of the transaction that the agent signed, or not what that did on the
 * cluster. The claim may have landed all the same. Code `receipt_mismatch`.
 */
export class ClaimReceiptError extends TokenctlError {
  /** The signature of the transaction that the agent signed, base58. */
  readonly transactionHash: string;
  readonly receipt: ClaimReceipt;

  constructor(receipt: ClaimReceipt, transactionHash: string, saw: string) {
    super("receipt_mismatch", `The receipt of claim ${transactionHash} is wrong: ${saw}`, {
      hint: "Make no more claims with this server; look the transaction up on the cluster",
    });
    this.transactionHash = transactionHash;
    this.receipt = receipt;
  }
}

/** The server says that a claim landed, and the client's own RPC does not. Code `claim_unverified`. */
export class ClaimUnverifiedError extends TokenctlError {
  readonly transactionHash: string;
  readonly receipt: ClaimReceipt;

  constructor(receipt: ClaimReceipt, why: string) {
    const { transactionHash } = receipt;
    super("claim_unverified", `The claim ${transactionHash} could not be verified: ${why}`, {
      hint: "It may have landed: look it up later, on the cluster that the server works with",
    });
    this.transactionHash = transactionHash;
    this.receipt = receipt;
  }
}

/** The Solana node of `rpcUrl` did not say what was asked. Code `rpc_failed`. */
export class RpcError extends TokenctlError {
  constructor(method: string, origin: string, why: string) {
    super("rpc_failed", `${method} of ${origin} failed: ${why}`, {
      hint: "Check that rpcUrl is a node of the server's cluster, or leave it out",
    });
  }
}

/** An answer of the server outside 2xx. */
export interface ApiFailure {
  status: number;
  body: ErrorBody;
  /** The answer's `X-Request-Id`: quote it to the server's operator. */
  requestId: string | null;
  /** Seconds that the server asked to wait (`Retry-After`); null where it did not say. */
  retryAfterSeconds: number | null;
  /** The wallet that the call was made for, base58; undefined where it needed none. */
  wallet?: string | undefined;
}

/** The server answered with an error. Its subclasses follow the status. */
export class ApiError extends TokenctlError {
  readonly status: number;
  /** The contract's `error` text, for example `Ticker WIF already exists`. */
  readonly text: string;
  /** The fields that were not as the contract wants them; empty where the server named none. */
  readonly details: readonly FieldError[];
  /** The contract's `message`: what the server adds to its text; null where it adds nothing. */
  readonly explanation: string | null;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(code: string, failure: ApiFailure, hint?: string) {
    const { error, details = [], message } = failure.body;
    const fields = details.map((detail) => `${detail.field}: ${detail.message}`).join("; ");
    super(code, fields === "" ? error : `${error}: ${fields}`, { hint: hint ?? message });
    this.status = failure.status;
    this.text = error;
    this.details = details;
    this.explanation = message ?? null;
    this.requestId = failure.requestId;
    this.retryAfterSeconds = failure.retryAfterSeconds;
  }
}

/** 400. Codes `validation_failed`, `claim_mismatch`, `claim_unsigned`, `bad_request`. */
export class ValidationError extends ApiError {}

/** 401: sign-in was refused. Codes `invalid_nonce`, `invalid_signature`, `unauthorized`. */
export class AuthenticationError extends ApiError {}

/** 404: it does not exist, or belongs to another agent. Codes `launch_not_found`, `token_not_found`, `not_found`. */
export class NotFoundError extends ApiError {}

/**
 * 409. Codes `ticker_taken`, `no_fees_to_claim`, `claim_expired`, `idempotency_mismatch`,
 * `not_retryable`, `conflict`, and that of the subclass.
 */
export class ConflictError extends ApiError {}

/**
 * 409: the wallet holds too little SOL for what it asked for, such as the network fee and rent of a
 * claim. Its hint says how much to send to which wallet. Code `insufficient_sol`.
 */
export class InsufficientSolError extends ConflictError {
  /** SOL that the wallet needs to hold, for example `0.00204428`; null where the server did not say. */
  readonly requiredSOL: number | null;
  /** SOL that the wallet holds; null where the server did not say. */
  readonly balanceSOL: number | null;
  /** The wallet to send SOL to, base58: the client's own, whatever the server says. */
  readonly wallet: string | null;

  constructor(code: string, failure: ApiFailure) {
    const { requiredSOL = null, balanceSOL = null } = failure.body;
    const missing = missingSol(requiredSOL, balanceSOL);
    super(code, failure, `Send ${missing} to ${failure.wallet ?? "the wallet"}`);
    this.requiredSOL = requiredSOL;
    this.balanceSOL = balanceSOL;
    this.wallet = failure.wallet ?? null;
  }
}

/** @returns how much is missing, for example `at least 0.002 SOL`; `SOL` where that is not known */
function missingSol(required: number | null, balance: number | null): string {
  if (required === null || balance === null || required <= balance) return "SOL";
  return `at least ${formatSol(solToLamports(required) - solToLamports(balance))} SOL`;
}

/** 429: too many requests; `retryAfterSeconds` says when to come back. Code `too_many_requests`. */
export class RateLimitError extends ApiError {}

/** 5xx. Codes `server_error` and those of the subclasses. */
export class ServerError extends ApiError {}

/** 502: the chain refused the transaction, or it cannot be built. Code `chain_refused`. */
export class ChainRefusedError extends ServerError {}

/** 503: the service or the chain is away, or the queue is full. Code `service_unavailable`. */
export class ServiceUnavailableError extends ServerError {}
