import type { TokenctlClient } from "@tokenctl/sdk";
import type { Network } from "./network.ts";
import { Shared } from "./shared.ts";

export interface Session {
  readonly client: TokenctlClient;
  readonly address: string;
  /** The name of the wallet app, as people know it. */
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

/** Whether the server has refused the access token. */
export const hasEnded = new Shared(false);

/** The account that the wallet shows, if it is not the session's; otherwise null. */
export const otherAccount = new Shared<string | null>(null);

export const signInAsked = new Shared(false);

/** Returns whether the browser keeps a session or the URL brings one. */
export const mayHaveSession = () =>
  localStorage.getItem(KEPT_SESSION) !== null || location.hash.startsWith("#/sandbox/");

/** Thrown if a call needs a new sign-in, which only a click may start. */
export class SessionEnded extends Error {
  override readonly name = "SessionEnded";

  constructor() {
    super("Your session has ended. Sign in to go on");
  }
}
