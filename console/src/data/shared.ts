import type { TokenctlClient } from "@tokenctl/sdk";
import { useEffect, useState } from "preact/hooks";

/** A value of the whole page. {@link useShared} renders a component again when it changes. */
export class Shared<T> {
  readonly #followers = new Set<() => void>();
  #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    if (value === this.#value) return;
    this.#value = value;
    for (const follower of this.#followers) follower();
  }

  /** Returns a function that stops following. */
  follow(follower: () => void): () => void {
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }
}

/** Asks the person one question at a time; the value is null while there is no question. */
export class Asking<T> extends Shared<(T & { readonly answer: (yes: boolean) => void }) | null> {
  #last: Promise<unknown> = Promise.resolve();

  constructor() {
    super(null);
  }

  ask(asked: T): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    void this.#last.then(() => this.set({ ...asked, answer: resolve }));
    this.#last = promise.then(() => this.set(null));
    return promise;
  }
}

export function useShared<T>(shared: Shared<T>): T {
  const [value, setValue] = useState(() => shared.value);
  useEffect(() => {
    const read = () => setValue(() => shared.value);
    read();
    return shared.follow(read);
  }, [shared]);
  return value;
}

export type Network = "sandbox" | "mainnet-beta" | "devnet" | "testnet" | "localnet" | "private";

export interface Session {
  readonly client: TokenctlClient;
  readonly address: string;
  readonly walletName: string;
  readonly network: Network;
  readonly isSandbox: boolean;
  /** Asks the wallet to sign in. Call it only on a click. */
  readonly signIn: () => Promise<void>;
}

/** The browser's key for the access token and the wallet's name; never for a secret key. */
export const KEPT_SESSION = "tokend.session";

/** The page's session; null without one, undefined until the browser's storage has been read. */
export const currentSession = new Shared<Session | null | undefined>(undefined);

export const hasEnded = new Shared(false);

/** The account that the wallet shows, if it is not the session's; otherwise null. */
export const otherAccount = new Shared<string | null>(null);

export const signInAsked = new Shared(false);

export const mayHaveSession = () => stored(KEPT_SESSION) !== null;

/** Returns a text of the browser's storage; null if there is none, or if storage is blocked. */
export function stored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Stores a text, or removes it. A page whose storage is blocked or full knows it until a reload. */
export function store(key: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {}
}

/** Thrown if a call needs a new sign-in, which only a click may start. */
export class SessionEnded extends Error {
  override readonly name = "SessionEnded";

  constructor() {
    super("Your session has ended. Sign in to continue");
  }
}
