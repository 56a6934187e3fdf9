export type ImageFormat = "png" | "jpeg" | "webp" | "gif";

/** Returns a file's format by its first bytes; null if the service does not take it. */
export function imageFormat(file: Uint8Array): ImageFormat | null {
  const start = String.fromCharCode(...file.subarray(0, 12));
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "png";
  if (start.startsWith("\xff\xd8\xff")) return "jpeg";
  if (/^GIF8[79]a/.test(start)) return "gif";
  return /^RIFF....WEBP$/s.test(start) ? "webp" : null;
}
