import { createHash } from "node:crypto";
import type { LaunchRequest } from "@tokenctl/shared/types";

/**
 * Makes the id of a launch under a key, always the same: a repeat is the same launch, and makes no second
 * token even if the database has lost it, because the mint follows from the id.
 *
 * @returns a UUID of version 4 with bits of a hash
 */
export function eventIdOf(wallet: string, idempotencyKey: string): string {
  const hash = createHash("sha256").update(`launch ${wallet} ${idempotencyKey}`).digest("hex");
  const part = (start: number, length: number) => hash.slice(start, start + length);
  return `${part(0, 8)}-${part(8, 4)}-4${part(12, 3)}-8${part(15, 3)}-${part(18, 12)}`;
}

/** Hashes the fields of a launch in a fixed order, to 128 bits. An invite's code is no part of the launch. */
export function hashOf(request: LaunchRequest): string {
  const { name, onChainName = null, ticker, description = null, imageUrl = null } = request;
  const { website = null, twitter = null, telegram = null } = request;
  const { payer, firstBuySOL, firstBuyMinTokens } = request;
  const fields = [name, onChainName, ticker, description, imageUrl, website, twitter, telegram];
  const paid = [payer, firstBuySOL, firstBuyMinTokens];
  if (paid.some((it) => it !== undefined)) fields.push(...paid.map((it) => `${it}`));
  return createHash("sha256").update(JSON.stringify(fields)).digest("base64url").slice(0, 22);
}
