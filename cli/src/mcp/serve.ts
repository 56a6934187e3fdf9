import { stat } from "node:fs/promises";
import { join } from "node:path";
import { Transform, type TransformCallback } from "node:stream";
import { setTimeout } from "node:timers/promises";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import {
  INVALID_REQUEST,
  PARSE_ERROR,
  parseJSONRPCMessage,
  STDIO_DEFAULT_MAX_BUFFER_SIZE,
} from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { chooseReceivers } from "../claim-terms.ts";
import type { Desk } from "../desk.ts";
import { CliError } from "../errors.ts";
import type { Command } from "../grammar/command.ts";
import { toPath } from "../settings.ts";
import { AuditLog } from "./audit.ts";
import { type Guards, ModelLimits } from "./model-limits.ts";
import { createServer, toolsOf } from "./server.ts";

type Limits = "confirm" | "readOnly" | "allowMainnet" | "maxTotalFeeSol" | "maxLaunchesPerDay";

interface McpFlags extends Partial<Pick<Guards, Limits>> {
  readonly auditLog?: string;
  readonly files?: string;
  readonly maxLaunchCostSol?: number;
}

/** Serves MCP on stdin and stdout until the client closes them or the user presses Ctrl-C. */
export async function mcp(
  desk: Desk,
  flags: McpFlags,
  commands: readonly Command[],
): Promise<null> {
  const { canAsk, client, notices, settings, signal } = desk;
  const { auditLog, files: dir, ...rest } = flags;
  const guards: Guards = {
    readOnly: false,
    allowMainnet: false,
    confirm: true,
    maxLaunchesPerDay: 1,
    maxTotalFeeSol: 0,
    maxLaunchCostSol: null,
    ...rest,
    filesDir: dir === undefined ? null : await folderAt(toPath(dir)),
  };
  // Refuses an invalid payout now, not at the first claim.
  chooseReceivers(settings, client.address);
  const { stateDir } = settings;
  const log = new AuditLog(auditLog ? toPath(auditLog) : join(stateDir, "mcp-audit.jsonl"));
  const tools = toolsOf(commands, guards, settings.rpcUrl !== undefined);
  const host = new URL(client.apiUrl).host.replace(/[^a-z0-9.-]/gi, "_");
  const folder = join(stateDir, "mcp-launches", host, client.address);
  const model = new ModelLimits(guards, client, folder);
  if (canAsk) {
    notices.notice("Serving MCP: a client program starts this command and talks to it.");
    notices.notice("docs/mcp.md says how to add it to one. Ctrl-C ends it.");
  }
  const frames = new Frames({
    answer: (message) => void transport.send(message),
    warn: notices.warn,
  });
  const transport = new StdioServerTransport(process.stdin.pipe(frames));
  const connection = serveStdio(() => createServer({ ...desk, model }, tools, log), {
    transport,
    onerror: (error) => notices.warn(error.message),
  });
  await new Promise<void>((resolve) => {
    const close = transport.onclose;
    transport.onclose = () => {
      close?.();
      resolve();
    };
    const stop = () => void connection.close().finally(resolve);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop);
  });
  // Open calls are aborted; a claim may be submitted already, which its outcome says.
  for (let waits = 500; log.open > 0 && waits > 0; waits -= 1) await setTimeout(10);
  return null;
}

async function folderAt(path: string): Promise<string> {
  const status = await stat(path).catch(() => null);
  if (status?.isDirectory()) return path;
  throw new CliError("files_folder", `There is no folder ${path}`, {
    hint: "Set --files to the folder whose images a model may upload",
  });
}

/** The only version of the protocol that has batches. */
const WITH_BATCHES = "2025-03-26";

type Frame = Readonly<Record<string, unknown>>;

/**
 * Passes on each valid message as a line. The library would ignore an invalid one and its client
 * would wait, so this answers with an error if the message has a readable id.
 */
class Frames extends Transform {
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
      return void this.#refuse(null, "a line is not JSON", PARSE_ERROR);
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
    if (flaw !== null) return void this.#refuse(frame, flaw);
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
    return "it is not a JSON-RPC request, notification or answer";
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
