import {
  decideReservation,
  type LaunchCost,
  type Reservation,
} from "../../../domain/intake-limits.ts";
import type {
  Journal as AnyJournal,
  LaunchAttempt,
  LaunchJournal,
  SignedTransaction,
} from "../../../domain/journal.ts";

interface Held {
  readonly lamports: bigint;
  readonly day: string;
}

export class MemoryBook {
  readonly #today: () => string;
  readonly #spent = new Map<string, bigint>();
  readonly #held = new Map<Journal, Held>();

  /** @param today names the current day; by default there is only one */
  constructor(today: () => string = () => "today") {
    this.#today = today;
  }

  /** Lamports of the current day. */
  spentToday(): bigint {
    return this.#spent.get(this.#today()) ?? 0n;
  }

  reserve(journal: Journal, cost: LaunchCost): Reservation {
    const { lamports } = cost;
    let reserved = 0n;
    for (const [other, held] of this.#held) if (other !== journal) reserved += held.lamports;
    const spent = this.spentToday() - this.#heldToday(journal);
    const outcome = decideReservation(cost, { spent, reserved, launches: null }, null);
    if (outcome.kind === "reserved") {
      this.#spent.set(this.#today(), spent + lamports);
      this.#held.set(journal, { lamports, day: this.#today() });
    }
    return outcome;
  }

  settle(journal: Journal, spent: bigint): void {
    const held = this.#held.get(journal);
    if (held?.day === this.#today()) {
      this.#spent.set(held.day, this.spentToday() - held.lamports + spent);
    }
    this.#held.delete(journal);
  }

  end(journal: Journal): void {
    this.#held.delete(journal);
  }

  #heldToday(journal: Journal): bigint {
    const held = this.#held.get(journal);
    return held?.day === this.#today() ? held.lamports : 0n;
  }
}

export class Journal implements LaunchJournal {
  readonly attempts: LaunchAttempt[] = [];
  readonly #book: MemoryBook;

  /** @param book by default one of its own: then no other launch counts */
  constructor(book = new MemoryBook()) {
    this.#book = book;
  }

  get latest(): LaunchAttempt | null {
    return this.attempts.at(-1) ?? null;
  }

  async reserve(cost: LaunchCost): Promise<Reservation> {
    return this.#book.reserve(this, cost);
  }

  async settle(spent: bigint): Promise<void> {
    this.#book.settle(this, spent);
  }

  async record(attempt: LaunchAttempt): Promise<null> {
    this.attempts.push(attempt);
    return null;
  }

  end(): void {
    this.#book.end(this);
  }
}

/** The journal of a claim that was never sent. */
export const unsent: AnyJournal = { record: async () => null };

/** The journal of a claim that may have been sent before. */
export function sentBefore(claim: SignedTransaction): AnyJournal {
  return { record: async () => claim };
}
