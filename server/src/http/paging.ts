import { limits } from "@tokenctl/shared/limits";
import { validationError } from "./validation.ts";

/** The requested part of a list. */
export interface PageRequest {
  /** The most rows of the page; null for the whole list. */
  readonly limit: number | null;
  /** The page starts with the first row that is older than this id; null for the first page. */
  readonly before: number | null;
}

/**
 * Reads `?limit=` and `?cursor=`.
 *
 * @throws {ServiceError} 400 if the limit or the cursor is not valid
 */
export function parsePage(query: Record<string, string | undefined>): PageRequest {
  const { limit, cursor } = query;
  const { min, max } = limits.page;
  if (limit !== undefined && !(/^\d{1,4}$/.test(limit) && +limit >= min && +limit <= max)) {
    throw validationError([{ field: "limit", message: `must be a number from ${min} to ${max}` }]);
  }
  const before = cursor === undefined ? null : decodeCursor(cursor);
  if (cursor !== undefined && (before === null || limit === undefined)) {
    throw validationError([
      { field: "cursor", message: "must be the nextCursor of an answer, together with limit" },
    ]);
  }
  return { limit: limit === undefined ? null : Number(limit), before };
}

/**
 * @param byDefault what a request without the field means
 * @throws {ServiceError} 400 if it is not a whole number of the range
 */
export function parseWhole(
  field: string,
  value: string | undefined,
  { min, max }: { readonly min: number; readonly max: number },
  byDefault: number,
): number {
  if (value === undefined) return byDefault;
  if (/^\d{1,4}$/.test(value) && Number(value) >= min && Number(value) <= max) return Number(value);
  throw validationError([{ field, message: `must be a whole number from ${min} to ${max}` }]);
}

/** Cursors look opaque, so that clients do not depend on their content. */
export function encodeCursor(id: number): string {
  return Buffer.from(`id:${id}`).toString("base64url");
}

function decodeCursor(cursor: string): number | null {
  if (cursor.length > 32) return null;
  const match = /^id:(\d{1,15})$/.exec(Buffer.from(cursor, "base64url").toString("latin1"));
  return match ? Number(match[1]) : null;
}
