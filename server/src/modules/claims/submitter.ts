import type { Logger } from "pino";
import { type CrashPoint, noCrashPoint } from "../../launchpad/crash-point.ts";
import {
  ChainUnavailableError,
  ClaimExpiredError,
  ClaimRefusedError,
  InsufficientSolError,
} from "../../launchpad/errors.ts";
import type { ConfirmedClaim, Launchpad, TokenRef } from "../../launchpad/launchpad.ts";
import type { ClaimLease, ClaimRow, SubmitOutcome } from "../../store/claim-store.ts";
import type { Store } from "../../store/store.ts";

/** Milliseconds from a failure until the claims with an unknown outcome are sent again. */
const RETRY_MS = 5_000;

/** Milliseconds between two searches for claims that another server left behind. */
const SEARCH_MS = 10_000;

/** How long a lease of a claim lasts, in milliseconds; it is renewed while the claim is in flight. */
const LEASE_MS = 60_000;

/** Milliseconds after which a claim that another server sends is looked at again. */
const HELD_MS = 500;

export interface ClaimSubmitterOptions {
  readonly store: Pick<Store, "claims" | "tokens" | "clock" | "isShared">;
  readonly chain: Pick<Launchpad, "submitClaim">;
  readonly log: Logger;
  readonly crashPoint?: CrashPoint;
  /** How long a lease lasts, in milliseconds; tests shorten it. */
  readonly leaseMs?: number;
}

/** A claim that this server holds, with the bytes to send. */
type LeasedClaim = Extract<SubmitOutcome, { readonly kind: "leased" }>;

/**
 * Submits signed claims: leases and stores each before it is first sent, sends it, and records what it
 * paid. If a crash or an RPC error leaves an outcome unknown, {@link resume} sends the claim again.
 */
