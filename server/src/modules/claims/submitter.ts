import type { Logger } from "pino";
import { sleep } from "../../base/clock.ts";
import { Lease } from "../../base/lease.ts";
import { Repeating } from "../../base/repeating.ts";
import type { ConfirmedClaim } from "../../domain/claim.ts";
import { LeaseLostError, type SignedTransaction, SponsorSpentError } from "../../domain/journal.ts";
import type { TokenRef } from "../../domain/token.ts";
import type { CrashPoint } from "../../launchpad/crash-point.ts";
import {
  ChainUnavailableError,
  ClaimExpiredError,
  ClaimRefusedError,
  InsufficientSolError,
} from "../../launchpad/errors.ts";
import type { Launchpad } from "../../launchpad/launchpad.ts";
import { type ClaimRow, claimJournal } from "../../store/claims.ts";
import { isHandOver } from "../../store/hand-overs.ts";
import type { Store } from "../../store/store.ts";

const RETRY_MS = 5_000;

/** Milliseconds between two searches for claims that another server left behind. */
const SEARCH_MS = 10_000;

/** Milliseconds after which a claim that another server sends is looked at again. */
const HELD_MS = 500;

export interface ClaimSubmitterOptions {
  readonly store: Pick<Store, "claims" | "handOvers" | "tokens" | "clock" | "isShared">;
  readonly chain: Pick<Launchpad, "submitClaim" | "submitHandOver">;
  readonly log: Logger;
  readonly crashPoint?: CrashPoint | undefined;
  readonly leaseMs?: number | undefined;
  readonly onTried?: ((outcome: ClaimOutcome, paidLamports: bigint) => void) | undefined;
}

/** A claim's bytes with all their signatures, and what names them on the chain. */
type SignedBytes = Pick<SignedTransaction, "signature" | "transaction">;

type ClaimOutcome = "confirmed" | "refused" | "insufficient_sol" | "expired" | "put_off";

/**
 * Submits signed claims and hand-overs: leases and stores each before it is first sent, sends it, and records what it
 * paid. If a crash or an RPC error leaves an outcome unknown, the claim is sent again later.
 */
export class ClaimSubmitter {
  readonly #resending: Repeating;
  /** Claims in flight, by row id, so that two requests with the same claim share one submission. */
  readonly #inFlight = new Map<number, Promise<ConfirmedClaim>>();
  /** Leases, by row id, that are over but could not be given back. */
  readonly #unreleased = new Map<number, string>();

