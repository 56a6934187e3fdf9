import { ApiError } from "../api-error.ts";
import { TokenctlError } from "../errors.ts";
import type { CallOptions } from "../options.ts";
import type { Signer } from "../signer.ts";
import type { Answer } from "./answer.ts";
import { refuseOthers } from "./arguments.ts";
import { type MessageStream, openStream } from "./event-stream.ts";
import { type Call, call } from "./http.ts";
import { withRetries } from "./retry.ts";
import { SessionKeeper, signIn, walletOfToken } from "./session.ts";
import type { Settings } from "./settings.ts";

export type ApiCall<T> = Omit<Call<T>, "timeoutMs" | "signal" | "wallet"> & {
  /** Milliseconds for one attempt. Default: the client's `timeoutMs`. */
  readonly timeoutMs?: number;
};

type Post<T> = Omit<ApiCall<T>, "method" | "repeat"> &
  Partial<Pick<ApiCall<T>, "method" | "repeat">>;

/** Calls the API for one wallet, and signs in when a call needs it. */
export class Api {
  readonly #session: SessionKeeper;

  constructor(readonly settings: Settings) {
    const { token } = settings;
    this.#session = new SessionKeeper(() => signIn(settings, this.signer), token);
  }

  get wallet(): string {
    const { signer, token } = this.settings;
    const wallet = signer ? signer.publicKey : walletOfToken(token ?? "");
    if (wallet === null) throw signerRequired();
    return wallet;
  }

  get signer(): Signer {
    if (!this.settings.signer) throw signerRequired();
    return this.settings.signer;
  }

  /** Signs in now, or joins the sign-in in progress. Returns the bearer token. */
  async login(options: CallOptions): Promise<string> {
    refuseOthers(options);
    return this.#session.renew(options.signal);
  }

  async call<T>(request: ApiCall<T> & Pick<Call<T>, "wallet">, options: CallOptions): Promise<T> {
    refuseOthers(options);
    const { timeoutMs, retry } = this.settings;
    return call(this.settings, retry, { timeoutMs, ...request, signal: options.signal });
  }

  async getPublic<T>(path: string, answer: Answer<T>, options: CallOptions): Promise<T> {
    return this.call({ method: "GET", path, answer, repeat: "read" }, options);
  }

  async callSignedIn<T>(request: ApiCall<T>, options: CallOptions): Promise<T> {
    refuseOthers(options);
    const { wallet } = this;
    return this.#withBearer(options.signal, (authorization) =>
      this.call({ ...request, headers: { ...request.headers, authorization }, wallet }, options),
    );
  }

  async post<T>(request: Post<T>, options: CallOptions): Promise<T> {
    return this.callSignedIn({ method: "POST", repeat: "repeatable", ...request }, options);
  }

  /** Makes a POST that would have another effect if it were repeated. */
  async change<T>(request: Omit<Post<T>, "repeat">, options: CallOptions): Promise<T> {
    return this.post({ ...request, repeat: "refused" }, options);
  }

  async get<T>(path: string, answer: Answer<T>, options: CallOptions): Promise<T> {
    return this.callSignedIn({ method: "GET", path, answer, repeat: "read" }, options);
  }

  async getLater<T>(
    request: Pick<ApiCall<T>, "path" | "answer" | "repeat">,
    waitSeconds: number,
    options: CallOptions,
  ): Promise<T> {
    const timeoutMs = this.settings.timeoutMs + waitSeconds * 1000;
    return this.callSignedIn({ method: "GET", ...request, timeoutMs }, options);
  }

  async openStream(path: string, signal: AbortSignal): Promise<MessageStream> {
    const { retry } = this.settings;
    const { wallet } = this;
    return this.#withBearer(signal, (authorization) => {
      const request = { path, authorization, wallet, signal };
      return withRetries(() => openStream(this.settings, request), "read", { ...retry, signal });
    });
  }

  async #withBearer<T>(
    signal: AbortSignal | undefined,
    send: (authorization: string) => Promise<T>,
  ): Promise<T> {
    const token = await this.#session.bearer(signal);
    try {
      return await send(`Bearer ${token}`);
    } catch (error) {
      const isRefused = error instanceof ApiError && error.status === 401;
      if (!isRefused || !this.settings.signer) throw error;
      this.#session.discard(token);
      return send(`Bearer ${await this.#session.bearer(signal)}`);
    }
  }
}

function signerRequired(): TokenctlError {
  return new TokenctlError(
    "signer_required",
    "This call needs a wallet, and the client has no signer",
    { hint: "Give the client a signer: new TokenctlClient({ signer: keypairSigner(secretKey) })" },
  );
}
