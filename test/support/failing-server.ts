import { expect, jest } from "bun:test";
import bs58 from "bs58";
import type { Server } from "bun";
import nacl from "tweetnacl";
import { systemClock } from "../../server/src/base/clock.ts";
import { openPort } from "../../server/src/http/listen.ts";
import { SandboxError } from "../../server/src/launchpad/errors.ts";
import type { Sandbox } from "../../server/src/launchpad/local/sandbox.ts";
import { insertToken } from "../../server/src/testing/launches.ts";
import { listen } from "../../server/src/testing/listen.ts";
import type { ScriptedLaunchpad } from "../../server/src/testing/scripted-launchpad.ts";
import { NO_SANDBOX, type TestApp, testApp } from "../../server/src/testing/test-app.ts";

/** The agent of all servers, because tweetnacl takes long to make keys. */
const KEYS = nacl.sign.keyPair();
const MESSAGE = Uint8Array.from({ length: 200 }, (_, index) => index + 1);
/** What the agent signs: its path, and the body of step 1. */
const KINDS = {
  claim: { path: "/api/v1/tokens/claims/mint-MINE", body: undefined },
  handOver: {
    path: "/api/v1/tokens/hand-overs/mint-MINE",
    body: { to: bs58.encode(new Uint8Array(32).fill(9)) },
  },
} as const;
type Kind = keyof typeof KINDS;

const sandbox: Sandbox = {
  ...NO_SANDBOX,
  airdrop: () => Promise.reject(new SandboxError("That is a program")),
};

/**
 * A listening server whose chain the test scripts, and the requests of an agent that has launched
 * one token, `MINE`.
 */
export class FailingServer implements AsyncDisposable {
  readonly app: TestApp;
  readonly chain: ScriptedLaunchpad;
  readonly wallet = bs58.encode(KEYS.publicKey);
  readonly #token: string;
  readonly #server: Server<undefined>;

  private constructor(app: TestApp, token: string) {
    this.app = app;
    this.chain = app.chain;
    this.#token = token;
    this.#server = listen(app.app, { hostname: "127.0.0.1", port: 0 });
    const unsigned = {
      transaction: wire(new Uint8Array(64)),
      lastValidBlockHeight: 150,
      expiresInSeconds: 60,
    };
    app.chain.buildClaim = async (_, tokens) => ({
      ...unsigned,
      tokens,
      repaidLamports: null,
      receivers: [],
    });
    app.chain.buildHandOver = async () => ({ ...unsigned, networkFee: 5_000n, rent: 0n });
    app.chain.buildLaunch = async () => ({
      ...unsigned,
      networkFee: 1n,
      token: { tokenMint: "mint", poolAddress: "pool" },
      terms: { config: null, fees: null as never, curve: [] },
      metadataUri: null,
      cost: { rent: 1n, networkFee: 1n, creationFee: 0n, firstBuy: 0n },
    });
  }

  /** @param env settings of limits, such as `MAX_QUEUE` */
  static async start(env: Readonly<Record<string, string>> = {}): Promise<FailingServer> {
    const app = await testApp(sandbox, env);
    const wallet = bs58.encode(KEYS.publicKey);
    await insertToken(app, "MINE", { wallet });
    return new FailingServer(app, await app.bearerTokens.issue(wallet));
  }

