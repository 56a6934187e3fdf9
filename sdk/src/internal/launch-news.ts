import type { AgentEvent } from "@tokenctl/shared/types";
import { NotFoundError } from "../api-errors.ts";
import type { FollowHooks } from "./follow-events.ts";

/** Somebody who waits for one launch. */
export interface NewsFollower {
  /** Whether a stream is open, so that what happens is heard of. */
  readonly isLive: boolean;
  /** Resolves at the next news: of this launch, or that a stream has begun or ended. */
  next(): Promise<void>;
  stop(): void;
}

/**
 * What all waits of a client hear of their launches: over one stream, which is open while somebody waits.
 * It may fall silent at any time; whoever waits also polls.
 */
export class LaunchNews {
  readonly #follow: (hooks: FollowHooks) => AsyncIterable<AgentEvent>;
  readonly #followers = new Map<string, Set<() => void>>();
  #leaving: AbortController | null = null;
  #isLive = false;
  /** Whether the server has no events. */
  #isRefused = false;

  /** @param follow yields the events from now on */
  constructor(follow: (hooks: FollowHooks) => AsyncIterable<AgentEvent>) {
    this.#follow = follow;
  }

  /** Follows a launch. */
  follow(eventId: string): NewsFollower {
    let resolve = () => {};
    let news: Promise<void>;
    const renew = () => {
      news = new Promise((resolveNews) => {
        resolve = resolveNews;
      });
    };
    renew();
    const tell = () => {
      resolve();
      renew();
    };
    const followers = this.#followers.get(eventId) ?? new Set();
    this.#followers.set(eventId, followers.add(tell));
    if (!this.#leaving && !this.#isRefused) void this.#listen();
    const isLive = () => this.#isLive;
    return {
      get isLive() {
        return isLive();
      },
      next: () => news,
      stop: () => {
        followers.delete(tell);
        if (followers.size === 0 && this.#followers.get(eventId) === followers) {
          this.#followers.delete(eventId);
        }
        if (this.#followers.size > 0) return;
        this.#isLive = false;
        this.#leaving?.abort();
      },
    };
  }

  /** Never throws. */
  async #listen(): Promise<void> {
    const leaving = new AbortController();
    this.#leaving = leaving;
    const change = (isLive: boolean) => {
      if (this.#leaving !== leaving || this.#isLive === isLive) return;
      this.#isLive = isLive;
      this.#tellAll();
    };
    const { signal } = leaving;
    try {
      const hooks = { signal, onOpen: () => change(true), onLost: () => change(false) };
      for await (const { data } of this.#follow(hooks)) this.#tell(data.eventId);
    } catch (error) {
      // Polls go on. An older server is not asked again; one without room for a stream is by the next wait.
      this.#isRefused = error instanceof NotFoundError;
    } finally {
      change(false);
      if (this.#leaving === leaving) this.#leaving = null;
    }
    // Somebody came while the last one left.
    if (signal.aborted && this.#followers.size > 0 && !this.#leaving) void this.#listen();
  }

  #tell(eventId: string): void {
    for (const tell of this.#followers.get(eventId) ?? []) tell();
  }

  #tellAll(): void {
    for (const eventId of this.#followers.keys()) this.#tell(eventId);
  }
}
