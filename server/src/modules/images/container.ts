import { type ImageFormat, imageFormat } from "@tokenctl/shared/image-format";
import { ServiceError } from "../../base/service-error.ts";

/** @param reason the rest of a sentence that begins with "The image" */
export const refusal = (reason: string, cause?: unknown) =>
  new ServiceError("image_refused", { text: `The image ${reason}`, cause });

/** Bytes before the first chunk of a PNG. */
const PNG_START = 8;

/**
 * Finds a file's format by its content, and checks that it ends with its image. Decoders ignore
 * what follows it, and complete a JPEG that is cut off.
 * @throws {ServiceError} `image_refused`
 */
export function formatOf(bytes: Uint8Array): ImageFormat {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const format = imageFormat(file);
  if (format === null) throw refusal("is not a PNG, JPEG, WebP or GIF file by its content");
  if (ENDS[format](file) === file.length) return format;
  throw refusal(
    "is damaged, cut off, or followed by other bytes; save it again with an image editor",
  );
}

/** Functions that return the offset after an image's last byte; null if it is damaged. */
const ENDS: Readonly<Record<ImageFormat, (file: Buffer) => number | null>> = {
  png: pngEnd,
  jpeg: jpegEnd,
  webp: webpEnd,
  gif: gifEnd,
};

/** Chunks of length, type, data and checksum (https://www.w3.org/TR/png-3/#5Chunk-layout). */
function* pngChunks(file: Buffer): Generator<{ type: string; start: number; end: number }> {
  for (let start = PNG_START; start + 12 <= file.length; ) {
    const type = file.toString("latin1", start + 4, start + 8);
    const end = start + 12 + file.readUInt32BE(start);
    yield { type, start, end };
    if (type === "IEND") return;
    start = end;
  }
}

function pngEnd(file: Buffer): number | null {
  for (const { type, end } of pngChunks(file)) if (type === "IEND") return end;
  return null;
}

const PNG_PIXELS = new Set(["IHDR", "PLTE", "tRNS", "iCCP", "IDAT", "IEND"]);

/** Drops a PNG's texts: its decoder would inflate 2 MiB of them to a gigabyte. */
export function pngPixels(bytes: Uint8Array): Uint8Array {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const kept = Array.from(pngChunks(file)).filter(({ type }) => PNG_PIXELS.has(type));
  const chunks = kept.map(({ start, end }) => file.subarray(start, end));
  return Buffer.concat([file.subarray(0, PNG_START), ...chunks]);
}

/** A decoder passes over a whole JPEG for each scan; progressive files have about ten. */
const MAX_SCANS = 20;

const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;
const isRestart = (marker: number) => marker >= 0xd0 && marker <= 0xd7;

/** Baseline and progressive frames, the tables of their decoders, restarts and comments. */
const SEGMENTS = new Set([0xc0, 0xc1, 0xc2, 0xc4, 0xc9, 0xca, 0xcc, 0xdb, 0xdd, 0xfe]);
const isApplicationData = (marker: number) => marker >= 0xe0 && marker <= 0xef;
const isSegment = (marker: number) =>
  SEGMENTS.has(marker) || isApplicationData(marker) || marker === START_OF_SCAN;

/**
 * Skips segments, and the data after each start of a scan (ITU-T T.81, annex B). Finds the markers
 * that libjpeg finds, and refuses files in which it would skip a part.
 */
function jpegEnd(file: Buffer): number | null {
  let scans = 0;
  let at = 2;
  while (file[at] === 0xff) {
    at = afterFill(file, at);
    const marker = file[at] ?? 0;
    at += 1;
    if (marker === END_OF_IMAGE) return at;
    if (at + 2 > file.length) return null;
    if (!isSegment(marker)) return null;
    const length = file.readUInt16BE(at);
    if (length < 2) return null;
    at += length;
    if (marker !== START_OF_SCAN) continue;
    scans += 1;
    if (scans > MAX_SCANS) throw refusal(`has more than ${MAX_SCANS} scans`);
    at = scanEnd(file, at);
  }
  return null;
}

function scanEnd(file: Buffer, start: number): number {
  let at = file.indexOf(0xff, start);
  while (at >= 0) {
    const end = afterFill(file, at);
    const next = file[end] ?? 0;
    // Data contains 0xff as 0xff and 0. A restart does not end the data either.
    if (next !== 0 && !isRestart(next)) return at;
    at = file.indexOf(0xff, end);
  }
  return file.length;
}

/** Returns the offset after a run of 0xff bytes: any length is allowed, even in a scan's data. */
function afterFill(file: Buffer, start: number): number {
  let at = start + 1;
  while (file[at] === 0xff) at += 1;
  return at;
}

/** The head has the length (https://developers.google.com/speed/webp/docs/riff_container). */
function webpEnd(file: Buffer): number | null {
  const end = 8 + file.readUInt32LE(4);
  return end >= 20 ? end + (end % 2) : null;
}

/** Blocks of sub-blocks, up to the trailer (https://www.w3.org/Graphics/GIF/spec-gif89a.txt). */
function gifEnd(file: Buffer): number | null {
  const tableBytes = (flags = 0) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  let at = 13 + tableBytes(file[10]);
  while (at < file.length) {
    const kind = file[at];
    if (kind === 0x3b) return at + 1;
    if (kind === 0x21) at += 2;
    else if (kind === 0x2c) at += 11 + tableBytes(file[at + 9]);
    else return null;
    for (let size = file[at] ?? 0; size > 0; size = file[at] ?? 0) at += 1 + size;
    at += 1;
  }
  return null;
}