  constructor(private readonly options: ClaimSubmitterOptions) {
    const { store, log } = options;
    this.#resending = new Repeating({
      clock: store.clock,
      run: () => this.#resend(),
      onError: (error) =>
        log.error({ err: error }, "claims with an unknown outcome could not be read"),
      retryMs: [RETRY_MS, RETRY_MS],
    });
  }

  /** Frees the leases of an earlier process, and sends its claims with an unknown outcome again. */
  async start(): Promise<void> {
    await this.options.store.claims.recover();
    this.#resending.start();
  }

  /**
   * Sends a claim, or returns its outcome if it is in flight or confirmed, anywhere. Bytes that
   * were sent are sent unchanged: the first of two signatures could not be found any more.
   */
  submit(claim: ClaimRow, signed: SignedBytes, maxAtRisk?: number): Promise<ConfirmedClaim> {
    const inFlight = this.#inFlight.get(claim.id);
    if (inFlight) return inFlight;
    const submission = this.#submit(claim, signed, maxAtRisk).finally(() => {
      this.#inFlight.delete(claim.id);
    });
    this.#inFlight.set(claim.id, submission);
    return submission;
  }

  async stop(): Promise<void> {
    await this.#resending.stop();
    await Promise.allSettled(this.#inFlight.values());
  }

  /** Sends all claims with an unknown outcome that no server holds. @returns milliseconds until the next time */
  async #resend(): Promise<number> {
    const { claims, isShared } = this.options.store;
    for (const [id, leaseId] of this.#unreleased) {
      await claims.release(id, leaseId);
      this.#unreleased.delete(id);
    }
    for (const claim of await claims.unsettled()) {
      const { signature, transaction } = claim;
      if (signature === null || transaction === null) continue;
      if (this.#resending.signal.aborted) break;
      // The store gets the outcome. Whatever failed, also a write to the store, is tried again.
      this.submit(claim, { signature, transaction }).catch(() => {
        this.#resending.wakeIn(RETRY_MS);
      });
    }
    return isShared ? SEARCH_MS : Number.POSITIVE_INFINITY;
  }

  async #submit(claim: ClaimRow, signed: SignedBytes, maxAtRisk?: number): Promise<ConfirmedClaim> {
    for (let now: ClaimRow | null = claim; ; ) {
      if (now.status === "confirmed" && now.signature !== null && now.paidLamports !== null) {
        return { signature: now.signature, paidLamports: now.paidLamports };
      }
      // Another server sends it. Asked again, this one gets the outcome, or the lease of one that has died.
      if (now !== claim) await this.#waitForHolder();
      try {
        return await this.#leaseAndSend(now, signed, maxAtRisk);
      } catch (error) {
        if (error instanceof SponsorSpentError) {
          throw new ClaimExpiredError("Too many sponsored claims of the agent failed today");
        }
        if (!(error instanceof LeaseLostError)) throw error;
      }
      now = await this.options.store.claims.read(claim.id);
      if (now === null) {
        throw new ClaimExpiredError(
          "The claim was deleted: its agent has requested many others since",
        );
      }
    }
  }

  /** @throws {ChainUnavailableError} the server stops */
  async #waitForHolder(): Promise<void> {
    const { signal } = this.#resending;
    await sleep(this.options.store.clock, HELD_MS, signal);
    if (signal.aborted) throw new ChainUnavailableError("The server is stopping");
  }

  #leaseAndSend(claim: ClaimRow, signed: SignedBytes, maxAtRisk?: number) {
    const { store, log, leaseMs } = this.options;
    const { clock, claims } = store;
    const lease = new Lease(leaseMs);
    return lease.during(() => this.#sendAndRecord({ ...claim, lease }, signed, maxAtRisk), {
      clock,
      renew: () => claims.renew(claim.id, lease),
      onError: (error) =>
        log.error({ claim: claim.id, err: error }, "lease of a claim not renewed"),
    });
  }

  #tokensOf({ id, tokenMint, otherMints }: ClaimRow): Promise<TokenRef[]> {
    return Promise.all(
      [tokenMint, ...otherMints].map(async (mint) => {
        const token = await this.options.store.tokens.findAny(mint);
        if (!token) throw new Error(`claim ${id} has an unknown token`);
        return token;
      }),
    );
  }

  async #sendAndRecord(
    claim: ClaimRow & { readonly lease: Lease },
    signed: SignedBytes,
    maxAtRisk?: number,
  ): Promise<ConfirmedClaim> {
    const { store, chain, log, crashPoint, onTried } = this.options;
    const { claims, handOvers, clock } = store;
    const { wallet, tokenMint, lastValidBlockHeight } = claim;
    const tokens = await this.#tokensOf(claim);
    const journal = claimJournal(claims, claim, maxAtRisk);
    const { signal } = this.#resending;
    const bytes = { agent: wallet, ...signed, lastValidBlockHeight };
    const about = { wallet, tokenMint };
    try {
      if (isHandOver(claim)) {
        const [token] = tokens as [TokenRef];
        const landed = await chain.submitHandOver({ ...bytes, token }, journal, signal);
        await crashPoint?.("handOver.recording");
        await handOvers.confirm(claim, clock.now());
        log.info(about, "hand-over confirmed");
        return { ...landed, paidLamports: 0n };
      }
      const confirmed = await chain.submitClaim({ ...bytes, tokens }, journal, signal);
      await crashPoint?.("claim.recording");
      await claims.confirm(claim, { ...confirmed, at: clock.now() });
      const amounts = confirmed.payouts.flatMap((paid) => [paid.bondingCurve, paid.liquidityPool]);
      const unknown = amounts.reduce((rest, part) => rest - part, confirmed.paidLamports);
      log.info(about, "claim confirmed");
      if (unknown !== 0n) {
        const lamports = unknown.toString();
        log.warn({ ...about, lamports }, "a vault of none of its tokens paid part of a claim");
      }
      onTried?.("confirmed", confirmed.paidLamports);
      return confirmed;
    } catch (error) {
      if (error instanceof LeaseLostError || error instanceof SponsorSpentError) throw error;
      await this.#recordFailure(claim, claim.lease, error);
      throw error;
    }
  }

  async #recordFailure({ id, ...claim }: ClaimRow, lease: Lease, error: unknown) {
    // Also before `withdraw`: if that fails, the claim is still submitted and is sent again.
    this.#resending.wakeIn(RETRY_MS);
    this.#unreleased.set(id, lease.id);
    const { store, log, onTried } = this.options;
    const { claims, clock } = store;
    const outcome = outcomeOf(error);
    if (claim.handedTo === null) onTried?.(outcome, 0n);
    if (outcome === "put_off") await claims.release(id, lease.id);
    else {
      const reason = outcome === "expired" ? "expired" : "refused";
      await claims.withdraw(id, lease.id, { at: clock.now(), reason });
    }
    this.#unreleased.delete(id);
    const about = { wallet: claim.wallet, tokenMint: claim.tokenMint };
    const name = claim.handedTo === null ? "claim" : "hand-over";
    // At `info`: the agent must act, and the operator has nothing to do.
    if (outcome === "insufficient_sol") {
      log.info(about, `${name} refused: its wallet cannot pay`);
      return;
    }
    const isOpen = outcome === "put_off";
    const what = isOpen ? "outcome unknown, will be sent again" : "refused or expired";
    log.warn({ ...about, err: error }, `${name} ${what}`);
  }
}

function outcomeOf(error: unknown): ClaimOutcome {
  if (error instanceof ClaimRefusedError) return "refused";
  if (error instanceof InsufficientSolError) return "insufficient_sol";
  return error instanceof ClaimExpiredError ? "expired" : "put_off";
}
