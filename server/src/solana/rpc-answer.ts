import { type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { kindOfRpcError, type RpcErrorKind } from "@tokenctl/shared/rpc-error-kinds";

export interface RpcRequest {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly id: unknown;
  readonly body: string;
}

/** A JSON-RPC answer whose shape fits its method. */
export interface RpcAnswer {
  readonly result: unknown;
  readonly error: RpcError | null;
  /** The slot of the state that it shows; null if the answer has none. */
  readonly slot: number | null;
}

const count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const orNull = (schema: TSchema) => Type.Union([Type.Null(), schema]);
const some = Type.Object({});
const blockhash = Type.Object({ blockhash: Type.String(), lastValidBlockHeight: count });
const simulated = Type.Partial(Type.Object({ replacementBlockhash: orNull(blockhash) }));
const withSlot = (value: TSchema) => Type.Object({ context: Type.Object({ slot: count }), value });

/** Enough of each result's shape to detect a malformed one. Source: Solana's RPC documentation. */
const RESULTS: Readonly<Record<string, TSchema>> = {
  getAccountInfo: withSlot(orNull(some)),
  getBalance: withSlot(count),
  getEpochInfo: Type.Object({ absoluteSlot: count, blockHeight: count }),
  getFeeForMessage: withSlot(orNull(count)),
  getGenesisHash: Type.String({ minLength: 32, maxLength: 44 }),
  getHealth: Type.String(),
  getMultipleAccounts: withSlot(Type.Array(orNull(some))),
  getRecentPrioritizationFees: Type.Array(Type.Object({ prioritizationFee: count })),
  getSignaturesForAddress: Type.Array(some),
  // A malformed entry does not affect the others.
  getSignatureStatuses: withSlot(Type.Array(Type.Unknown())),
  getSlot: count,
  getTokenAccountsByOwner: withSlot(Type.Array(some)),
  getTransaction: orNull(Type.Object({ slot: count })),
  sendTransaction: Type.String({ minLength: 64 }),
  simulateTransaction: withSlot(simulated),
};

/** The methods that the service uses. */
export const RPC_METHODS: readonly string[] = Object.keys(RESULTS);

const ONE_EACH: ReadonlySet<string> = new Set(["getMultipleAccounts", "getSignatureStatuses"]);

export function readRequest(body: string): RpcRequest {
  const { method, params, id } = JSON.parse(body) as Record<string, unknown>;
  return {
    method: typeof method === "string" ? method : "unknown",
    params: Array.isArray(params) ? params : [],
    id,
    body,
  };
}

/** Parses the body of an HTTP answer. @throws {RpcError} it does not answer this request */
export function readAnswer(
  request: RpcRequest,
  text: string,
  facts: RpcErrorFacts = {},
): RpcAnswer {
  const { method } = request;
  const { result, error = null } = Object(parse(text)) as { result?: unknown; error?: unknown };
  const refusal = errorOfAnswer(method, error, facts);
  if (refusal) return { result: null, error: refusal, slot: null };
  if (facts.status != null) {
    throw new RpcError(kindOfRpcError(facts), method, `HTTP ${facts.status}`, facts);
  }
  if (error !== null || result === undefined) {
    throw new RpcError("garbage", method, "the answer is not JSON-RPC");
  }
  if (!isResultOf(request, result)) {
    throw new RpcError("garbage", method, "the answer makes no sense");
  }
  return { result, error: null, slot: slotOf(method, result) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isResultOf({ method, params }: RpcRequest, result: unknown): boolean {
  const schema = RESULTS[method];
  if (schema && !Value.Check(schema, result)) return false;
  const [names] = params;
  if (!ONE_EACH.has(method) || !Array.isArray(names)) return true;
  return (result as { value: readonly unknown[] }).value.length === names.length;
}

function slotOf(method: string, result: unknown): number | null {
  if (method === "getSlot") return result as number;
  if (method === "getEpochInfo") return (result as { absoluteSlot: number }).absoluteSlot;
  const isWithSlot = Value.Check(Type.Object({ context: Type.Object({ slot: count }) }), result);
  return isWithSlot ? result.context.slot : null;
}

const CERTAINTY = ["processed", "confirmed", "finalized"];

/** Returns how certain a status is: -2 unknown, -1 malformed, 0 may still vanish, above 0 final. */
export function certaintyOf(entry: unknown): number {
  if (entry === null) return -2;
  return CERTAINTY.indexOf(Object(entry).confirmationStatus);
}

/** Each text continues "The Solana RPC …" or "node 1 …". */
export const RPC_ERROR_TEXTS: Readonly<Record<RpcErrorKind, string>> = {
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
};

/** Kinds that concern the whole node. For other kinds, messages name the method and the code. */
const OF_ALL: ReadonlySet<RpcErrorKind> = new Set(["network", "timeout", "unhealthy", "behind"]);

const ADVICE: Readonly<Record<string, string>> = {
  network: "check RPC_URL and this machine's network, or set RPC_URL to another node",
  unauthorised: "check the key in RPC_URL",
  unsupported: "ask the provider to allow it for this key, or set RPC_URL to another node",
  limited: "raise the provider's limit, or set RPC_URL to another node",
};
const OTHER_ADVICE = "ask the provider, or set RPC_URL to another node";

/** @param kind of an error, or another fault of a node */
export function remedyOf(kind: string): string {
  return ADVICE[kind] ?? OTHER_ADVICE;
}

/** Methods that only improve a result: a node that does not offer them is still used. */
const OPTIONAL: ReadonlySet<string> = new Set(["getRecentPrioritizationFees", "getFeeForMessage"]);

/** Kinds that no parameters can cause. */
const NEVER_OF_BYTES: ReadonlySet<RpcErrorKind> = new Set([
  "network",
  "limited",
  "unauthorised",
  "unsupported",
  "unhealthy",
  "behind",
]);

/** Kinds that concern one request. With any other kind, most other requests would fail too. */
const OF_REQUEST = new Set<RpcErrorKind>(["unsupported", "behind", "missing", "refused"]);

export interface RpcErrorFacts {
  /** The code of the JSON-RPC error, if there is one. */
  readonly code?: number | null;
  /** The HTTP status, if it is not 2xx. */
  readonly status?: number | null;
  /** The `data` of the JSON-RPC error. */
  readonly data?: unknown;
  /** Seconds to wait before the next request, from the node's `Retry-After`. */
  readonly retryAfterSeconds?: number | null;
}

/**
 * A failed request. Without a `code`, the node may have executed it. It has no cause on purpose:
 * errors of `fetch` contain the URL, and RPC URLs contain API keys.
 */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number | null;
  readonly status: number | null;
  readonly data: unknown;
  readonly retryAfterSeconds: number | null;

  /** @param detail the node's text, or a status or error code such as `HTTP 502` or `ECONNRESET` */
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

  /** A text for operators and agents. It quotes nothing that the node wrote. */
  get sentence(): string {
    const sign = this.code ?? (this.status === null ? null : `HTTP ${this.status}`);
    const where = [this.method, sign].filter((part) => part !== null).join(", ");
    const text = `The Solana RPC ${RPC_ERROR_TEXTS[this.kind]}`;
    return this.isOfMethod ? `${text} (${where})` : text;
  }

  /** The sentence, with what the operator can do unless the problem may be temporary. */
  get advice(): string {
    return this.isOfMethod ? `${this.sentence}: ${remedyOf(this.kind)}` : this.sentence;
  }

  /** Whether the failure concerns this method rather than the whole node. */
  get isOfMethod(): boolean {
    return !OF_ALL.has(this.kind);
  }

  /** Whether an agent's transaction may have caused the failure, so that it is not an outage. */
  get mayBeCausedByBytes(): boolean {
    return isOfBytes(this.method) && !NEVER_OF_BYTES.has(this.kind);
  }
}

/** Whether a method carries a transaction, whose bytes an agent may have chosen. */
function isOfBytes(method: string): boolean {
  return method === "simulateTransaction" || method === "sendTransaction";
}

/** Returns whether a failure shows that the node does not work, so that others are asked first. */
export function isAgainstNode({ kind, method, isOfMethod }: RpcError): boolean {
  if (isOfBytes(method) || (isOfMethod && OPTIONAL.has(method))) return false;
  return !OF_REQUEST.has(kind);
}

function errorOfAnswer(method: string, error: unknown, facts: RpcErrorFacts = {}): RpcError | null {
  const { code, message, data } = Object(error) as Record<string, unknown>;
  if (!Number.isSafeInteger(code) || typeof message !== "string") return null;
  const found = { ...facts, code: code as number, data };
  return new RpcError(kindOfRpcError(found), method, message, found);
}

/** Returns the RPC's error for a failed request; null for any other error. */
export function readRpcError(error: unknown): RpcError | null {
  if (error instanceof RpcError) return error;
  // web3.js validates answers with superstruct, whose error class it does not export.
  const isOfShape = error instanceof Error && error.name === "StructError";
  return isOfShape ? new RpcError("garbage", "an answer", "the answer makes no sense") : null;
}
