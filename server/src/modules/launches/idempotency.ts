import { createHash } from "node:crypto";
import type { LaunchRequest } from "@tokenctl/shared/types";

/**
 * Derives the id of a launch from its key. A repeat is the same launch, and makes no second token
 * even if the database lost the first, because the mint follows from the id.
 * @returns a UUID of version 4 with bits of a hash
 */
export function eventIdOf(wallet: string, idempotencyKey: string): string {
  const hash = createHash("sha256").update(`launch ${wallet} ${idempotencyKey}`).digest("hex");
  const part = (start: number, length: number) => hash.slice(start, start + length);
  return `${part(0, 8)}-${part(8, 4)}-4${part(12, 3)}-8${part(15, 3)}-${part(18, 12)}`;
}

/** Hashes a launch's fields in a fixed order, to 132 bits. An invite code is not part of it. */
export function hashOf(request: LaunchRequest): string {
  const { name, onChainName = null, ticker, description = null, imageUrl = null } = request;
  const { website = null, twitter = null, telegram = null } = request;
  const { payer, firstBuySOL, firstBuyMinTokens } = request;
  const fields = [name, onChainName, ticker, description, imageUrl, website, twitter, telegram];
  const paid = [payer, firstBuySOL, firstBuyMinTokens];
  if (paid.some((it) => it !== undefined)) fields.push(...paid.map((it) => `${it}`));
  return createHash("sha256").update(JSON.stringify(fields)).digest("base64url").slice(0, 22);
}
