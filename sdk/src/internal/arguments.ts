import { limits } from "@tokenctl/shared/limits";
import { receiversFlaw } from "@tokenctl/shared/shares";
import { solToLamports } from "@tokenctl/shared/sol";
import { shorteningOf } from "@tokenctl/shared/token-name";
import type { LaunchRequest } from "@tokenctl/shared/types";
import { isUuid } from "@tokenctl/shared/uuid";
import type { ClaimReceiver, ClaimTerms } from "../claim-check/terms.ts";
import { InvalidArgumentError } from "../errors.ts";
import type { CallOptions, LaunchOptions } from "../options.ts";

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

export function parseRpcUrl(rpcUrl: string): string {
  const hint = "Set it to a Solana node's address, such as https://api.mainnet-beta.solana.com";
  return parseHttpUrl("rpcUrl", rpcUrl, hint).href;
}

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

export function refuseOthers({ signal: _, ...others }: CallOptions): void {
  const [name] = Object.keys(others);
  if (name === undefined) return;
  throw new InvalidArgumentError(`There is no option ${name}`, {
    hint: "Check its spelling: the README and the types list the options",
  });
}

export function wholeNumber(name: string, value: number, min: number): number {
  if (Number.isSafeInteger(value) && value >= min) return value;
  throw new InvalidArgumentError(`${name} is ${value}, but must be a whole number from ${min}`);
}

export function lamports(name: string, value: bigint | number): bigint {
  if (typeof value === "number") return BigInt(wholeNumber(name, value, 0));
  if (typeof value === "bigint" && value >= 0n) return value;
  throw new InvalidArgumentError(`${name} is ${value}, but must not be below 0`);
}

export function solAmount(name: string, sol: number): bigint {
  if (Number.isFinite(sol) && sol >= 0) return solToLamports(sol);
  throw new InvalidArgumentError(`${name} is ${sol}, but must be an amount of SOL`);
}

/** Returns whether a URL's host is this machine: `localhost`, 127.0.0.0/8 or `[::1]`. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** Checks an address in a path: `claims` or `..` as a segment would reach another endpoint. */
export function addressSegment(address: string): string {
  if (ADDRESS.test(address)) return address;
  throw new InvalidArgumentError("This is not an address, 32 to 44 characters of base58");
}

export function mintList(mints: readonly string[]): readonly string[] {
  if (Array.isArray(mints)) return mints.map(addressSegment);
  throw new InvalidArgumentError("The mints are not an array");
}

export function uuidSegment(id: string): string {
  if (isUuid(id)) return id;
  throw new InvalidArgumentError("This is not the id of a launch or webhook, a UUID");
}

/** Returns for example `?limit=50&cursor=abc`, without values that are undefined. */
export function query(
  values: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size === 0 ? "" : `?${query}`;
}

export async function imageBytes(image: Uint8Array | Blob): Promise<ArrayBuffer> {
  const size = image instanceof Blob ? image.size : image instanceof Uint8Array ? image.length : 0;
  if (!(size > 0 && size <= limits.image.bytes)) {
    throw new InvalidArgumentError(`The image has ${size} bytes, not 1 to ${limits.image.bytes}`, {
      hint: 'Pass the content of a PNG, JPEG, WebP or GIF: await readFile("logo.png")',
    });
  }
  return image instanceof Blob ? image.arrayBuffer() : new Uint8Array(image).buffer;
}

export function checkName(request: LaunchRequest, { allowShortenedName }: LaunchOptions): void {
  if (typeof request !== "object" || request === null) {
    throw new InvalidArgumentError("The launch is not an object");
  }
  // The server checks everything else about a name.
  const shortening = typeof request.name === "string" ? shorteningOf(request) : null;
  if (shortening === null || allowShortenedName === true) return;
  throw new InvalidArgumentError(shortening, {
    hint: "Choose the name on chain with onChainName, or allow this one with allowShortenedName",
  });
}

export function idempotencyKey(key: string = crypto.randomUUID()): string {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new InvalidArgumentError("idempotencyKey must be 1 to 255 visible ASCII characters");
}

export function receiversOf(to: ClaimTerms["receivers"]): readonly ClaimReceiver[] {
  if (to === undefined) return [];
  const receivers = typeof to === "string" ? [{ address: to, share: 100 }] : to;
  if (!Array.isArray(receivers) || !receivers.every((one) => typeof one === "object" && one)) {
    throw new InvalidArgumentError("`to` is neither an address nor an array of receivers");
  }
  const flaw = receiversFlaw(receivers);
  if (flaw !== null) throw new InvalidArgumentError(`The receivers are wrong: ${flaw}`);
  return receivers;
}
