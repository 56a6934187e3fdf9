import type { ImageFormat } from "@tokenctl/shared/image-format";
import { limits } from "@tokenctl/shared/limits";
import { formatOf, pngPixels, refusal } from "./container.ts";

export interface CleanImage {
  readonly bytes: Uint8Array;
  readonly mediaType: "image/png" | "image/jpeg" | "image/webp";
  /** WebP of 96 and 256 pixels; null if the image itself is no larger. */
  readonly small: Uint8Array | null;
  readonly medium: Uint8Array | null;
}

const { bytes: MAX_BYTES, side: MAX_SIDE, storedSide: STORED_SIDE, sizes } = limits.image;
const QUALITY = 90;
const SMALLER_QUALITY = 80;

/**
 * Encodes the pixels again, at most 1024 a side, which drops metadata and files behind the image. A
 * GIF becomes a PNG of its first picture. Not `sharp`: a binary cannot load its native addons.
 */
export async function sanitizeImage(file: Uint8Array): Promise<CleanImage> {
  const format = formatOf(file);
  const upload = format === "png" ? pngPixels(file) : file;
  await checkSize(upload);
  const scaled = () =>
    new Bun.Image(upload, { maxPixels: MAX_SIDE * MAX_SIDE }).resize(STORED_SIDE, STORED_SIDE, {
      fit: "inside",
      withoutEnlargement: true,
    });
  let image = encoded(scaled(), format);
  let bytes = await decoded(image.bytes());
  if (bytes.length > MAX_BYTES) {
    // Noise is too large as PNG. As lossy WebP, 1024 × 1024 pixels always fit.
    image = scaled().webp({ quality: QUALITY });
    bytes = await decoded(image.bytes());
  }
  const mediaType = MEDIA_TYPES[formatOf(bytes)];
  const [small, medium] = await Promise.all(sizes.map((size) => smaller(image, bytes, size)));
  return { bytes, mediaType, small: small ?? null, medium: medium ?? null };
}

/** Scales the shorter side to `side`, because pages show a square of an image. */
async function smaller({ width, height }: Bun.Image, bytes: Uint8Array, side: number) {
  const scale = side / Math.min(width, height);
  if (scale >= 1) return null;
  const [scaledWidth, scaledHeight] = [Math.round(width * scale), Math.round(height * scale)];
  const scaled = new Bun.Image(bytes).resize(scaledWidth, scaledHeight);
  return decoded(scaled.webp({ quality: SMALLER_QUALITY }).bytes());
}

const MEDIA_TYPES = {
  png: "image/png",
  gif: "image/png",
  jpeg: "image/jpeg",
  webp: "image/webp",
} as const;

/** Reads only the head, so that nothing of a bomb is decoded. */
async function checkSize(upload: Uint8Array): Promise<void> {
  const { width, height } = await decoded(
    // Otherwise Bun refuses the image itself, without saying the size.
    new Bun.Image(upload, { maxPixels: Number.MAX_SAFE_INTEGER }).metadata(),
  );
  if (width <= MAX_SIDE && height <= MAX_SIDE) return;
  throw refusal(`has ${width} × ${height} pixels; it may have ${MAX_SIDE} × ${MAX_SIDE}`);
}

function encoded(image: Bun.Image, format: ImageFormat): Bun.Image {
  if (format === "jpeg") return image.jpeg({ quality: QUALITY });
  return format === "webp" ? image.webp({ quality: QUALITY }) : image.png();
}

async function decoded<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (cause) {
    throw refusal("cannot be decoded: it is damaged, or of a kind that is not supported", cause);
  }
}