  get(path: string, headers = {}): Promise<Response> {
    return fetch(this.#request("GET", path, undefined, headers));
  }

  post(path: string, json?: unknown, headers = {}): Promise<Response> {
    return fetch(this.#request("POST", path, json, headers));
  }

  delete(path: string): Promise<Response> {
    return fetch(this.#request("DELETE", path));
  }

  addWebhook(url = "https://hooks.example/"): Promise<Response> {
    return this.post("/api/v1/webhooks", { url });
  }

  launch(ticker: string, headers = {}): Promise<Response> {
    return this.post("/api/v1/tokens/launch", { name: "A token", ticker }, headers);
  }

  /** The answer to a request while no app serves yet. */
  async beforeItServes(path: string): Promise<Response> {
    const { server } = openPort({
      hostname: "127.0.0.1",
      port: 0,
      clock: systemClock,
      corsOrigins: [],
      drain: { isDraining: false },
    });
    const answer = await fetch(new URL(path, server.url), { method: "POST" });
    await server.stop();
    return answer;
  }

  /** Uploads bytes as an image. */
  upload(image: Uint8Array, headers = {}): Promise<Response> {
    const request = this.#request("POST", "/api/v1/images", undefined, headers);
    return fetch(new Request(request, { body: image }));
  }

  async verify(nonce?: string): Promise<Response> {
    const { wallet } = this;
    const challenge = await this.post("/api/auth/challenge", { wallet });
    const issued = (await challenge.json()) as { nonce: string };
    const signature = bs58.encode(nacl.sign.detached(MESSAGE, KEYS.secretKey));
    return this.post("/api/auth/verify", { wallet, nonce: nonce ?? issued.nonce, signature });
  }

  /** Step 1. */
  prepare(kind: Kind): Promise<Response> {
    return this.post(KINDS[kind].path, KINDS[kind].body);
  }

  /** Step 2, signed with the agent's key or another. */
  submit(kind: Kind, secretKey = KEYS.secretKey): Promise<Response> {
    return this.post(KINDS[kind].path, signedClaim(secretKey));
  }

  /** Both steps. @param between runs after step 1 */
  async sign(kind: Kind, between = () => {}, secretKey = KEYS.secretKey): Promise<Response> {
    expect((await this.prepare(kind)).status).toBe(200);
    between();
    return this.submit(kind, secretKey);
  }

  /** Stores a launch. @returns the path of both steps to sign it */
  async launchToSign(payer = "agent"): Promise<string> {
    const request = { name: "A token", ticker: "ONE", payer };
    const accepted = await this.post("/api/v1/tokens/launch", request);
    const { eventId } = (await accepted.json()) as { eventId: string };
    return `/api/v1/tokens/launch/${eventId}/transaction`;
  }

  /** The answer to step 2 if the outcome does not come. */
  async late(kind: Kind): Promise<Response> {
    await this.prepare(kind);
    this.chain.submit = () => new Promise(() => {});
    return this.#afterItsTime(this.#request("POST", KINDS[kind].path, signedClaim()));
  }

  /** The answer to a request whose body does not come. */
  lateBody(path: string): Promise<Response> {
    const body = new ReadableStream({ pull: () => new Promise(() => {}) });
    return this.#afterItsTime(
      new Request(new URL(path, this.#server.url).href, { method: "POST", body }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
    this.app[Symbol.dispose]();
  }

  #request(method: string, path: string, json?: unknown, headers = {}): Request {
    return new Request(new URL(path, this.#server.url).href, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(json !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      body: json === undefined ? null : JSON.stringify(json),
    });
  }

  /** The answer to a request that the server gives up; its time goes by at once. */
  async #afterItsTime(request: Request): Promise<Response> {
    const turn = setImmediate;
    jest.useFakeTimers();
    try {
      const answer = Promise.resolve(this.app.app.handle(request));
      while (Bun.peek.status(answer) === "pending") {
        await new Promise((resolve) => turn(resolve));
        jest.advanceTimersByTime(1_000);
      }
      return await answer;
    } finally {
      jest.useRealTimers();
    }
  }
}

function wire(signature: Uint8Array): Uint8Array {
  return Uint8Array.from([1, ...signature, ...MESSAGE]);
}

/** Step 2 of what the chain hands out, signed by the agent or with another key. */
export function signedClaim(secretKey = KEYS.secretKey) {
  const signature = nacl.sign.detached(MESSAGE, secretKey);
  return { signedTransaction: Buffer.from(wire(signature)).toString("base64") };
}
