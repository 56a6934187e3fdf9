import type { Connection } from "@solana/web3.js";
import { type Clock, outsideRequests } from "../base/clock.ts";
import type { SignedTransaction } from "../domain/journal.ts";
import { outcomeOf, readStatuses, readTip, type TransactionOutcome } from "./outcome.ts";
import { RpcError } from "./rpc-answer.ts";

/** Source: Solana's RPC documentation. */
const SIGNATURES_PER_CALL = 256;

const RESEND_BLOCKS = 10;

/** Blocks between two reads of the block height. Such a read replaces one of the statuses. */
const HEIGHT_BLOCKS = 12.5;

/**
 * The first request about a transaction is made at the expected time, by which about a third of the
 * recent ones landed. The next `EVEN_STEPS` requests follow at intervals of a third of that time;
 * after that, each pause doubles.
 */
const STEP = 1 / 3;
const EVEN_STEPS = 4;
/** The shortest pause in milliseconds, no matter how many transactions wait. */
const SHORTEST_MS = 20;
/** How far a landing moves the expected time: down if found at once, otherwise towards its time. */
const LEARNING = 1 / 8;

/** A wait rejects after this many milliseconds without a new block, or after the expiry. */
const MAX_WAIT_MS = 180_000;

const MAX_PAUSE_MS = 10_000;

/** How many requests in a row fail before all waits reject: about half a minute. */
const MAX_FAILURES = 6;

/** The node shows neither new blocks nor the end of a transaction. */
export class NoProgressError extends Error {
  override readonly name = "NoProgressError";
}

export interface ConfirmerOptions {
  /** The longest pause between two requests about a transaction, in milliseconds. Default 500. */
  readonly tickMs?: number;
  /** The chain's time per block, in milliseconds. Default 400. */
  readonly pace?: { readonly msPerBlock: number };
  readonly pause?: (milliseconds: number) => Promise<void>;
}

export interface Wait {
  readonly sent: SignedTransaction;
  /** Sends the same bytes again. Called every few seconds; failures are ignored. */
  readonly resend: () => Promise<unknown>;
  readonly signal: AbortSignal;
}

/** The moments in milliseconds are values of `Confirmer.#timeMs`, `since` is one of the clock. */
interface Waiter extends Wait {
  readonly since: number;
  readonly sinceMs: number;
  /** When the next request is due. */
  askAtMs: number;
  asked: number;
  sentAtMs: number;
  /** When there was the last sign that the node follows the chain. */
  followedAtMs: number;
  /** The slot at which the last valid block height was exceeded; null before that. */
  expiredAt: number | null;
  resolve(outcome: TransactionOutcome): void;
  reject(reason: unknown): void;
}

/** Confirms all transactions in flight together: one request covers up to 256 of them. */
export class Confirmer {
  readonly #options;
  readonly #waiters = new Set<Waiter>();
  #running = false;
  #failures = 0;
  #landingMs: number;
  /** The sum of all pauses, the current one included, even for what is added during it. */
  #timeMs = 0;
  #heightAtMs = 0;
  #blockHeight = 0;
  #inBlockAt: number | null = null;

  constructor(
    private readonly connection: Connection,
    options: ConfirmerOptions & {
      readonly clock: Pick<Clock, "elapsed">;
      readonly pause: (milliseconds: number) => Promise<void>;
    },
  ) {
    this.#options = { tickMs: 500, pace: { msPerBlock: 400 }, ...options };
    this.#landingMs = this.#options.tickMs;
  }

