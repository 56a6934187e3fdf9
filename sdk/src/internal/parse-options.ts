import { solToLamports } from "@tokenctl/shared/sol";
import { InvalidArgumentError } from "../errors.ts";
import type { CallOptions } from "../options.ts";

const DEFAULT_API_URL = "http://127.0.0.1:8787";

/** Returns the address without a trailing slash, for example `http://127.0.0.1:8787`. */
export function parseApiUrl(apiUrl: string = DEFAULT_API_URL): string {
  const hint = `Set it to the server's address, such as ${DEFAULT_API_URL}`;
  const url = parseHttpUrl("apiUrl", apiUrl, hint);
  if (url.search) throw new InvalidArgumentError("apiUrl has a query", { hint });
  if (/\/api(\/v\d+)?\/*$/.test(url.pathname)) {
    throw new InvalidArgumentError("apiUrl ends in the API's own path", { hint });
  }
  return url.href.replace(/\/+$/, "");
}

/** Returns the address with its query, which may contain a key. */
export function parseRpcUrl(rpcUrl: string): string {
  const hint = "Set it to a Solana node's address, such as https://api.mainnet-beta.solana.com";
  return parseHttpUrl("rpcUrl", rpcUrl, hint).href;
}

/** @throws {InvalidArgumentError} without the URL, which may contain a key */
function parseHttpUrl(name: string, text: string, hint: string): URL {
  const refuse = (problem: string): never => {
    throw new InvalidArgumentError(`${name} ${problem}`, { hint });
  };
  const url = URL.canParse(text) ? new URL(text) : refuse("is not a URL");
  if (!/^https?:$/.test(url.protocol)) refuse("is neither http nor https");
  if (url.username || url.password) refuse("has a user or a password");
  if (url.hash) refuse("has a fragment");
  return url;
}

/** @throws {InvalidArgumentError} if the call does not know an option, such as a misspelt one */
export function refuseOthers({ signal: _, ...others }: CallOptions): void {
  const [name] = Object.keys(others);
  if (name === undefined) return;
  throw new InvalidArgumentError(`There is no option ${name}`, {
    hint: "Check its spelling: the README and the types list the options",
  });
}

export function wholeNumber(name: string, value: number, min: number): number {
  if (Number.isSafeInteger(value) && value >= min) return value;
  throw notWhole(name, value, min);
}

export function lamports(name: string, value: bigint | number): bigint {
  const isWhole = typeof value === "bigint" || Number.isSafeInteger(value);
  if (isWhole && value >= 0) return BigInt(value);
  throw notWhole(name, value, 0);
}

/** @returns lamports */
export function solAmount(name: string, sol: number): bigint {
  if (Number.isFinite(sol) && sol >= 0) return solToLamports(sol);
  throw new InvalidArgumentError(`${name} is ${sol}, but must be an amount of SOL`);
}

function notWhole(name: string, value: bigint | number, min: number): InvalidArgumentError {
  const rule = `must be a whole number of at least ${min}`;
  return new InvalidArgumentError(`${name} is ${value}, but ${rule}`);
}

/** Returns whether a URL's host is this machine: `localhost`, 127.0.0.0/8 or `[::1]`. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}
