import { Transform, type TransformCallback } from "node:stream";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import {
  INVALID_REQUEST,
  PARSE_ERROR,
  parseJSONRPCMessage,
  STDIO_DEFAULT_MAX_BUFFER_SIZE,
} from "@modelcontextprotocol/server";

/** The only version of the protocol that has batches. */
const WITH_BATCHES = "2025-03-26";

type Frame = Readonly<Record<string, unknown>>;

/**
 * Passes on each valid message as a line. The library would ignore an invalid one and its client
 * would wait, so this answers with an error if the message has a readable id.
 */
export class Frames extends Transform {
  #rest = Buffer.alloc(0);
  #hasBatches = false;

  constructor(
    private readonly to: {
      readonly answer: (message: JSONRPCMessage) => void;
      readonly warn: (text: string) => void;
    },
  ) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (let end = this.#rest.indexOf(10); end >= 0; end = this.#rest.indexOf(10)) {
      const line = this.#rest.toString("utf8", 0, end).replace(/^\ufeff/, "");
      this.#rest = this.#rest.subarray(end + 1);
      if (line.trim() !== "") this.#read(line);
    }
    const isTooLong = this.#rest.length > STDIO_DEFAULT_MAX_BUFFER_SIZE;
    done(isTooLong ? new Error("The client sent a line that is too long") : null);
  }

  #read(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      this.#refuse(null, "a line is not JSON", PARSE_ERROR);
      return;
    }
    const isBatch = Array.isArray(value);
    for (const one of Array.isArray(value) ? value : [value]) {
      if (!isBatch || this.#hasBatches) this.#take(one);
      else this.#refuse(one, "this version of the protocol has no batches");
    }
  }

  #take(value: unknown): void {
    const frame = isFrame(value) ? withoutNulls(value) : {};
    const flaw = flawOf(frame);
    if (flaw !== null) {
      this.#refuse(frame, flaw);
      return;
    }
    if (frame.method === "initialize" && isFrame(frame.params)) {
      this.#hasBatches = frame.params.protocolVersion === WITH_BATCHES;
    }
    this.push(`${JSON.stringify(frame)}\n`);
  }

  /** Answers with an error, unless the message is itself an answer or has no readable id. */
  #refuse(frame: unknown, why: string, code: number = INVALID_REQUEST): void {
    const message = `Not a message of MCP: ${why}`;
    this.to.warn(message);
    if (!isFrame(frame) || "result" in frame || "error" in frame) return;
    const { id } = frame;
    if (typeof id !== "string" && typeof id !== "number") return;
    this.to.answer({ jsonrpc: "2.0", id, error: { code, message } });
  }
}

function flawOf(frame: Frame): string | null {
  if (frame.jsonrpc !== "2.0") return 'jsonrpc must be "2.0"';
  try {
    parseJSONRPCMessage(frame);
    return null;
  } catch {
    return "it is no request, notification or answer of JSON-RPC";
  }
}

function isFrame(value: unknown): value is Frame {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Removes null parameters and arguments, which clients send for those that they omit. */
function withoutNulls({ params, ...frame }: Frame): Frame {
  if (params === null || params === undefined) return frame;
  const { arguments: given, ...others } = params as Frame;
  return { ...frame, params: given === null ? others : params };
}
