/**
 * Why a request to a node has no result, and how it goes on in "The Solana RPC …" or "node 1 …":
 * - `network`: no connection, or it broke; `timeout`: no whole answer in time.
 * - `http`: a status outside 2xx without a JSON-RPC error.
 * - `garbage`: no JSON-RPC answer, or one that its method does not give.
 * - `broken`: an error of the node itself, or one that is not known here.
 * - `limited`: too many requests; `unauthorised`: the key is missing or wrong.
 * - `unsupported`: the node does not offer the method, or not with this key.
 * - `unhealthy`: it can answer nothing now; `behind`: it can answer this in a moment.
 * - `missing`: it lacks what was asked for, which another node may have.
 * - `refused`: it understood the parameters or the bytes, and refuses them; every node would.
 */
export const RPC_ERROR_TEXTS = {
  network: "cannot be reached",
  timeout: "does not answer in time",
  http: "answers with an error",
  garbage: "gives malformed answers",
  broken: "reports an error of its own",
  limited: "limits our requests",
  unauthorised: "refuses our key",
  unsupported: "does not offer a method",
  unhealthy: "is behind its cluster",
  behind: "is behind its cluster",
  missing: "lacks what was asked for",
  refused: "refuses a request",
} as const;

export type RpcErrorKind = keyof typeof RPC_ERROR_TEXTS;

/** Source: `custom_error.rs` of agave's rpc-client-api, JSON-RPC 2.0. A code that is not here is `broken`. */
const BY_CODE: Readonly<Record<number, RpcErrorKind>> = {
  [-32700]: "refused",
  [-32600]: "refused",
  [-32601]: "unsupported",
  [-32602]: "refused",
  [-32001]: "missing",
  [-32002]: "refused",
  [-32003]: "refused",
  [-32004]: "behind",
  [-32005]: "unhealthy",
  [-32006]: "refused",
  [-32007]: "missing",
  [-32008]: "missing",
  [-32009]: "missing",
  [-32010]: "missing",
  [-32011]: "missing",
  [-32012]: "missing",
  [-32013]: "refused",
  [-32014]: "behind",
  [-32015]: "refused",
  [-32016]: "behind",
  [-32017]: "refused",
  [-32018]: "refused",
  [-32019]: "missing",
  [-32020]: "refused",
  // HTTP statuses as some providers say them inside an answer.
  [-32429]: "limited",
  429: "limited",
  401: "unauthorised",
  403: "unsupported",
};

/** What a status says whatever the body says. */
const BY_STATUS: Readonly<Record<number, RpcErrorKind>> = {
  401: "unauthorised",
  403: "unsupported",
  429: "limited",
};

/** Of others operators want to know at which method, and by which code. */
const OF_ALL: ReadonlySet<RpcErrorKind> = new Set(["network", "timeout", "unhealthy", "behind"]);

/** What operators can do. */
const ADVICE: Partial<Record<RpcErrorKind, string>> = {
  unauthorised: "check the key in RPC_URL",
  unsupported: "ask the provider to allow it for this key, or set RPC_URL to another node",
  limited: "raise the provider's limit, or set RPC_URL to another node",
};
const OTHER_ADVICE = "ask the provider, or set RPC_URL to another node";

/** Methods whose parameters are a transaction, which an agent may have chosen byte by byte. */
const OF_BYTES: ReadonlySet<string> = new Set(["simulateTransaction", "sendTransaction"]);

/** Methods that only improve a result: a node that does not answer them is used for all else. */
const OPTIONAL: ReadonlySet<string> = new Set(["getRecentPrioritizationFees", "getFeeForMessage"]);

/** Kinds that no parameter can cause. */
const NEVER_OF_BYTES: ReadonlySet<RpcErrorKind> = new Set([
  "network",
  "limited",
  "unauthorised",
  "unsupported",
  "unhealthy",
  "behind",
]);

/** Of others a node would fail at most other requests too. */
const OF_REQUEST: ReadonlySet<RpcErrorKind> = new Set([
  "unsupported",
  "behind",
  "missing",
  "refused",
]);

