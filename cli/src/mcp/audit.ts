import { appendFileSync, chmodSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type {
  JSONRPCMessage,
  MessageExtraInfo,
  RequestId,
  Transport,
  TransportSendOptions,
} from "@modelcontextprotocol/server";
import {
  INTERNAL_ERROR,
  isInputRequiredResult,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
} from "@modelcontextprotocol/server";
import { CliError } from "../errors.ts";

/** Maximum characters of a call's arguments as JSON. */
const MOST = 4096;
/** Maximum characters of a tool's name or of a protocol error. */
const MOST_OF_TEXT = 200;

/** Logs each call and outcome as a line of JSON. Opens the file for each, so it can rotate. */
export class AuditLog {
  #calls = 0;

  /** @throws {CliError} `audit_unwritable` */
  constructor(private readonly path: string) {
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      appendFileSync(path, "", { mode: 0o600 });
      const info = statSync(path);
      if (info.isFile() && (info.mode & 0o777) !== 0o600) chmodSync(path, 0o600);
    } catch (cause) {
      const why = cause instanceof Error && "code" in cause ? cause.code : cause;
      throw new CliError("audit_unwritable", `Cannot write the audit log ${path}: ${why}`, {
        hint: "Give another file with --audit-log",
        cause,
      });
    }
  }

  /** Records a call before it is served. @returns its number in this process. @throws on failure */
  call(tool: unknown, input: unknown): number {
    const number = ++this.#calls;
    const name = String(tool).slice(0, MOST_OF_TEXT);
    this.#write({ call: number, tool: name, arguments: withoutSecrets(input) });
    return number;
  }

  /** Records the outcome of a call; ignores failure. */
  outcome(call: number, outcome: Readonly<Record<string, unknown>>): void {
    try {
      this.#write({ call, ...outcome });
    } catch {
      // If the log still fails at the next call, that call is refused.
    }
  }

  #write(entry: object): void {
    const line = { time: new Date().toISOString(), process: process.pid, ...entry };
    appendFileSync(this.path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  }
}

/** Hides claim tokens, because anyone who has one could use it. */
function withoutSecrets(input: unknown): unknown {
  const text = JSON.stringify(input, (key, value) => (key === "claimToken" ? "…" : value)) ?? "{}";
  return text.length > MOST ? `${text.slice(0, MOST)}…` : JSON.parse(text);
}

/** The fields of a result that the log keeps. */
const told = "eventId ticker status tokenMint transactionHash claimedSOL signature".split(" ");

/** Records every tool call, even an invalid one. A call that cannot be recorded is refused. */
export class AuditedTransport implements Transport {
  readonly #open = new Map<RequestId, number>();
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];

  constructor(
    private readonly inner: Transport,
    private readonly log: AuditLog,
  ) {}

  async start(): Promise<void> {
    this.inner.onmessage = (message, extra) => this.#receive(message, extra);
    this.inner.onerror = (error) => this.onerror?.(error);
    this.inner.onclose = () => {
      for (const call of this.#open.values()) this.log.outcome(call, { outcome: "disconnected" });
      this.#open.clear();
      this.onclose?.();
    };
    await this.inner.start();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if ("id" in message && message.id !== undefined && !("method" in message)) {
      this.#close(message.id, outcomeOf(message));
    }
    await this.inner.send(message, options);
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  #close(id: RequestId, outcome: Readonly<Record<string, unknown>>): void {
    const call = this.#open.get(id);
    if (call === undefined) return;
    this.#open.delete(id);
    this.log.outcome(call, outcome);
  }

  #receive(message: JSONRPCMessage, extra?: MessageExtraInfo): void {
    if (isJSONRPCNotification(message) && message.method === "notifications/cancelled") {
      this.#close(message.params?.requestId as RequestId, { outcome: "cancelled" });
    }
    if (isJSONRPCRequest(message) && message.method === "tools/call") {
      try {
        this.#open.set(message.id, this.log.call(message.params?.name, message.params?.arguments));
      } catch {
        const error = { code: INTERNAL_ERROR, message: "The audit log cannot be written" };
        void this.inner.send({ jsonrpc: "2.0", id: message.id, error }).catch(this.onerror);
        return;
      }
    }
    this.onmessage?.(message, extra);
  }
}

function outcomeOf(message: JSONRPCMessage): Record<string, unknown> {
  if (isJSONRPCErrorResponse(message)) {
    const { code, message: error } = message.error;
    return { outcome: "failed", code, error: error.slice(0, MOST_OF_TEXT) };
  }
  if (!isJSONRPCResultResponse(message)) return { outcome: "unknown" };
  const { result } = message;
  if (isInputRequiredResult(result)) return { outcome: "asks the user" };
  const { isError, _meta, structuredContent } = result as {
    isError?: boolean;
    _meta?: { code?: unknown };
    structuredContent?: Record<string, unknown>;
  };
  if (isError === true) return { outcome: "failed", code: _meta?.code ?? "schema_mismatch" };
  const fields = told.flatMap((name) =>
    structuredContent?.[name] === undefined ? [] : [[name, structuredContent[name]] as const],
  );
  return { outcome: "done", ...Object.fromEntries(fields) };
}
