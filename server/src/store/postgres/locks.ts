import { createHash } from "node:crypto";

/**
 * The key of an advisory lock, the same in all servers and versions.
 *
 * @returns a `bigint` of PostgreSQL in decimal
 */
export function lockKey(name: string): string {
  return createHash("sha256").update(`tokend ${name}`).digest().readBigInt64BE().toString();
}

/** @returns SQL that takes locks until the transaction ends, always in the same order */
export function lockAll(names: Iterable<string>): string {
  const keys = Array.from(new Set(names), lockKey).sort();
  if (keys.length === 0) return "";
  return `select count(pg_advisory_xact_lock(key)) from unnest('{${keys.join()}}'::bigint[]) as key;`;
}
