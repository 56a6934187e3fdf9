import { SignerRequiredError } from "../errors.ts";
import type { CallOptions } from "../options.ts";
import type { Signer } from "../signer.ts";
import type { Answer } from "./answer.ts";
import type { Call } from "./caller.ts";
import { call, callSignedIn, withBearer } from "./caller.ts";
import type { OpenStream } from "./open-stream.ts";
import { openStream } from "./open-stream.ts";
import { refuseOthers } from "./parse-options.ts";
import { withRetries } from "./retry.ts";
import { SessionKeeper } from "./session.ts";
import type { Settings } from "./settings.ts";
import { signIn } from "./sign-in.ts";
import type { Transport } from "./transport.ts";
import { createTransport } from "./transport.ts";

/** A call of the API without what the client's settings say of every call. */
export type ApiCall<T> = Omit<Call<T>, "timeoutMs" | "signal" | "wallet"> & {
  /** Milliseconds for one attempt. Default: the client's `timeoutMs`. */
  readonly timeoutMs?: number;
};

/** Calls the API in the name of one wallet, and signs in when a call needs it. */
export class Api {
  readonly #settings: Settings;
  readonly #transport: Transport;
  readonly #session: SessionKeeper;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#transport = createTransport(settings.apiUrl, settings.fetch);
    this.#session = new SessionKeeper((signal) => this.#signIn(signal));
  }

  /** @throws {SignerRequiredError} if the client has no signer */
  get signer(): Signer {
    if (!this.#settings.signer) throw new SignerRequiredError();
    return this.#settings.signer;
  }

  /**
   * Signs in now, or joins the sign-in that is under way.
   *
   * @returns the bearer token
   */
  async login(options: CallOptions): Promise<string> {
    refuseOthers(options);
    return this.#session.renew(options.signal);
  }

  /** Makes a call that needs no wallet. */
  async call<T>(request: ApiCall<T>, options: CallOptions): Promise<T> {
    refuseOthers(options);
    const { timeoutMs, retry } = this.#settings;
    return call(this.#transport, retry, { timeoutMs, ...request, signal: options.signal });
  }

  /** Makes a call in the wallet's name. */
  async callSignedIn<T>(request: ApiCall<T>, options: CallOptions): Promise<T> {
    refuseOthers(options);
    const { signal } = options;
    const { timeoutMs, retry } = this.#settings;
    const signedIn = { timeoutMs, ...request, signal, wallet: this.signer.publicKey };
    return callSignedIn(this.#transport, retry, this.#session, signedIn);
  }

  /** Reads in the wallet's name. */
  async get<T>(path: string, answer: Answer<T>, options: CallOptions): Promise<T> {
    return this.callSignedIn({ method: "GET", path, answer, repeat: "read" }, options);
  }

  /** Reads in the wallet's name, where the server may take so much longer to answer. */
  async getSlowly<T>(
    path: string,
    answer: Answer<T>,
    slowerMs: number,
    options: CallOptions,
  ): Promise<T> {
    const timeoutMs = this.#settings.timeoutMs + slowerMs;
    return this.callSignedIn({ method: "GET", path, answer, repeat: "read", timeoutMs }, options);
  }

  /**
   * Opens an answer that goes on, in the wallet's name. The caller closes it.
   *
   * @param isOnce whether to try it only once
   * @throws what a call throws
   */
  async openStream(path: string, signal: AbortSignal, isOnce: boolean): Promise<OpenStream> {
    const { apiUrl, fetch, timeoutMs, retry } = this.#settings;
    const wallet = this.signer.publicKey;
    const send = (token: string) =>
      openStream(apiUrl, fetch, { path, token, wallet, timeoutMs, signal });
    return withBearer(this.#session, signal, (token) =>
      isOnce ? send(token) : withRetries(() => send(token), "read", retry, signal),
    );
  }

  async #signIn(signal: AbortSignal): Promise<string> {
    const { timeoutMs, retry } = this.#settings;
    const limits = { timeoutMs, signal };
    const session = await signIn(this.#transport, retry, this.signer, this.#settings, limits);
    return session.token;
  }
}
