import type { Logger } from "pino";
import { Lease, PeriodicTask, sleep } from "../../base/clock.ts";
import { LeaseLostError, type SignedBytes, StartRefusedError } from "../../domain/journal.ts";
import type { ConfirmedClaim, HandedOut, SubmitOutcome } from "../../domain/signing.ts";
import type { CrashPoint } from "../../launchpad/crash-point.ts";
import {
  ChainUnavailableError,
  ExpiredError,
  FailedLaunchError,
  RefusedError,
  SIGNED_NAMES,
  UnaffordableError,
} from "../../launchpad/errors.ts";
import type { Signing } from "../../launchpad/signing/signing.ts";
import {
  isHandOver,
  isPreparedLaunch,
  mintsOf,
  type PreparedRow,
  preparedJournal,
  type SubmitLimits,
} from "../../store/prepared.ts";
import type { Store } from "../../store/store.ts";

const RETRY_MS = 5_000;
/** Milliseconds between two searches for transactions whose lease has run out. */
const SEARCH_MS = 10_000;
/** Milliseconds until a row that another server holds is read again. */
const HELD_MS = 500;

export interface Submission {
  /** Resolves once the bytes are on the disk. Rejects if nothing was stored. */
  readonly stored: Promise<void>;
  readonly outcome: Promise<ConfirmedClaim>;
}

/**
 * Submits what agents signed: leases and stores a transaction, sends it, and records its outcome.
 * If a crash or an RPC error leaves the outcome unknown, sends it again later.
 */
export class Submitter {
  readonly #resending: PeriodicTask;
  /** Submissions in flight, by row id: two requests with the same bytes share one. */
  readonly #inFlight = new Map<number, Submission>();

