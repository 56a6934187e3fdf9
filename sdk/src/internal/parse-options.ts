import { InvalidArgumentError } from "../errors.ts";
import type { CallOptions } from "../options.ts";

const DEFAULT_API_URL = "http://127.0.0.1:8787";

/**
 * @returns the address without a slash at its end, for example `http://127.0.0.1:8787`
 * @throws {InvalidArgumentError} if it is not an http or https URL, or carries a user, a query
 * or a fragment
 */
export function parseApiUrl(apiUrl: string = DEFAULT_API_URL): string {
  const hint = `Give the server's address, such as ${DEFAULT_API_URL}`;
  const url = parseHttpUrl("apiUrl", apiUrl, hint);
  if (url.search) throw new InvalidArgumentError("apiUrl carries a query", { hint });
  return url.href.replace(/\/+$/, "");
}

/**
 * @returns the address with its query, which may hold a key
 * @throws {InvalidArgumentError} if it is not an http or https URL, or carries a user or a
 * fragment; the error does not repeat it
 */
export function parseRpcUrl(rpcUrl: string): string {
  const hint = "Give a Solana node's address, such as https://api.mainnet-beta.solana.com";
  return parseHttpUrl("rpcUrl", rpcUrl, hint).href;
}

function parseHttpUrl(name: string, text: string, hint: string): URL {
  const url = toUrl(text);
  const problem = !url
    ? "is not a URL"
    : url.protocol !== "http:" && url.protocol !== "https:"
      ? "is neither http nor https"
      : url.username || url.password
        ? "carries a user or a password"
        : url.hash
          ? "carries a fragment"
          : null;
  if (!url || problem !== null) throw new InvalidArgumentError(`${name} ${problem}`, { hint });
  return url;
}

function toUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/**
 * Refuses options that nothing reads, which plain JavaScript lets pass: a misspelt one would do nothing.
 *
 * @param others what is left of a call's options once those that it knows are taken out
 * @throws {InvalidArgumentError} that names the first one
 */
export function refuseOthers({ signal: _, ...others }: CallOptions): void {
  const [name] = Object.keys(others);
  if (name === undefined) return;
  throw new InvalidArgumentError(`There is no option ${name}`, {
    hint: "Check its spelling; the README and the types list the options",
  });
}

/**
 * @returns the number, or `fallback` if there is none
 * @throws {InvalidArgumentError} if it is not a whole number of at least `min`
 */
export function wholeNumber(
  name: string,
  value: number | undefined,
  fallback: number,
  min: number,
): number {
  if (value === undefined) return fallback;
  if (Number.isSafeInteger(value) && value >= min) return value;
  throw new InvalidArgumentError(
    `${name} is ${value} and must be a whole number of at least ${min}`,
  );
}

/**
 * @returns lamports
 * @throws {InvalidArgumentError} if it is not a whole number of at least 0
 */
export function lamports(name: string, value: bigint | number): bigint {
  const isWhole = typeof value === "bigint" || Number.isSafeInteger(value);
  if (isWhole && value >= 0) return BigInt(value);
  throw new InvalidArgumentError(`${name} is ${value} and must be a whole number of at least 0`);
}

/** @returns whether a URL's host is this machine: `localhost`, 127.0.0.0/8 or `[::1]` */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}
