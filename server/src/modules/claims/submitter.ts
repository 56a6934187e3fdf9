import type { Logger } from "pino";
import type { Clock } from "../../base/clock.ts";
import { type CrashPoint, noCrashPoint } from "../../launchpad/crash-point.ts";
import {
  ClaimExpiredError,
  ClaimRefusedError,
  InsufficientSolError,
} from "../../launchpad/errors.ts";
import type { ConfirmedClaim, Launchpad } from "../../launchpad/launchpad.ts";
import type { ClaimRow, ClaimStore } from "../../store/claims.ts";
import type { TokenStore } from "../../store/tokens.ts";

/** Milliseconds from a failure until the claims with an unknown outcome are sent again. */
const RETRY_MS = 5_000;

type Claims = Pick<ClaimStore, "submit" | "confirm" | "withdraw" | "submitted">;
type Tokens = Pick<TokenStore, "findAny">;
type Chain = Pick<Launchpad, "submitClaim">;

/**
 * Submits signed claims: stores each before it is first sent, sends it, and records what it paid.
 * If a crash or an RPC error leaves an outcome unknown, {@link resume} sends the claim again.
 */
export class ClaimSubmitter {
  readonly #claims: Claims;
  readonly #tokens: Tokens;
  readonly #chain: Chain;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #crashPoint: CrashPoint;
  readonly #stop = new AbortController();
  /** Claims in flight, by row id, so that two requests with the same claim share one submission. */
  readonly #inFlight = new Map<number, Promise<ConfirmedClaim>>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    claims: Claims,
    tokens: Tokens,
    chain: Chain,
    clock: Clock,
    log: Logger,
    crashPoint: CrashPoint = noCrashPoint,
  ) {
    this.#claims = claims;
    this.#tokens = tokens;
    this.#chain = chain;
    this.#clock = clock;
    this.#log = log;
    this.#crashPoint = crashPoint;
  }

  /**
   * Sends a claim, or returns the outcome of the same claim if that is in flight or confirmed. Bytes
   * that were sent before are sent again unchanged: a second signature of the same message would
   * replace the first in the store, and the outcome of the first could not be found.
   */
  submit(claim: ClaimRow, signature: string, transaction: Uint8Array): Promise<ConfirmedClaim> {
    if (claim.status === "confirmed" && claim.signature !== null && claim.paidLamports !== null) {
      return Promise.resolve({ signature: claim.signature, paidLamports: claim.paidLamports });
    }
    const inFlight = this.#inFlight.get(claim.id);
    if (inFlight) return inFlight;
    const submission = this.#sendAndRecord(
      claim,
      claim.signature ?? signature,
      claim.transaction ?? transaction,
    ).finally(() => {
      this.#inFlight.delete(claim.id);
    });
    this.#inFlight.set(claim.id, submission);
    return submission;
  }

  /** Sends all claims with an unknown outcome again, and again after each failure. */
  resume(): void {
    clearTimeout(this.#timer);
    try {
      for (const claim of this.#claims.submitted()) {
        if (claim.signature === null || claim.transaction === null) continue;
        // The store gets the outcome. Whatever failed, also a write to the store, is tried again.
        this.submit(claim, claim.signature, claim.transaction).catch(() => this.#resumeLater());
      }
    } catch (error) {
      this.#log.error({ err: error }, "claims with an unknown outcome could not be read");
      this.#resumeLater();
    }
  }

  /** Cancels the claims in flight and waits for them to end. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#stop.abort();
    await Promise.allSettled(this.#inFlight.values());
  }

  async #sendAndRecord(
    claim: ClaimRow,
    signature: string,
    transaction: Uint8Array,
  ): Promise<ConfirmedClaim> {
    const token = this.#tokens.findAny(claim.tokenMint);
    if (!token) throw new Error(`claim ${claim.id} has an unknown token`);
    await this.#crashPoint("claim.accepted");
    if (!this.#claims.submit(claim.id, signature, transaction)) {
      throw new ClaimExpiredError(
        "The claim was deleted: its agent has requested many others since",
      );
    }
    try {
      const confirmed = await this.#chain.submitClaim(
        {
          agent: claim.wallet,
          token,
          signature,
          transaction,
          lastValidBlockHeight: claim.lastValidBlockHeight,
          mayBeUnderWay: claim.status === "submitted",
        },
        this.#stop.signal,
      );
      await this.#crashPoint("claim.recording");
      this.#claims.confirm(claim, confirmed.paidLamports, this.#clock.now());
      this.#log.info({ wallet: claim.wallet, tokenMint: claim.tokenMint }, "claim confirmed");
      return confirmed;
    } catch (error) {
      this.#recordFailure(claim, error);
      throw error;
    }
  }

  #recordFailure(claim: ClaimRow, error: unknown): void {
    // Also before `withdraw`: if that fails, the claim is still submitted and is sent again.
    this.#resumeLater();
    const cannotPay = error instanceof InsufficientSolError;
    const isFinal =
      cannotPay || error instanceof ClaimRefusedError || error instanceof ClaimExpiredError;
    if (isFinal) this.#claims.withdraw(claim.id, this.#clock.now());
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

  #resumeLater(): void {
    if (this.#stop.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.resume(), RETRY_MS);
  }
}
