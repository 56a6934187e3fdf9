import { appendFileSync, chmodSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { CliError, systemCode } from "../errors.ts";
import { plainJson } from "../text.ts";

/** Maximum characters of a call's arguments as JSON. */
const MOST = 4096;

/** The fields of a result that the log keeps. */
const TOLD = "eventId ticker status tokenMint transactionHash claimedSOL".split(" ");

/** Logs each call and outcome as a line of JSON. Opens the file for each, so it can rotate. */
export class AuditLog {
  #calls = 0;
  /** Calls that have no outcome yet. */
  open = 0;

  /** @throws {CliError} `audit_unwritable` */
  constructor(private readonly path: string) {
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      appendFileSync(path, "", { mode: 0o600 });
      const info = statSync(path);
      if (info.isFile() && (info.mode & 0o777) !== 0o600) chmodSync(path, 0o600);
    } catch (cause) {
      throw this.#unwritable(cause);
    }
  }

  /**
   * Records a call before it is served.
   * @returns a function that records the outcome, and ignores failure
   * @throws {CliError} `audit_unwritable`
   */
  call(tool: string, input: unknown): (outcome: string, more: object) => void {
    const call = ++this.#calls;
    const text = JSON.stringify(input) ?? "{}";
    try {
      const given = text.length > MOST ? `${text.slice(0, MOST)}…` : input;
      this.#write({ call, tool, arguments: given });
    } catch (cause) {
      throw this.#unwritable(cause);
    }
    this.open += 1;
    return (outcome, more) => {
      this.open -= 1;
      const told = Object.entries(more).filter(([name]) => name === "code" || TOLD.includes(name));
      try {
        this.#write({ call, outcome, ...Object.fromEntries(told) });
      } catch {
        // If the log still fails at the next call, that call is refused.
      }
    };
  }

  #write(entry: object): void {
    const line = { time: new Date().toISOString(), process: process.pid, ...entry };
    appendFileSync(this.path, `${plainJson(line)}\n`, { mode: 0o600 });
  }

  #unwritable(cause: unknown): CliError {
    const message = `Cannot write the audit log ${this.path}: ${systemCode(cause)}`;
    const hint = "Give another file with --audit-log";
    return new CliError("audit_unwritable", message, { hint, cause });
  }
}
