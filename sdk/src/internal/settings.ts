import type { ClientOptions } from "../options.ts";
import { lamports, parseApiUrl, parseRpcUrl, refuseOthers, wholeNumber } from "./arguments.ts";
import { Rpc } from "./rpc.ts";

const DEFAULT_TIMEOUT_MS = 30_000;
/** For requests that return only once a transaction is confirmed. */
const SUBMIT_TIMEOUT_MS = 120_000;
const DEFAULT_MAX_RETRIES = 3;
/** Lamports. A tokend's priority fee is at most half of this. */
const MAX_NETWORK_FEE = 100_000n;

export type Settings = ReturnType<typeof readSettings>;

export function readSettings(options: ClientOptions) {
  const { signer, token, fetch, rpcUrl, onRetry, ...flags } = options;
  const { apiUrl: url, maxRetries: retries, timeoutMs: oneMs, ...rest } = flags;
  const { maxNetworkFeeLamports: maxFee = MAX_NETWORK_FEE, ...others } = rest;
  refuseOthers(others);
  const apiUrl = parseApiUrl(url);
  const maxRetries = wholeNumber("maxRetries", retries ?? DEFAULT_MAX_RETRIES, 0);
  const timeoutMs = wholeNumber("timeoutMs", oneMs ?? DEFAULT_TIMEOUT_MS, 1);
  const retry = { maxRetries, onRetry };
  const node = rpcUrl === undefined ? null : parseRpcUrl(rpcUrl);
  return {
    apiUrl,
    signer,
    token,
    fetch,
    timeoutMs,
    submitTimeoutMs: Math.max(SUBMIT_TIMEOUT_MS, timeoutMs),
    retry,
    maxNetworkFeeLamports: lamports("maxNetworkFeeLamports", maxFee),
    /** Null without `rpcUrl`: the client then verifies no claim. */
    rpc: node === null ? null : new Rpc(node, { fetch, retry, timeoutMs }),
    /** Whether to sign sandbox transactions: only without `rpcUrl`, or if it is the server's own. */
    maySandbox: node === null || node.replace(/\/+$/, "") === `${apiUrl}/dev/rpc`,
  };
}
