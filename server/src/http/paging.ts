export interface PageRequest {
  /** The most rows of the page; null for the whole list. */
  readonly limit: number | null;
  /** The page starts with the first row that is older than this id; null for the first page. */
  readonly before: number | null;
}

/** Cursors look opaque, so that clients do not depend on their content. */
export function encodeCursor(id: number): string {
  return Buffer.from(`id:${id}`).toString("base64url");
}

export function decodeCursor(cursor: string): number | undefined {
  if (cursor.length > 32) return undefined;
  const match = /^id:(\d{1,15})$/.exec(Buffer.from(cursor, "base64url").toString("latin1"));
  return match ? Number(match[1]) : undefined;
}
