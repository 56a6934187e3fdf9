import { createHash } from "node:crypto";

/**
 * Names a launch by what it is, so that a repeat is the same launch: the service launches once for
 * each key. The day belongs to it, because a ticker whose launch failed is free again a day later.
 *
 * @param day UTC, for example `2026-03-01`
 * @returns a key for `Idempotency-Key`
 */
export function contentKey(wallet: string, request: object, day: string): string {
  const fields = Object.entries(request)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const content = JSON.stringify([wallet, day, fields]);
  return `mcp-${createHash("sha256").update(content).digest("hex")}`;
}
