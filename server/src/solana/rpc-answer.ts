import { type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { kindOfRpcError, type RpcErrorKind } from "@tokenctl/shared/rpc-error-kinds";

export interface RpcRequest {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly id: unknown;
  readonly body: string;
}

/** One JSON-RPC answer that has the shape of its method. */
export interface RpcAnswer {
  readonly result: unknown;
  readonly error: RpcError | null;
  /** The slot of the state that it shows; null if it does not say. */
  readonly slot: number | null;
}

const count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const orNull = (schema: TSchema) => Type.Union([Type.Null(), schema]);
const some = Type.Object({});
const withSlot = (value: TSchema) => Type.Object({ context: Type.Object({ slot: count }), value });

/** Enough of the results to know a node that answers nonsense. Source: Solana's documentation, RPC. */
const RESULTS: Readonly<Record<string, TSchema>> = {
  getAccountInfo: withSlot(orNull(some)),
  getBalance: withSlot(count),
  getEpochInfo: Type.Object({ absoluteSlot: count, blockHeight: count }),
  getFeeForMessage: withSlot(orNull(count)),
  getGenesisHash: Type.String({ minLength: 32, maxLength: 44 }),
  getHealth: Type.String(),
  getLatestBlockhash: withSlot(
    Type.Object({ blockhash: Type.String(), lastValidBlockHeight: count }),
  ),
  getMultipleAccounts: withSlot(Type.Array(orNull(some))),
  getRecentPrioritizationFees: Type.Array(Type.Object({ prioritizationFee: count })),
  getSignaturesForAddress: Type.Array(some),
  // One that cannot be understood leaves the others as they are.
  getSignatureStatuses: withSlot(Type.Array(Type.Unknown())),
  getSlot: count,
  getTokenAccountsByOwner: withSlot(Type.Array(some)),
  getTransaction: orNull(Type.Object({ slot: count })),
  sendTransaction: Type.String({ minLength: 64 }),
  simulateTransaction: withSlot(some),
};

/** What the service asks nodes. */
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

/** Reads the body of an HTTP answer. @throws {RpcError} it is no answer to this request */
export function readAnswer(
  request: RpcRequest,
  text: string,
  facts: RpcErrorFacts = {},
): RpcAnswer {
  const { method } = request;
  const { result, error = null } = Object(parse(text)) as { result?: unknown; error?: unknown };
  const refusal = errorOfAnswer(method, error, facts);
  if (refusal) return { result: null, error: refusal, slot: null };
  if (facts.status != null) throw errorOfStatus(method, facts);
  if (error !== null || result === undefined) {
    throw new RpcError("garbage", method, "the answer is not JSON-RPC");
  }
  if (!isResultOf(request, result)) {
    throw new RpcError("garbage", method, "the answer makes no sense");
  }
  return { result, error: null, slot: slotOf(method, result) };
}

/** @returns undefined for what is not JSON */
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

/** From unknown to final. */
const CERTAINTY = ["processed", "confirmed", "finalized"];

/** How certain a status is: -2 not known, -1 not understood, 0 may still vanish, more if final. */
export function certaintyOf(entry: unknown): number {
  if (entry === null) return -2;
  const { confirmationStatus, confirmations } = Object(entry) as Record<string, unknown>;
  // Nodes older than `confirmationStatus` say null when no confirmation is missing.
  const word = confirmationStatus ?? (confirmations === null ? "finalized" : undefined);
  return CERTAINTY.indexOf(word as string);
}

/** How a kind goes on in "The Solana RPC …" or "node 1 …". */
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

/** Of others operators want to know at which method, and by which code. */
const OF_ALL: ReadonlySet<RpcErrorKind> = new Set(["network", "timeout", "unhealthy", "behind"]);

const ADVICE: Partial<Record<RpcErrorKind, string>> = {
  network: "check RPC_URL and this machine's network, or set RPC_URL to another node",
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
    return this.isOfMethod ? `${this.sentence}: ${this.remedy}` : this.sentence;
  }

  get remedy(): string {
    return ADVICE[this.kind] ?? OTHER_ADVICE;
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
function errorOfStatus(method: string, facts: RpcErrorFacts): RpcError {
  return new RpcError(kindOfRpcError(facts), method, `HTTP ${facts.status}`, facts);
}

/** @returns the error of a JSON-RPC error object; null if it is none */
export function errorOfAnswer(
  method: string,
  error: unknown,
  facts: RpcErrorFacts = {},
): RpcError | null {
  const { code, message, data } = Object(error) as Record<string, unknown>;
  if (!Number.isSafeInteger(code) || typeof message !== "string") return null;
  const found = { ...facts, code: code as number, data };
  return new RpcError(kindOfRpcError(found), method, message, found);
}

/** Reads any failure of a request; null for an error that is not the RPC's. */
export function readRpcError(error: unknown): RpcError | null {
  if (error instanceof RpcError) return error;
  // web3.js validates answers with superstruct, which exports no class for its errors.
  const isOfShape = error instanceof Error && error.name === "StructError";
  return isOfShape ? new RpcError("garbage", "an answer", "the answer makes no sense") : null;
}
