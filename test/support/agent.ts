import { expect } from "bun:test";
import type { Static, TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { type Keypair, Transaction } from "@solana/web3.js";
import {
  ClaimListSchema,
  ClaimReceiptSchema,
  type ClaimRequestSchema,
  PreparedClaimSchema,
} from "@tokenctl/shared/contract/claim";
import { ErrorBodySchema } from "@tokenctl/shared/contract/error";
import { LaunchAcceptedSchema } from "@tokenctl/shared/contract/launch";
import { LaunchStatusSchema } from "@tokenctl/shared/contract/launch-status";
import { errorCodes, isErrorCode } from "@tokenctl/shared/error-codes";
import { signInMessage } from "@tokenctl/shared/sign-in";
import type { LaunchRequest, LaunchStatus } from "@tokenctl/shared/types";
import bs58 from "bs58";
import { generateKeypair, signMessage } from "../../server/src/base/native-keys.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Sends one request. Every answer outside 2xx must have the contract's error body, as the table of
 * codes says. */
export async function send(
  url: string,
  method: string,
  path: string,
  options: { token?: string | undefined; json?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(options.json !== undefined && { "content-type": "application/json" }),
      ...(options.token !== undefined && { authorization: `Bearer ${options.token}` }),
      ...options.headers,
    },
    body: options.json === undefined ? null : JSON.stringify(options.json),
  });
  const body: unknown = await response.json();
  expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  if (!response.ok) {
    expect(differsFromTable(response.status, body as { code: string; error: string })).toBeNull();
    if (path !== "/health") expectShape(ErrorBodySchema, body);
  }
  return { status: response.status, headers: response.headers, body };
}

/** @returns how an error answer differs from the table of error codes; null if it does not */
export function differsFromTable(
  status: number,
  { code, error }: { readonly code?: string; readonly error?: string },
): string | null {
  if (code === undefined || !isErrorCode(code)) return `no code of the table: ${code}`;
  const entry = errorCodes[code];
  if (status !== entry.status) return `${code} with ${status} instead of ${entry.status}`;
  return fitsText(error ?? "", entry.text) ? null : `${code} with the text "${error}"`;
}

/** @param pattern a text of the table, in which `<…>` stands for what varies */
function fitsText(text: string, pattern: string): boolean {
  const [before = "", after] = pattern.split(/<[^>]+>/);
  if (after === undefined) return text === pattern;
  const isLonger = text.length > before.length + after.length;
  return isLonger && text.startsWith(before) && text.endsWith(after);
}

export function expectShape<Schema extends TSchema>(schema: Schema, body: unknown): Static<Schema> {
  const problems = [...Value.Errors(schema, body)].map(({ path, message }) => `${path} ${message}`);
  expect(problems).toEqual([]);
  return body as Static<Schema>;
}

/**
 * An agent that speaks plain HTTP without the SDK, as the contract alone describes it.
 */
export class Agent {
  readonly keypair: Keypair;
  /** Receives its requests; a test sets it again after a restart of the server. */
  server: { readonly url: string };
  token = "";

  constructor(server: { readonly url: string }, keypair = generateKeypair()) {
    this.server = server;
    this.keypair = keypair;
  }

  static async signedIn(server: { readonly url: string }): Promise<Agent> {
    const agent = new Agent(server);
    await agent.signIn();
    return agent;
  }

  get wallet(): string {
    return this.keypair.publicKey.toBase58();
  }

  sign(message: string): string {
    const bytes = new TextEncoder().encode(message);
    return bs58.encode(signMessage(bytes, this.keypair.secretKey));
  }

  async nonce(): Promise<string> {
    const { body } = await this.post("/api/auth/challenge", { wallet: this.wallet });
    return (body as { nonce: string }).nonce;
  }

  verify(nonce: string, signature = this.sign(signInMessage(nonce))): Promise<Answer> {
    return this.post("/api/auth/verify", { wallet: this.wallet, nonce, signature });
  }

