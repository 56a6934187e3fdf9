import type { TokenctlClient } from "@tokenctl/sdk";
import type { Network } from "./network.ts";
import { Shared } from "./shared.ts";

/** A wallet that has signed in, and the client that acts for it. */
export interface Session {
  readonly client: TokenctlClient;
  readonly address: string;
  /** The wallet's name, as people know it. */
  readonly walletName: string;
  readonly network: Network;
  readonly isSandbox: boolean;
  /** Asks the wallet to sign in. Call it on a click only. */
  readonly signIn: () => Promise<void>;
}

/** Where the browser keeps the access token and the name of its wallet; a key never. */
export const KEPT_SESSION = "tokend.session";

/** The session of the page; null without one, undefined until it is known whether the browser keeps one. */
export const currentSession = new Shared<Session | null | undefined>(undefined);

/** Whether the server has refused the access token. */
export const hasEnded = new Shared(false);

/** The account that the session's wallet shows instead of the session's own; null if it is that one. */
export const otherAccount = new Shared<string | null>(null);

export const signInAsked = new Shared(false);

/** @returns whether the browser keeps a session, or the address brings one */
export const mayHaveSession = () =>
  localStorage.getItem(KEPT_SESSION) !== null || location.hash.startsWith("#/sandbox/");

/** A call needs a new sign-in, which only a click may begin. */
export class SessionEnded extends Error {
  override readonly name = "SessionEnded";

  constructor() {
    super("Your session has ended. Sign in to go on");
  }
}
