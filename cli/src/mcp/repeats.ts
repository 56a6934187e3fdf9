import { randomBytes } from "node:crypto";
import type { ClaimResult } from "@tokenctl/sdk";
import { CliError } from "../errors.ts";

/** Maximum number of entries; the oldest is removed first. */
const MOST = 1000;

class RecentMap<Value> extends Map<string, Value> {
  override set(key: string, value: Value): this {
    for (const oldest of this.keys()) {
      if (this.size < MOST) break;
      this.delete(oldest);
    }
    return super.set(key, value);
  }
}

export class Once {
  readonly #done = new RecentMap<{ readonly content: string; readonly result: unknown }>();

  /** Runs once; a repeat returns that result. @throws {CliError} `operation_id_used` otherwise */
  run<T>(name: string, content: unknown, operation: () => T): T {
    const wanted = JSON.stringify(content);
    const known = this.#done.get(name);
    if (known?.content === wanted) return known.result as T;
    if (known) {
      const text = `The operationId ${name} belongs to another operation`;
      const hint = "Use a new operationId for each operation";
      throw new CliError("operation_id_used", text, { hint });
    }
    const result = operation();
    this.#done.set(name, { content: wanted, result });
    return result;
  }
}

/** A preview is valid for this long. */
export const TICKET_SECONDS = 300;

export interface Previewed {
  readonly tokenMint: string;
  readonly ticker: string;
  readonly claimableLamports: bigint;
  /** Maximum network fee and rent. */
  readonly maxCostLamports: bigint;
  /** What the receivers get in total; 0n without receivers. */
  readonly paidLamports: bigint;
}

interface Ticket extends Previewed {
  readonly expiresAt: number;
  /** The claim made with this ticket; a second use returns its receipt. */
  claim?: Promise<ClaimResult>;
}

/** The claim tokens of `preview_claim`. Each makes one claim. */
export class ClaimTickets {
  readonly #tickets = new RecentMap<Ticket>();

  constructor(private readonly now: () => number) {}

  /** Returns a token of 32 hex digits. */
  issue(previewed: Previewed): string {
    const token = randomBytes(16).toString("hex");
    this.#tickets.set(token, { ...previewed, expiresAt: this.now() + TICKET_SECONDS * 1000 });
    return token;
  }

  /** @throws {CliError} `claim_token_refused` if the token is unknown, expired or another's */
  find(token: string, tokenMint: string): Ticket {
    const ticket = this.#tickets.get(token);
    const isOld = ticket !== undefined && !ticket.claim && ticket.expiresAt <= this.now();
    if (ticket && !isOld && ticket.tokenMint === tokenMint) return ticket;
    const other = isOld ? "has expired" : "belongs to another token's preview";
    throw new CliError(
      "claim_token_refused",
      `The claimToken ${ticket === undefined ? "is unknown" : other}`,
      { hint: "Call preview_claim for the same token, and use its claimToken" },
    );
  }
}
