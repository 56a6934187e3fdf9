import { appendFileSync, chmodSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { CliError } from "../errors.ts";

/** Maximum characters of a call's arguments as JSON. */
const MOST = 4096;
/** Maximum characters of a tool's name or of a protocol error. */
export const MOST_OF_TEXT = 200;

/** Logs each call and outcome as a line of JSON. Opens the file for each, so it can rotate. */
export class AuditLog {
  #calls = 0;

  /** @throws {CliError} `audit_unwritable` */
  constructor(
    private readonly path: string,
    private readonly now: () => number,
  ) {
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
    const time = new Date(this.now()).toISOString();
    const line = { time, process: process.pid, ...entry };
    appendFileSync(this.path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  }
}

/** Hides claim tokens, because anyone who has one could use it. */
function withoutSecrets(input: unknown): unknown {
  const text = JSON.stringify(input, (key, value) => (key === "claimToken" ? "…" : value)) ?? "{}";
  return text.length > MOST ? `${text.slice(0, MOST)}…` : JSON.parse(text);
}
