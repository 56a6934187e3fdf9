import type { Connection } from "@solana/web3.js";
import type { SignedTransaction } from "../domain/journal.ts";
import type { LandingWatch } from "./landing-watch.ts";
import { outcomeOf, readStatuses, readTip, type TransactionOutcome } from "./outcome.ts";
import { RpcError } from "./rpc-errors.ts";

/** Source: Solana's documentation, RPC. */
const SIGNATURES_PER_CALL = 256;

/** An unconfirmed transaction is sent again every 10 blocks. */
const RESEND_BLOCKS = 10;

/** After this many blocks, the block height is read once instead of statuses. */
const HEIGHT_BLOCKS = 12.5;

/**
 * A wait rejects after this many milliseconds without a new block: with a stalled node it would otherwise
 * never end. It rejects as well if the node does not say for as long how one that has expired ended.
 */
const MAX_WAIT_MS = 180_000;

const MAX_PAUSE_MS = 10_000;

/** The node shows neither new blocks nor the end of a transaction. */
export class NoProgressError extends Error {
  override readonly name = "NoProgressError";
}

export interface ConfirmerOptions {
  readonly landing?: Pick<LandingWatch, "begin" | "end">;
  /** Milliseconds between two ticks. Default 500. */
  readonly tickMs?: number;
  /** How long the chain takes for a block, in milliseconds. Default 400. */
  readonly pace?: { readonly msPerBlock: number };
  /** Failed ticks in a row after which all waits reject. Default 6, about half a minute. */
  readonly patience?: number;
  readonly pause?: (milliseconds: number) => Promise<void>;
}

export interface Wait {
  readonly sent: SignedTransaction;
  /** Sends the same bytes again. Called every few ticks; its failures are ignored. */
  readonly resend: () => Promise<unknown>;
  readonly signal: AbortSignal;
}

interface Waiter extends Wait {
  ticks: number;
  /** Since the last sign that the node follows the chain. */
  waitedMs: number;
  /** The slot at which the last valid block height was exceeded; null before that. */
  expiredAt: number | null;
  resolve(outcome: TransactionOutcome): void;
  reject(reason: unknown): void;
}

/** Confirms all transactions in flight together: one request a tick for up to 256 of them. */
export class Confirmer {
  readonly #options: Required<Omit<ConfirmerOptions, "landing">>;
  readonly #landing: ConfirmerOptions["landing"];
  readonly #waiters = new Set<Waiter>();
  #running = false;
  #failures = 0;
  #ticksSinceHeight = 0;
  #blockHeight = 0;

  constructor(
    private readonly connection: Connection,
    { landing, ...options }: ConfirmerOptions & Required<Pick<ConfirmerOptions, "pause">>,
  ) {
    this.#landing = landing;
    this.#options = {
      tickMs: 500,
      pace: { msPerBlock: 400 },
      patience: 6,
      ...options,
    };
  }

  /** @throws the signal's reason, the last of many failures, or {@link NoProgressError} */
  wait(wait: Wait): Promise<TransactionOutcome> {
    return new Promise((resolve, reject) => {
      if (wait.signal.aborted) return reject(wait.signal.reason);
      const leave = (outcome?: TransactionOutcome) => {
        this.#waiters.delete(waiter);
        const isInBlock = outcome?.kind === "landed" || outcome?.kind === "failed";
        this.#landing?.end(wait.sent.transaction, isInBlock);
        wait.signal.removeEventListener("abort", abort);
      };
      const abort = () => waiter.reject(wait.signal.reason);
      const waiter: Waiter = {
        ...wait,
        ticks: 0,
        waitedMs: 0,
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
      this.#landing?.begin(wait.sent.transaction);
      void this.#run();
    });
  }

  async #run(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    this.#failures = 0;
    let pauseMs = this.#options.tickMs;
    try {
      while (this.#waiters.size > 0) {
        await this.#options.pause(pauseMs);
        this.#age(pauseMs);
        pauseMs = await this.#tick();
      }
    } finally {
      this.#running = false;
    }
  }

  #age(milliseconds: number): void {
    for (const waiter of this.#waiters) {
      waiter.waitedMs += milliseconds;
      if (waiter.waitedMs > MAX_WAIT_MS) {
        waiter.reject(new NoProgressError("The Solana RPC shows no new blocks"));
      }
    }
  }

  async #tick(): Promise<number> {
    try {
      if (this.#wantsHeight()) await this.#readHeight();
      else await this.#readStatuses();
      this.#failures = 0;
    } catch (error) {
      return this.#backOff(error);
    }
    const resendTicks = this.#ticks(RESEND_BLOCKS);
    for (const waiter of this.#waiters) {
      waiter.ticks += 1;
      if (waiter.ticks % resendTicks === 0 && waiter.expiredAt === null) {
        // The next ticks find out whether it arrived.
        waiter.resend().catch(() => {});
      }
    }
    return this.#options.tickMs;
  }

  /** A blockhash lives for 150 blocks, so the height is asked for rarely, and only after some ticks. */
  #wantsHeight(): boolean {
    this.#ticksSinceHeight += 1;
    const heightTicks = this.#ticks(HEIGHT_BLOCKS);
    if (this.#ticksSinceHeight < heightTicks) return false;
    return this.#unexpired().some((waiter) => waiter.ticks >= heightTicks);
  }

  /** The ticks in which the chain makes this many blocks. */
  #ticks(blocks: number): number {
    const { pace, tickMs } = this.#options;
    return Math.max(1, Math.round((blocks * pace.msPerBlock) / tickMs));
  }

  #unexpired(): Waiter[] {
    return [...this.#waiters].filter((waiter) => waiter.expiredAt === null);
  }

  async #readHeight(): Promise<void> {
    const waiting = this.#unexpired();
    this.#ticksSinceHeight = 0;
    const tip = await readTip(this.connection);
    const isNew = tip.blockHeight > this.#blockHeight;
    this.#blockHeight = tip.blockHeight;
    for (const waiter of waiting) {
      if (isNew) waiter.waitedMs = 0;
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
        // "Never landed" is certain only by the node's archive.
        waiters.some((waiter) => waiter.expiredAt !== null),
      );
      for (const [index, waiter] of waiters.entries()) {
        const status = statuses[index] ?? { kind: "pending" };
        const outcome = outcomeOf(status, slot);
        if (outcome) waiter.resolve(outcome);
        else if (status.kind === "unknown" && slot >= (waiter.expiredAt ?? Infinity)) {
          waiter.resolve({ kind: "expired", slot });
        }
      }
    }
  }

  #backOff(error: unknown): number {
    this.#failures += 1;
    if (this.#failures >= this.#options.patience) {
      this.#failures = 0;
      for (const waiter of this.#waiters) waiter.reject(error);
    }
    const retryAfterMs = error instanceof RpcError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
    const backoffMs = this.#options.tickMs * 2 ** this.#failures;
    return Math.min(Math.max(retryAfterMs, backoffMs), MAX_PAUSE_MS);
  }
}