  async signIn(): Promise<void> {
    const { status, body } = await this.verify(await this.nonce());
    expect(status).toBe(200);
    this.token = (body as { token: string }).token;
  }

  get(path: string): Promise<Answer> {
    return send(this.server.url, "GET", path, { token: this.token || undefined });
  }

  delete(path: string): Promise<Answer> {
    return send(this.server.url, "DELETE", path, { token: this.token });
  }

  post(path: string, json?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return send(this.server.url, "POST", path, { token: this.token || undefined, json, headers });
  }

  put(path: string, json: unknown): Promise<Answer> {
    return send(this.server.url, "PUT", path, { token: this.token, json });
  }

  /** Uploads bytes as an image. */
  upload(image: Uint8Array, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${this.server.url}/api/v1/images`, {
      method: "POST",
      headers: { authorization: `Bearer ${this.token}`, ...headers },
      body: new Uint8Array(image),
    });
  }

  launch(request: Partial<LaunchRequest> & { ticker: string }, headers = {}): Promise<Answer> {
    const body = { name: `${request.ticker} token`, ...request };
    return this.post("/api/v1/tokens/launch", body, headers);
  }

  /** Launches. @returns the event id of the accepted launch */
  async accepted(
    ticker: string,
    other: Partial<LaunchRequest> = {},
    headers = {},
  ): Promise<string> {
    const { status, body } = await this.launch({ ...other, ticker }, headers);
    expect(status).toBe(200);
    return expectShape(LaunchAcceptedSchema, body).eventId;
  }

  /** Launches and waits until the launch has ended, with or without a token. */
  async launched(ticker: string, other: Partial<LaunchRequest> = {}): Promise<LaunchStatus> {
    return this.untilEnded(await this.accepted(ticker, other));
  }

  async status(eventId: string): Promise<LaunchStatus> {
    const { status, body } = await this.get(`/api/v1/tokens/launch/status/${eventId}`);
    expect(status).toBe(200);
    return expectShape(LaunchStatusSchema, body);
  }

  /** Polls until a launch has left `pending`. */
  async untilEnded(eventId: string): Promise<LaunchStatus> {
    for (;;) {
      const launch = await this.status(eventId);
      if (launch.status !== "pending") return launch;
      await Bun.sleep(10);
    }
  }

  async fees(mint: string) {
    const { body } = await this.get("/api/v1/tokens/claims");
    const record = expectShape(ClaimListSchema, body).claims.find(
      ({ tokenMint }) => tokenMint === mint,
    );
    if (!record) throw new Error(`no claim record of ${mint}`);
    return record;
  }

  async prepareClaim(mint: string, json?: Static<typeof ClaimRequestSchema>) {
    const { status, body } = await this.post(`/api/v1/tokens/claims/${mint}`, json);
    expect(status).toBe(200);
    return expectShape(PreparedClaimSchema, body);
  }

  /** Signs with web3.js, as existing clients do. */
  signClaim(transaction: string, signer = this.keypair): string {
    const claim = Transaction.from(Buffer.from(transaction, "base64"));
    claim.sign(signer);
    return claim.serialize().toString("base64");
  }

  /** Signs what another wallet or the service signs too, changed before that. */
  signBeside(transaction: string, change = (_: Transaction) => {}): string {
    const read = Transaction.from(Buffer.from(transaction, "base64"));
    change(read);
    read.partialSign(this.keypair);
    const unchecked = { requireAllSignatures: false, verifySignatures: false };
    return read.serialize(unchecked).toString("base64");
  }

  submitClaim(mint: string, signedTransaction: string): Promise<Answer> {
    return this.post(`/api/v1/tokens/claims/${mint}`, { signedTransaction });
  }

  async claim(mint: string) {
    const { transaction } = await this.prepareClaim(mint);
    const { status, body } = await this.submitClaim(mint, this.signClaim(transaction));
    expect(status).toBe(200);
    return expectShape(ClaimReceiptSchema, body);
  }
}
