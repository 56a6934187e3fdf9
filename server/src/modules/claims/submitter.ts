import type { Logger } from "pino";
import type { Clock } from "../../base/clock.ts";
import { type Checkpoint, noCheckpoint } from "../../launchpad/checkpoint.ts";
import {
  ClaimExpiredError,
  ClaimRefusedError,
  InsufficientSolError,
} from "../../launchpad/errors.ts";
import type { ConfirmedClaim, Launchpad } from "../../launchpad/launchpad.ts";
import type { ClaimRow, ClaimStore } from "../../store/claims.ts";
import type { TokenStore } from "../../store/tokens.ts";

/** How long after a failure the claims whose outcome is open are looked at again, in milliseconds. */
const RETRY_MS = 5_000;

/**
 * Sees signed claims through: stores them before they are sent, sends them, and records what they
 * paid. What a crash or the chain's silence left open is taken up again by {@link resume}.
 */
export class ClaimSubmitter {
  readonly #store: ClaimStore;
  readonly #tokens: TokenStore;
  readonly #launchpad: Launchpad;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #checkpoint: Checkpoint;
  readonly #stop = new AbortController();
  /** Claims on their way, by row id: the same claim sent twice at once is one. */
  readonly #running = new Map<number, Promise<ConfirmedClaim>>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    store: ClaimStore,
    tokens: TokenStore,
    launchpad: Launchpad,
    clock: Clock,
    log: Logger,
    checkpoint: Checkpoint = noCheckpoint,
  ) {
    this.#store = store;
    this.#tokens = tokens;
    this.#launchpad = launchpad;
    this.#clock = clock;
    this.#log = log;
    this.#checkpoint = checkpoint;
  }

  /**
   * Sends a claim, or joins it where it is on its way or done already. What was sent before is sent
   * again as it was: a second signature for the same message would hide what became of the first.
   */
  submit(claim: ClaimRow, signature: string, transaction: Uint8Array): Promise<ConfirmedClaim> {
    if (claim.status === "confirmed" && claim.signature !== null && claim.paidLamports !== null) {
      return Promise.resolve({ signature: claim.signature, paidLamports: claim.paidLamports });
    }
    const running = this.#running.get(claim.id);
    if (running) return running;
    const submission = this.#run(
      claim,
      claim.signature ?? signature,
      claim.transaction ?? transaction,
    ).finally(() => {
      this.#running.delete(claim.id);
    });
    this.#running.set(claim.id, submission);
    return submission;
  }

  /** Takes up all claims whose outcome is open, and again later while the chain cannot be reached. */
  resume(): void {
    clearTimeout(this.#timer);
    try {
      for (const claim of this.#store.submitted()) {
        if (claim.signature === null || claim.transaction === null) continue;
        // The outcome is in the store or, for what stays open, in the log; nobody waits for it here.
        this.submit(claim, claim.signature, claim.transaction).catch(() => {});
      }
    } catch (error) {
      this.#log.error({ err: error }, "open claims could not be read");
      this.#resumeLater();
    }
  }

  /** Stops sending and waits for what is under way to come to rest. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#stop.abort();
    await Promise.allSettled(this.#running.values());
  }

  async #run(claim: ClaimRow, signature: string, transaction: Uint8Array): Promise<ConfirmedClaim> {
    const token = this.#tokens.findAny(claim.tokenMint);
    if (!token) throw new Error(`claim ${claim.id} is of an unknown token`);
    await this.#checkpoint("claim.accepted");
    if (!this.#store.submit(claim.id, signature, transaction)) {
      throw new ClaimExpiredError("The claim was forgotten: its agent asked for many others since");
    }
    try {
      const confirmed = await this.#launchpad.submitClaim(
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
      await this.#checkpoint("claim.recording");
      this.#store.confirm(claim, confirmed.paidLamports, this.#clock.now());
      this.#log.info({ wallet: claim.wallet, tokenMint: claim.tokenMint }, "claim confirmed");
      return confirmed;
    } catch (fault) {
      this.#recordFault(claim, fault);
      throw fault;
    }
  }

  #recordFault(claim: ClaimRow, fault: unknown): void {
    // Whatever is still submitted then is looked at again; after a withdrawal this one is not.
    this.#resumeLater();
    const isShort = fault instanceof InsufficientSolError;
    const isOver =
      isShort || fault instanceof ClaimRefusedError || fault instanceof ClaimExpiredError;
    if (isOver) this.#store.withdraw(claim.id, this.#clock.now());
    const about = { wallet: claim.wallet, tokenMint: claim.tokenMint };
    // The agent's to mend: nothing that the operator should look at.
    if (isShort) this.#log.info(about, "claim refused: its wallet cannot pay");
    else {
      const text = isOver ? "claim refused or expired" : "claim open";
      this.#log.warn({ ...about, err: fault }, text);
    }
  }

  #resumeLater(): void {
    if (this.#stop.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.resume(), RETRY_MS);
  }
}
