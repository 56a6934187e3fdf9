import { join } from "node:path";
import { ServiceError } from "../../base/service-error.ts";
import type { CardFacts, IconFacts } from "./card.ts";
import type { CleanImage } from "./sanitize.ts";

export type Decoded = { readonly image: CleanImage } | { readonly refusal: string };

export type ImageWork = Uint8Array | CardFacts | IconFacts;

export const TOO_LONG = 75;

const NEVER = new AbortController().signal;

/** A compiled program has no files beside it: it starts itself with an argument of `main.ts`. */
const COMMAND = Bun.isStandaloneExecutable
  ? [process.execPath, "decode-images"]
  : [process.execPath, join(import.meta.dir, "decoder-process.ts")];

/** The slowest images that agents make take half a second. */
const CPU_MS = 2_000;
const IDLE_MS = 60_000;
/** For a process that gets no CPU time on a busy machine: otherwise it limits itself. */
const ANSWER_WITHIN_MS = 30_000;
const BUSY_RETRY_SECONDS = 5;

/** The current image: its process, and the receiver of its outcome, null if it was given up. */
interface Work {
  readonly child: Bun.Subprocess;
  settle(decoded: Decoded | null): void;
}

/**
 * Decodes in a separate process: nothing could stop a native decoder in a thread. The process has
 * none of the server's secrets, and an image that crashes it does not stop the server.
 */
export class ImageDecoder {
  #child: Bun.Subprocess | null = null;
  #work: Work | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly cpuMs = CPU_MS) {}

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** One at a time: pixels take up to 64 MiB. @throws {ServiceError} image_refused, uploads_busy */
  make(work: ImageWork, signal = NEVER): Promise<CleanImage> {
    const done = this.#turn.then(() => this.#done(work, signal));
    this.#turn = done.catch(() => {});
    return done;
  }

  stop(): void {
    clearTimeout(this.#idle);
    const child = this.#child;
    this.#child = null;
    if (child !== null && this.#work?.child === child) this.#work.settle(null);
    child?.kill("SIGKILL");
  }

  async #done(work: ImageWork, signal: AbortSignal): Promise<CleanImage> {
    if (signal.aborted) throw givenUp();
    clearTimeout(this.#idle);
    const stop = () => this.stop();
    const late = setTimeout(stop, ANSWER_WITHIN_MS);
    signal.addEventListener("abort", stop);
    try {
      const decoded = await this.#decoded(work);
      if (decoded === null) throw givenUp();
      if ("image" in decoded) return decoded.image;
      throw new ServiceError("image_refused", { text: decoded.refusal });
    } finally {
      signal.removeEventListener("abort", stop);
      clearTimeout(late);
      this.#idle = setTimeout(stop, IDLE_MS).unref();
    }
  }

  #decoded(work: ImageWork): Promise<Decoded | null> {
    const { promise, resolve } = Promise.withResolvers<Decoded | null>();
    this.#child ??= this.#start();
    this.#work = { child: this.#child, settle: resolve };
    this.#child.send(work);
    return promise;
  }

  #start(): Bun.Subprocess {
    const tooLong = `The image takes more than ${this.cpuMs / 1_000} s to decode; save it again with an image editor`;
    const child = Bun.spawn([...COMMAND, String(this.cpuMs)], {
      env: {},
      stdio: ["ignore", "ignore", "inherit"],
      serialization: "advanced",
      ipc: (decoded: Decoded, from) => this.#settle(from, decoded),
      onExit: (ended, exitCode, signalCode) => {
        if (this.#child === ended) this.#child = null;
        if (exitCode === TOO_LONG) this.#settle(ended, { refusal: tooLong });
        else if (signalCode !== null) this.#settle(ended, { refusal: CRASHED });
        // It could not start, and has printed why.
        else this.#settle(ended, null);
      },
    });
    child.unref();
    return child;
  }

  /** Ignores a process that was already ended: another process has the current image. */
  #settle(child: Bun.Subprocess, decoded: Decoded | null): void {
    if (this.#work?.child === child) this.#work.settle(decoded);
  }
}

const CRASHED = "The image cannot be decoded: it crashes the decoder";

const givenUp = () => new ServiceError("uploads_busy", { retryAfterSeconds: BUSY_RETRY_SECONDS });
