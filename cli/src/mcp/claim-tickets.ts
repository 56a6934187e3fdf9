import { randomBytes } from "node:crypto";
import { Refusal } from "./refusal.ts";

/** A preview is valid for this long. */
export const TICKET_SECONDS = 300;
/** Maximum number of previews; the oldest is dropped first. */
const MOST = 1000;

export interface Previewed {
  readonly tokenMint: string;
  readonly ticker: string;
  readonly claimableLamports: bigint;
  /** Maximum network fee and rent. */
  readonly maxCostLamports: bigint;
  /** What its receivers get together; 0n without receivers. */
  readonly paidLamports: bigint;
}

interface Ticket<Receipt> extends Previewed {
  readonly expiresAt: number;
  claim?: Promise<Receipt>;
}

/** The tokens of `preview_claim`. Each makes one claim: a second use gets the first receipt. */
export class ClaimTickets<Receipt> {
  readonly #tickets = new Map<string, Ticket<Receipt>>();

  constructor(private readonly now: () => number) {}

  /** @returns a token, 32 hex digits */
  issue(previewed: Previewed): string {
    for (const oldest of this.#tickets.keys()) {
      if (this.#tickets.size < MOST) break;
      this.#tickets.delete(oldest);
    }
    const token = randomBytes(16).toString("hex");
    this.#tickets.set(token, { ...previewed, expiresAt: this.now() + TICKET_SECONDS * 1000 });
    return token;
  }

  /** @throws {Refusal} `claim_token_refused` if the token is unknown, expired, or for another claim */
  check(token: string, tokenMint: string): Previewed {
    return this.#find(token, tokenMint);
  }

  /** Whether the token has made its claim, or is making it. */
  isUsed(token: string): boolean {
    return this.#tickets.get(token)?.claim !== undefined;
  }

  /** Claims, or returns the outcome of the token's claim. @throws {Refusal} `claim_token_refused` */
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
    const isOld = ticket !== undefined && !ticket.claim && ticket.expiresAt <= this.now();
    if (ticket === undefined || isOld || ticket.tokenMint !== tokenMint) {
      const other = isOld ? "has expired" : "belongs to another token's preview";
      const message = `The claimToken ${ticket === undefined ? "is unknown" : other}`;
      const hint = "Call preview_claim with the same tokenMint and use its claimToken.";
      throw new Refusal("claim_token_refused", message, hint);
    }
    return ticket;
  }
}