export interface RpcErrorFacts {
  /** Of the JSON-RPC error; null without one. */
  readonly code?: number | null;
  /** Of HTTP, if it is not 2xx. */
  readonly status?: number | null;
  /** What a JSON-RPC error carries beside its text. */
  readonly data?: unknown;
  /** Seconds to wait before the next request, from the node's `Retry-After`. */
  readonly retryAfterSeconds?: number | null;
}

/**
 * A request without a result. Without a `code` the node may have acted on it. It carries no cause on
 * purpose: what `fetch` throws names the URL, and RPC URLs hold API keys.
 */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number | null;
  readonly status: number | null;
  readonly data: unknown;
  readonly retryAfterSeconds: number | null;

  /** @param detail the node's text, a status or an error code, for example `HTTP 502` or `ECONNRESET` */
  constructor(
    readonly kind: RpcErrorKind,
    readonly method: string,
    readonly detail: string,
    { code = null, status = null, data, retryAfterSeconds = null }: RpcErrorFacts = {},
  ) {
    super(`RPC ${method} failed (${kind}): ${code === null ? "" : `${code} `}${detail}`);
    this.code = code;
    this.status = status;
    this.data = data;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** For operators and agents: it quotes nothing that the node wrote. */
  get sentence(): string {
    const sign = this.code ?? (this.status === null ? null : `HTTP ${this.status}`);
    const where = [this.method, sign].filter((part) => part !== null).join(", ");
    const text = `The Solana RPC ${RPC_ERROR_TEXTS[this.kind]}`;
    return this.isOfMethod ? `${text} (${where})` : text;
  }

  /** The sentence, and what the operator can do unless it may be over in a moment. */
  get advice(): string {
    return this.isOfMethod
      ? `${this.sentence}: ${ADVICE[this.kind] ?? OTHER_ADVICE}`
      : this.sentence;
  }

  /** Whether the node answers, but not to this method. */
  get isOfMethod(): boolean {
    return !OF_ALL.has(this.kind);
  }

  /** Whether a transaction that an agent made can have caused this: then it is no outage. */
  get mayBeCausedByBytes(): boolean {
    return isOfBytes(this.method) && !NEVER_OF_BYTES.has(this.kind);
  }
}

/** Whether a request carries a transaction: then its failure says nothing against the node. */
export function isOfBytes(method: string): boolean {
  return OF_BYTES.has(method);
}

/** Whether a failure says that the node can do no work: then another is asked first. */
export function isAgainstNode({ kind, method, isOfMethod }: RpcError): boolean {
  if (isOfBytes(method) || (isOfMethod && OPTIONAL.has(method))) return false;
  return !OF_REQUEST.has(kind);
}

/** @returns the error of an HTTP status outside 2xx whose body holds no JSON-RPC error */
export function errorOfStatus(method: string, facts: RpcErrorFacts): RpcError {
  const { status } = facts;
  return new RpcError(BY_STATUS[status ?? 0] ?? "http", method, `HTTP ${status}`, facts);
}

/** @returns the error of a JSON-RPC error object; null if it is none */
export function errorOfAnswer(
  method: string,
  error: unknown,
  facts: RpcErrorFacts = {},
): RpcError | null {
  const { code, message, data } = Object(error) as Record<string, unknown>;
  if (!Number.isSafeInteger(code) || typeof message !== "string") return null;
  const kind = BY_STATUS[facts.status ?? 0] ?? BY_CODE[code as number] ?? "broken";
  return new RpcError(kind, method, message, { ...facts, code: code as number, data });
}

/** Reads any failure of a request; null for an error that is not the RPC's. */
export function readRpcError(error: unknown): RpcError | null {
  if (error instanceof RpcError) return error;
  // web3.js validates answers with superstruct, which exports no class for its errors.
  const isOfShape = error instanceof Error && error.name === "StructError";
  return isOfShape ? new RpcError("garbage", "an answer", "the answer makes no sense") : null;
}