  /** The transactions whose outcome is not known yet, the newest last; `since` by the clock. */
  get waiting(): readonly { readonly transaction: Uint8Array; readonly since: number }[] {
    return [...this.#waiters].map(({ sent, since }) => ({ transaction: sent.transaction, since }));
  }

  /** When a transaction was last found in a block, by the clock; null before the first. */
  get inBlockAt(): number | null {
    return this.#inBlockAt;
  }

  /** @throws the signal's reason, the last of many failures, or {@link NoProgressError} */
  wait(wait: Wait): Promise<TransactionOutcome> {
    return new Promise((resolve, reject) => {
      if (wait.signal.aborted) return reject(wait.signal.reason);
      const leave = (outcome?: TransactionOutcome) => {
        this.#waiters.delete(waiter);
        if (outcome && outcome.kind !== "expired") this.#inBlockAt = this.#options.clock.elapsed();
        wait.signal.removeEventListener("abort", abort);
      };
      const abort = () => waiter.reject(wait.signal.reason);
      const waiter: Waiter = {
        ...wait,
        since: this.#options.clock.elapsed(),
        sinceMs: this.#timeMs,
        askAtMs: this.#timeMs + this.#landingMs,
        asked: 0,
        sentAtMs: this.#timeMs,
        followedAtMs: this.#timeMs,
        expiredAt: null,
        resolve: (outcome) => {
          leave(outcome);
          resolve(outcome);
        },
        reject: (reason) => {
          leave();
          reject(reason);
        },
      };
      wait.signal.addEventListener("abort", abort);
      this.#waiters.add(waiter);
      void outsideRequests(() => this.#run());
    });
  }

  async #run(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    this.#failures = 0;
    let backOffMs: number | null = null;
    try {
      while (this.#waiters.size > 0) {
        const pauseMs = backOffMs ?? this.#untilAsked();
        this.#timeMs += pauseMs;
        await this.#options.pause(pauseMs);
        for (const { followedAtMs, reject } of this.#waiters) {
          if (this.#timeMs - followedAtMs > MAX_WAIT_MS) {
            reject(new NoProgressError("The Solana RPC shows no new blocks"));
          }
        }
        backOffMs = await this.#ask();
      }
    } finally {
      this.#running = false;
    }
  }

  #untilAsked(): number {
    const next = Math.min(...[...this.#waiters].map(({ askAtMs }) => askAtMs));
    return Math.max(this.#shortestMs, this.#landingMs * STEP, next - this.#timeMs);
  }

  get #shortestMs(): number {
    return Math.min(SHORTEST_MS, this.#options.tickMs);
  }

  /** Makes one request. @returns milliseconds until the next one if it failed, otherwise null */
  async #ask(): Promise<number | null> {
    try {
      if (this.#wantsHeight()) await this.#readHeight();
      else await this.#readStatuses();
      this.#failures = 0;
    } catch (error) {
      return this.#backOff(error);
    }
    const resendMs = RESEND_BLOCKS * this.#options.pace.msPerBlock;
    for (const waiter of this.#waiters) {
      if (this.#timeMs - waiter.sentAtMs < resendMs || waiter.expiredAt !== null) continue;
      waiter.sentAtMs = this.#timeMs;
      // The next requests show whether it arrived.
      waiter.resend().catch(() => {});
    }
    return null;
  }

  /** A blockhash lives for 150 blocks: the height is read rarely, and not for new transactions. */
  #wantsHeight(): boolean {
    const heightMs = HEIGHT_BLOCKS * this.#options.pace.msPerBlock;
    const before = this.#timeMs - heightMs;
    if (this.#heightAtMs > before) return false;
    return this.#unexpired.some(({ sinceMs }) => sinceMs <= before);
  }

  get #unexpired(): Waiter[] {
    return [...this.#waiters].filter((waiter) => waiter.expiredAt === null);
  }

  async #readHeight(): Promise<void> {
    const waiting = this.#unexpired;
    this.#heightAtMs = this.#timeMs;
    const tip = await readTip(this.connection);
    const isNew = tip.blockHeight > this.#blockHeight;
    this.#blockHeight = tip.blockHeight;
    for (const waiter of waiting) {
      if (isNew) waiter.followedAtMs = this.#timeMs;
      if (tip.blockHeight > waiter.sent.lastValidBlockHeight) waiter.expiredAt = tip.slot;
    }
  }

  async #readStatuses(): Promise<void> {
    const all = [...this.#waiters];
    for (let start = 0; start < all.length; start += SIGNATURES_PER_CALL) {
      const waiters = all.slice(start, start + SIGNATURES_PER_CALL);
      const { slot, statuses } = await readStatuses(
        this.connection,
        waiters.map((waiter) => waiter.sent.signature),
        // Only the node's archive proves that a transaction never landed.
        waiters.some((waiter) => waiter.expiredAt !== null),
      );
      for (const [index, waiter] of waiters.entries()) {
        const status = statuses[index] ?? { kind: "pending" };
        const outcome = outcomeOf(status);
        if (this.#timeMs >= waiter.askAtMs) this.#plan(waiter, outcome !== null);
        const { expiredAt } = waiter;
        if (outcome) waiter.resolve(outcome);
        else if (status.kind === "unknown" && expiredAt !== null && slot >= expiredAt) {
          waiter.resolve({ kind: "expired", slot: expiredAt });
        }
      }
    }
  }

  /** Learns from an answer how long it takes to land, and chooses when to ask again. */
  #plan(waiter: Waiter, isThere: boolean): void {
    const { tickMs } = this.#options;
    if (isThere) {
      const late = this.#timeMs - waiter.sinceMs - this.#landingMs;
      const change = LEARNING * (waiter.asked === 0 ? -this.#landingMs : late);
      this.#landingMs = Math.min(
        tickMs / STEP,
        Math.max(this.#shortestMs, this.#landingMs + change),
      );
    }
    const step = this.#landingMs * STEP * 2 ** Math.max(0, waiter.asked - EVEN_STEPS);
    waiter.askAtMs = this.#timeMs + Math.min(tickMs, step);
    waiter.asked += 1;
  }

  #backOff(error: unknown): number {
    this.#failures += 1;
    if (this.#failures >= MAX_FAILURES) {
      this.#failures = 0;
      for (const waiter of this.#waiters) waiter.reject(error);
    }
    const retryAfterMs = error instanceof RpcError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
    const backoffMs = this.#options.tickMs * 2 ** this.#failures;
    return Math.min(Math.max(retryAfterMs, backoffMs), MAX_PAUSE_MS);
  }
}
