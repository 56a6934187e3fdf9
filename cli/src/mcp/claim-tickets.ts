import { randomBytes } from "node:crypto";
import { Refusal } from "./refusal.ts";

/** A preview is good for this long. */
export const TICKET_SECONDS = 300;
/** Previews that are kept; the oldest goes first. */
const MOST = 1000;

/** What a preview showed, and a claim may do. */
export interface Previewed {
  readonly tokenMint: string;
  readonly ticker: string;
  readonly claimableLamports: bigint;
  /** Network fee and rent that the claim may cost at most. */
  readonly maxCostLamports: bigint;
}

interface Ticket<Receipt> extends Previewed {
  readonly expiresAt: number;
  claim?: Promise<Receipt>;
}

/**
 * The tokens that `preview_claim` hands out. Each makes one claim of the previewed fees at most:
 * a second use gets the first claim's receipt.
 */
export class ClaimTickets<Receipt> {
  readonly #tickets = new Map<string, Ticket<Receipt>>();
  readonly #now: () => number;

  /** @param now milliseconds since the Unix epoch */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** @returns a token, 32 hex digits */
  issue(previewed: Previewed): string {
    for (const oldest of this.#tickets.keys()) {
      if (this.#tickets.size < MOST) break;
      this.#tickets.delete(oldest);
    }
    const token = randomBytes(16).toString("hex");
    this.#tickets.set(token, { ...previewed, expiresAt: this.#now() + TICKET_SECONDS * 1000 });
    return token;
  }

  /** @throws {Refusal} `claim_token_refused` if the token is unknown, old, or of another claim */
  check(token: string, tokenMint: string): Previewed {
    return this.#find(token, tokenMint);
  }

  /** Whether the token has made its claim, or is about to. */
  isUsed(token: string): boolean {
    return this.#tickets.get(token)?.claim !== undefined;
  }

  /**
   * Uses the token: claims, or returns the receipt of the claim that the token has made.
   *
   * @throws {Refusal} `claim_token_refused`; otherwise what the claim throws, also if used again
   */
  async use(
    token: string,
    tokenMint: string,
    claim: (previewed: Previewed) => Promise<Receipt>,
  ): Promise<Receipt> {
    const ticket = this.#find(token, tokenMint);
    ticket.claim ??= claim(ticket);
    return ticket.claim;
  }

  #find(token: string, tokenMint: string): Ticket<Receipt> {
    const ticket = this.#tickets.get(token);
    const isOld = ticket !== undefined && !ticket.claim && ticket.expiresAt <= this.#now();
    if (ticket === undefined || isOld || ticket.tokenMint !== tokenMint) {
      const why =
        ticket === undefined
          ? "is unknown"
          : isOld
            ? "has expired"
            : "is of another token's preview";
      throw new Refusal(
        "claim_token_refused",
        `The claimToken ${why}`,
        "Call preview_claim with the same tokenMint and use its claimToken.",
      );
    }
    return ticket;
  }
}
