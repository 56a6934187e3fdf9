/** Reads a body as text. Returns null, without reading the rest, if it has more bytes. */
export async function readAtMost(
  bytes: number,
  body: ReadableStream<Uint8Array> | null,
): Promise<string | null> {
  const parts: Uint8Array[] = [];
  let left = bytes;
  // Leaving the loop cancels the body.
  for await (const part of body ?? []) {
    left -= part.length;
    if (left < 0) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