  constructor(
    private readonly options: {
      readonly store: Store;
      readonly chain: Signing;
      readonly log: Logger;
      readonly crashPoint?: CrashPoint | undefined;
      readonly leaseMs?: number | undefined;
      readonly onTried?: ((outcome: SubmitOutcome) => void) | undefined;
    },
  ) {
    const { store, log } = options;
    this.#resending = new PeriodicTask({
      clock: store.clock,
      run: () => this.#resend(),
      onError: (error) =>
        log.error({ err: error }, "what has an unknown outcome could not be read"),
      retryMs: [RETRY_MS, RETRY_MS],
    });
  }

  /** Frees the leases of an earlier process, and resends transactions with an unknown outcome. */
  async start(): Promise<void> {
    await this.options.store.prepared.recover();
    this.#resending.start();
  }

  /**
   * Sends a row's bytes, or returns the outcome if any server has them in flight or confirmed.
   * Bytes that were sent never change: the outcome of an earlier signature could not be found.
   */
  submit(row: PreparedRow, signed: SignedBytes, limits?: SubmitLimits): Submission {
    const inFlight = this.#inFlight.get(row.id);
    if (inFlight) return inFlight;
    const stored = Promise.withResolvers<void>();
    if (row.status !== "prepared") stored.resolve();
    const outcome = this.#submit(row, { signed, limits, onStored: stored.resolve });
    outcome.then(() => stored.resolve(), stored.reject);
    stored.promise.catch(() => {});
    const submission = {
      stored: stored.promise,
      outcome: outcome.finally(() => this.#inFlight.delete(row.id)),
    };
    // A launch's response does not await the outcome. The log and the store have any failure.
    submission.outcome.catch(() => {});
    this.#inFlight.set(row.id, submission);
    return submission;
  }

  async stop(): Promise<void> {
    await this.#resending.stop();
    await Promise.allSettled([...this.#inFlight.values()].map(({ outcome }) => outcome));
  }

  /** Sends unleased rows with an unknown outcome again. @returns milliseconds until the next run */
  async #resend(): Promise<number> {
    for (const row of await this.options.store.prepared.unsettled()) {
      const { signature, transaction } = row;
      if (signature === null || transaction === null) continue;
      if (this.#resending.signal.aborted) break;
      // The store gets the outcome. Any failure, even of a write to the store, is retried.
      this.submit(row, { signature, transaction }).outcome.catch(() => {
        this.#resending.wakeIn(RETRY_MS);
      });
    }
    return SEARCH_MS;
  }

  async #submit(row: PreparedRow, work: Work): Promise<ConfirmedClaim> {
    for (let now = row; ; now = await this.#readAgain(row, work)) {
      const { status, signature, paidLamports } = now;
      if (status === "confirmed" && signature !== null) {
        return { signature, paidLamports: paidLamports ?? 0n };
      }
      // Another server sends it. The next attempt finds the outcome, or leases a dead server's row.
      if (now !== row) {
        const { signal } = this.#resending;
        await sleep(this.options.store.clock, HELD_MS, signal);
        if (signal.aborted) throw new ChainUnavailableError("The server is stopping");
        now = await this.#readAgain(row, work);
      }
      try {
        return await this.#leaseAndSend(now, work);
      } catch (error) {
        if (error instanceof StartRefusedError && error.reason === "sponsor_spent") {
          throw new ExpiredError(row.kind, "Too many sponsored claims of the agent failed today");
        }
        if (!(error instanceof LeaseLostError)) throw error;
      }
    }
  }

  /** Reads a row that another server had. @throws {ExpiredError} if that one found it expired */
  async #readAgain({ id, kind }: PreparedRow, { onStored }: Work): Promise<PreparedRow> {
    const { prepared, clock } = this.options.store;
    const now = await prepared.read(id);
    if (now === null) {
      throw new ExpiredError(kind, "It was deleted: its agent has requested many others since");
    }
    if (now.status !== "prepared") onStored();
    else if (now.expiresAt <= clock.now()) throw new ExpiredError(kind);
    return now;
  }

  #leaseAndSend(row: PreparedRow, work: Work) {
    const { store, log, leaseMs } = this.options;
    const { clock, prepared } = store;
    const lease = new Lease(leaseMs);
    return lease.during(() => this.#sendAndRecord({ ...row, lease }, work), {
      clock,
      renew: () => prepared.renew(row.id, lease),
      onError: (error) => log.error({ row: row.id, err: error }, "lease not renewed"),
    });
  }

  async #sendAndRecord(
    row: PreparedRow & { readonly lease: Lease },
    { signed, limits, onStored }: Work,
  ): Promise<ConfirmedClaim> {
    const { store, chain, log, crashPoint, onTried } = this.options;
    const { kind, wallet, lastValidBlockHeight, tokenMint, eventId } = row;
    const handedOut = await handedOutOf(store, row);
    const journal = preparedJournal(store.prepared, row, limits, onStored);
    const bytes = { ...handedOut, ...signed, lastValidBlockHeight };
    const about = { wallet, ...(eventId === null ? { tokenMint } : { eventId }) };
    try {
      const landed = await chain.submit(bytes, journal, this.#resending.signal);
      await crashPoint?.(`${kind}.recording`);
      const at = store.clock.now();
      if (isPreparedLaunch(row)) {
        const launch = await store.launches.read(wallet, row.eventId);
        const hold = { id: row.id, leaseId: row.lease.id };
        if (launch) await store.launches.succeed(launch, hold, row.launch);
      } else if (isHandOver(row)) await store.handOvers.confirm(row, at);
      else await store.prepared.confirm(row, { ...landed, at });
      log.info(about, `${SIGNED_NAMES[kind]} confirmed`);
      if (kind === "claim") onTried?.("confirmed");
      return landed;
    } catch (error) {
      if (error instanceof LeaseLostError || error instanceof StartRefusedError) throw error;
      await this.#recordFailure(row, error, about);
      throw error;
    }
  }

  async #recordFailure(
    row: PreparedRow & { readonly lease: Lease },
    error: unknown,
    about: object,
  ): Promise<void> {
    const { id, kind, lease } = row;
    // Comes before the withdrawal: if that fails, the row is still submitted and is sent again.
    this.#resending.wakeIn(RETRY_MS);
    const { store, log, onTried } = this.options;
    const outcome = outcomeOf(error);
    if (kind === "claim") onTried?.(outcome);
    if (outcome === "put_off") await store.prepared.release(id, lease.id);
    else await this.#takeBack(row, error, outcome);
    const what =
      outcome === "put_off" ? "outcome unknown, will be sent again" : "refused or expired";
    log.warn({ ...about, err: error }, `${SIGNED_NAMES[kind]} ${what}`);
  }

  /** Records that a sent transaction moved nothing. */
  async #takeBack(
    row: PreparedRow & { readonly lease: Lease },
    error: unknown,
    outcome: SubmitOutcome,
  ): Promise<void> {
    const { launches, prepared, clock } = this.options.store;
    const hold = { id: row.id, leaseId: row.lease.id };
    if (isPreparedLaunch(row)) {
      if (!(error instanceof FailedLaunchError)) return launches.unsign(row.eventId, hold);
      const { message, agentLamports } = error;
      await launches.endPaid(row.eventId, hold, {
        status: "failed",
        error: message,
        agentLamports,
      });
      return;
    }
    const reason = outcome === "expired" ? "expired" : "refused";
    await prepared.withdraw(row.id, row.lease.id, { at: clock.now(), reason });
  }
}

interface Work {
  readonly signed: SignedBytes;
  readonly limits: SubmitLimits | undefined;
  readonly onStored: () => void;
}

export async function handedOutOf(
  store: Store,
  row: PreparedRow,
): Promise<Omit<HandedOut, "transaction">> {
  const { id, kind, wallet: agent, lastValidBlockHeight } = row;
  if (isPreparedLaunch(row)) {
    const order = await store.launches.read(agent, row.eventId);
    if (!order) throw new Error(`row ${id} has an unknown launch`);
    return { kind, agent, tokens: [row.launch], order, lastValidBlockHeight };
  }
  const mints = mintsOf(row);
  const found = await Promise.all(mints.map((mint) => store.tokens.findAny(mint)));
  const tokens = found.filter((token) => token !== null);
  if (tokens.length < mints.length) throw new Error(`row ${id} has an unknown token`);
  return { kind, agent, tokens, lastValidBlockHeight };
}

function outcomeOf(error: unknown): SubmitOutcome {
  if (error instanceof RefusedError || error instanceof FailedLaunchError) return "refused";
  if (error instanceof UnaffordableError) return "insufficient_sol";
  return error instanceof ExpiredError ? "expired" : "put_off";
}
