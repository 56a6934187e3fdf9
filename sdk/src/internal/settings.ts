import { InvalidArgumentError } from "../errors.ts";
import type { ClientOptions } from "../options.ts";
import type { Signer } from "../signer.ts";
import { lamports, parseApiUrl, parseRpcUrl, refuseOthers, wholeNumber } from "./arguments.ts";
import type { FetchLike } from "./http.ts";
import type { RetryPolicy } from "./retry.ts";
import { Rpc } from "./rpc.ts";

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_SUBMIT_TIMEOUT_MS = 120_000;
const DEFAULT_MAX_RETRIES = 3;
/** Lamports. A tokend bids at most half of this. */
const MAX_NETWORK_FEE = 100_000n;

/** The options of a client, checked and with defaults. */
export interface Settings {
  /** Without a trailing slash. */
  readonly apiUrl: string;
  readonly signer: Signer | undefined;
  readonly token: string | undefined;
  readonly allowNonceWithoutHost: boolean;
  readonly fetch: FetchLike | undefined;
  readonly timeoutMs: number;
  readonly submitTimeoutMs: number;
  readonly retry: RetryPolicy;
  readonly maxNetworkFeeLamports: bigint;
  /** Null without `rpcUrl`: the client then verifies no claim. */
  readonly rpc: Rpc | null;
  /** Whether to sign sandbox transactions: only without `rpcUrl`, or if it is the server's own. */
  readonly maySandbox: boolean;
}

export function readSettings(options: ClientOptions): Settings {
  const { signer, token, fetch, rpcUrl, onRetry, ...flags } = options;
  const { allowNonceWithoutHost, ...numbers } = flags;
  const { apiUrl: url, maxRetries: retries, timeoutMs: oneMs, ...rest } = numbers;
  const { submitTimeoutMs, maxNetworkFeeLamports: maxFee = MAX_NETWORK_FEE, ...others } = rest;
  refuseOthers(others);
  const apiUrl = parseApiUrl(url);
  const maxRetries = wholeNumber("maxRetries", retries ?? DEFAULT_MAX_RETRIES, 0);
  const timeoutMs = wholeNumber("timeoutMs", oneMs ?? DEFAULT_TIMEOUT_MS, 1);
  const submitMs = submitTimeoutMs ?? Math.max(DEFAULT_SUBMIT_TIMEOUT_MS, timeoutMs);
  const retry = { maxRetries, onRetry };
  const node = rpcUrl === undefined ? null : parseRpcUrl(rpcUrl);
  return {
    apiUrl,
    signer: signer && asSigner(signer),
    token,
    allowNonceWithoutHost: allowNonceWithoutHost === true,
    fetch,
    timeoutMs,
    submitTimeoutMs: wholeNumber("submitTimeoutMs", submitMs, 1),
    retry,
    maxNetworkFeeLamports: lamports("maxNetworkFeeLamports", maxFee),
    rpc: node === null ? null : new Rpc(node, { fetch, retry, timeoutMs }),
    maySandbox: node === null || node.replace(/\/+$/, "") === `${apiUrl}/dev/rpc`,
  };
}

/** Refuses another library's signer early, with a hint how to wrap it. */
function asSigner(signer: Signer): Signer {
  const { signMessage, signTransaction } = signer as Partial<Signer>;
  if (typeof signMessage === "function" && typeof signTransaction === "function") return signer;
  throw new InvalidArgumentError("signer lacks signMessage or signTransaction", {
    hint: "Wrap it: a key with keypairSigner, a signer of @solana/kit with fromKitSigner, a browser wallet with fromWalletStandard",
  });
}
