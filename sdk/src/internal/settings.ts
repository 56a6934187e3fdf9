import { InvalidArgumentError } from "../errors.ts";
import type { ClientOptions } from "../options.ts";
import type { Signer } from "../signer.ts";
import { lamports, parseApiUrl, parseRpcUrl, refuseOthers, wholeNumber } from "./arguments.ts";
import { Rpc } from "./rpc.ts";

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_SUBMIT_TIMEOUT_MS = 120_000;
const DEFAULT_MAX_RETRIES = 3;
/** Lamports. A tokend's priority fee is at most half of this. */
const MAX_NETWORK_FEE = 100_000n;

export type Settings = ReturnType<typeof readSettings>;

/** Returns the options of a client, checked and with defaults. */
export function readSettings(options: ClientOptions) {
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
    /** Null without `rpcUrl`: the client then verifies no claim. */
    rpc: node === null ? null : new Rpc(node, { fetch, retry, timeoutMs }),
    /** Whether to sign sandbox transactions: only without `rpcUrl`, or if it is the server's own. */
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