export class ClaimSubmitter {
  readonly #store: ClaimSubmitterOptions["store"];
  readonly #chain: ClaimSubmitterOptions["chain"];
  readonly #log: Logger;
  readonly #crashPoint: CrashPoint;
  readonly #leaseMs: number;
  readonly #stop = new AbortController();
  /** Claims in flight, by row id, so that two requests with the same claim share one submission. */
  readonly #inFlight = new Map<number, Promise<ConfirmedClaim>>();
  /** Leases, by row id, that are over but could not be given back. */
  readonly #unreleased = new Map<number, string>();
  #reading: Promise<void> | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor({
    store,
    chain,
    log,
    crashPoint = noCrashPoint,
    leaseMs = LEASE_MS,
  }: ClaimSubmitterOptions) {
    this.#store = store;
    this.#chain = chain;
    this.#log = log;
    this.#crashPoint = crashPoint;
    this.#leaseMs = leaseMs;
  }

  /** Frees the leases of an earlier process, and sends its claims with an unknown outcome again. */
  async start(): Promise<void> {
    await this.#store.claims.recover();
    this.resume();
  }

  /**
   * Sends a claim, or returns the outcome of the same claim if that is in flight or confirmed, at this
   * server or another. Bytes that were sent before are sent again unchanged: a second signature of the
   * same message would replace the first in the store, and the outcome of the first could not be found.
   *
   * @param maxAtRisk of a sponsored claim; see `ClaimStore.submit`
   */
  submit(
    claim: ClaimRow,
    signature: string,
    transaction: Uint8Array,
    maxAtRisk?: number,
  ): Promise<ConfirmedClaim> {
    if (claim.status === "confirmed" && claim.signature !== null && claim.paidLamports !== null) {
      return Promise.resolve({ signature: claim.signature, paidLamports: claim.paidLamports });
    }
    const inFlight = this.#inFlight.get(claim.id);
    if (inFlight) return inFlight;
    const submission = this.#leaseAndSend(claim, signature, transaction, maxAtRisk).finally(() => {
      this.#inFlight.delete(claim.id);
    });
    this.#inFlight.set(claim.id, submission);
    return submission;
  }

  /**
   * Sends all claims with an unknown outcome that no server holds, and again after each failure; on a
   * shared database also again and again.
   */
  resume(): void {
    clearTimeout(this.#timer);
    this.#reading ??= this.#readUnsettled().finally(() => {
      this.#reading = null;
    });
  }

  /** Cancels the claims in flight and waits for them to end. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#stop.abort();
    await this.#reading;
    await Promise.allSettled(this.#inFlight.values());
  }

  /** Never throws. */
  async #readUnsettled(): Promise<void> {
    try {
      await this.#releaseAgain();
      const claims = await this.#store.claims.unsettled();
      if (this.#stop.signal.aborted) return;
      for (const claim of claims) {
        if (claim.signature === null || claim.transaction === null) continue;
        // The store gets the outcome. Whatever failed, also a write to the store, is tried again.
        this.submit(claim, claim.signature, claim.transaction).catch(() => this.#resumeLater());
      }
      if (this.#store.isShared) this.#resumeLater(SEARCH_MS);
    } catch (error) {
      this.#log.error({ err: error }, "claims with an unknown outcome could not be read");
      this.#resumeLater();
    }
  }

  async #releaseAgain(): Promise<void> {
    for (const [id, leaseId] of this.#unreleased) {
      await this.#store.claims.release(id, leaseId);
      this.#unreleased.delete(id);
    }
  }

  async #leaseAndSend(
    claim: ClaimRow,
    signature: string,
    transaction: Uint8Array,
    maxAtRisk?: number,
  ): Promise<ConfirmedClaim> {
    const tokens = await this.#tokensOf(claim);
    await this.#crashPoint("claim.accepted");
    const lease = { id: crypto.randomUUID(), ms: this.#leaseMs };
    for (;;) {
      const outcome = await this.#store.claims.submit(
        claim.id,
        lease,
        signature,
        transaction,
        maxAtRisk,
      );
      if (outcome.kind === "leased") return this.#sendAndRecord(claim, tokens, lease, outcome);
      if (outcome.kind === "confirmed") {
        return { signature: outcome.signature, paidLamports: outcome.paidLamports };
      }
      if (outcome.kind === "sponsor_spent") {
        throw new ClaimExpiredError("Too many sponsored claims of the agent failed today");
      }
      if (outcome.kind === "gone") {
        throw new ClaimExpiredError(
          "The claim was deleted: its agent has requested many others since",
        );
      }
      // Asked again, this server gets the other's outcome, or the lease of one that has died.
      await this.#pause(HELD_MS);
    }
  }

  #tokensOf({ id, tokenMint, otherMints }: ClaimRow): Promise<TokenRef[]> {
    return Promise.all(
      [tokenMint, ...otherMints].map(async (mint) => {
        const token = await this.#store.tokens.findAny(mint);
        if (!token) throw new Error(`claim ${id} has an unknown token`);
        return token;
      }),
    );
  }

  async #sendAndRecord(
    claim: ClaimRow,
    tokens: readonly TokenRef[],
    lease: ClaimLease,
    { signature, transaction, mayBeUnderWay }: LeasedClaim,
  ): Promise<ConfirmedClaim> {
    const renewal = setInterval(() => void this.#renew(claim, lease), lease.ms / 3);
    try {
      const confirmed = await this.#chain.submitClaim(
        {
          agent: claim.wallet,
          tokens,
          signature,
          transaction,
          lastValidBlockHeight: claim.lastValidBlockHeight,
          mayBeUnderWay,
        },
        this.#stop.signal,
      );
      await this.#crashPoint("claim.recording");
      const { claims, clock } = this.#store;
      await claims.confirm(claim, {
        signature: confirmed.signature,
        lamports: confirmed.paidLamports,
        ...(confirmed.payouts && { payouts: confirmed.payouts }),
        at: clock.now(),
      });
      this.#log.info({ wallet: claim.wallet, tokenMint: claim.tokenMint }, "claim confirmed");
      return confirmed;
    } catch (error) {
      await this.#recordFailure(claim, lease, error);
      throw error;
    } finally {
      clearInterval(renewal);
    }
  }

  /** Never throws. */
  async #renew({ id }: ClaimRow, lease: ClaimLease): Promise<void> {
    try {
      await this.#store.claims.renew(id, lease);
    } catch (error) {
      this.#log.error({ claim: id, err: error }, "lease of a claim not renewed");
    }
  }

  async #recordFailure({ id, ...claim }: ClaimRow, lease: ClaimLease, error: unknown) {
    // Also before `withdraw`: if that fails, the claim is still submitted and is sent again.
    this.#resumeLater();
    this.#unreleased.set(id, lease.id);
    const { claims, clock } = this.#store;
    const cannotPay = error instanceof InsufficientSolError;
    const isFinal =
      cannotPay || error instanceof ClaimRefusedError || error instanceof ClaimExpiredError;
    const reason = error instanceof ClaimExpiredError ? "expired" : "refused";
    if (isFinal) await claims.withdraw(id, lease.id, clock.now(), reason);
    else await claims.release(id, lease.id);
    this.#unreleased.delete(id);
    const about = { wallet: claim.wallet, tokenMint: claim.tokenMint };
    // At `info`: the agent must act, and the operator has nothing to do.
    if (cannotPay) this.#log.info(about, "claim refused: its wallet cannot pay");
    else {
      const text = isFinal
        ? "claim refused or expired"
        : "claim outcome unknown, will be sent again";
      this.#log.warn({ ...about, err: error }, text);
    }
  }

  #resumeLater(delayMs = RETRY_MS): void {
    if (this.#stop.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.resume(), delayMs);
  }

  /** @throws {ChainUnavailableError} the server stops */
  async #pause(milliseconds: number): Promise<void> {
    const { signal } = this.#stop;
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = () => resolve();
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener("abort", end);
    if (!signal.aborted) await promise;
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
    if (signal.aborted) throw new ChainUnavailableError("The server is stopping");
  }
}
