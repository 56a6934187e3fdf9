import { limits } from "@tokenctl/shared/limits";
import { shorteningOf } from "@tokenctl/shared/token-name";
import type { LaunchRequest } from "@tokenctl/shared/types";
import { isUuid } from "@tokenctl/shared/uuid";
import { InvalidArgumentError } from "../errors.ts";
import type { EventOptions, LaunchOptions } from "../options.ts";

const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/**
 * Checks an address that becomes one segment of a path. `claims` or `..` in its place would reach
 * another endpoint.
 *
 * @throws {InvalidArgumentError} if it is not base58 of the length of an address
 */
export function addressSegment(mint: string): string {
  if (ADDRESS.test(mint)) return mint;
  throw new InvalidArgumentError("The mint is not an address", {
    hint: "Give the token's mint address in base58, 32 to 44 characters; tokens() lists them",
  });
}

/**
 * @param tokenMint without it, the path of the threshold of all tokens
 * @throws {InvalidArgumentError} if it is no address
 */
export function thresholdPath(tokenMint?: string): string {
  const path = "/api/v1/events/thresholds";
  return tokenMint === undefined ? path : `${path}/${addressSegment(tokenMint)}`;
}

/** @throws {InvalidArgumentError} if it is not a UUID */
export function eventIdSegment(eventId: string): string {
  if (isUuid(eventId)) return eventId;
  throw new InvalidArgumentError("The event id is not a UUID", {
    hint: "Give the eventId that launch() returned",
  });
}

/**
 * @param wallet without it, the query of the agent's own wallet
 * @throws {InvalidArgumentError} if it is no address
 */
export function walletQuery(wallet?: string): string {
  if (wallet === undefined || ADDRESS.test(wallet)) return query({ wallet });
  throw new InvalidArgumentError("wallet is not an address", {
    hint: "Give a wallet's address in base58, 32 to 44 characters",
  });
}

/** @returns a query of what is given, for example `?limit=50&cursor=abc`; empty if nothing is */
export function query(values: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size === 0 ? "" : `?${query}`;
}

/** @throws {InvalidArgumentError} if a `Date` is none */
export function timeText(name: string, time: Date | string | undefined): string | undefined {
  if (!(time instanceof Date)) return time;
  if (!Number.isNaN(time.getTime())) return time.toISOString();
  throw new InvalidArgumentError(`${name} is not a valid Date`);
}

/**
 * @returns the image's bytes, as they are
 * @throws {InvalidArgumentError} if there are none, or more than the server takes
 */
export async function imageBytes(image: Uint8Array | Blob): Promise<Uint8Array<ArrayBuffer>> {
  if (!(image instanceof Uint8Array) && !(image instanceof Blob)) {
    throw new InvalidArgumentError(
      `The image is a ${typeof image} and must be its bytes or a Blob`,
      {
        hint: 'Give what the file holds, not its name: await readFile("logo.png")',
      },
    );
  }
  // A blob is not read before its size is known.
  const size = image instanceof Uint8Array ? image.length : image.size;
  if (size > 0 && size <= limits.image.bytes) {
    return image instanceof Uint8Array
      ? new Uint8Array(image)
      : new Uint8Array(await image.arrayBuffer());
  }
  throw new InvalidArgumentError(
    size === 0
      ? "The image is empty"
      : `The image has ${size} bytes; it may have ${limits.image.bytes}`,
    { hint: "Give a PNG, JPEG, WebP or GIF of at most 2 MiB" },
  );
}

/** @throws {InvalidArgumentError} if it is no cursor of events */
export function cursorText(after: EventOptions["after"]): string | undefined {
  if (after === undefined || after === "latest" || (Number.isSafeInteger(after) && after >= 0)) {
    return after?.toString();
  }
  throw new InvalidArgumentError(`after is ${after} and must be the id of an event, 0 or "latest"`);
}

/** @throws {InvalidArgumentError} if only a part of the name would go on chain, and that is not allowed */
export function checkName(request: LaunchRequest, { allowShortenedName }: LaunchOptions): void {
  // Whatever else is wrong with a name, the server says.
  const shortening = typeof request.name === "string" ? shorteningOf(request) : null;
  if (shortening === null || allowShortenedName === true) return;
  throw new InvalidArgumentError(shortening, {
    hint: "Choose the name on chain with onChainName, or allow this one with allowShortenedName",
  });
}

/**
 * @returns the key, or a new UUID if there is none
 * @throws {InvalidArgumentError} if a header cannot carry it
 */
export function idempotencyKey(key: string = crypto.randomUUID()): string {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new InvalidArgumentError("idempotencyKey must be 1 to 255 visible ASCII characters");
}
