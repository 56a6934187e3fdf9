import { type Shares, usedUpShare } from "../domain/shares.ts";

/** The ending of an image's file, by which static file servers find its type. */
const ENDINGS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
};

/** @returns the name of an image's file, for example `<hash>.png` */
export function imageFile(hash: string, mediaType: string): string {
  return `${hash}.${ENDINGS[mediaType]}`;
}

/** A launch that ended without a token keeps its image for this long, for a retry; in milliseconds. */
export const FAILED_LAUNCH_IMAGE_MS = 30 * 86_400_000;

/** An image to be stored. */
export interface NewImage {
  /** SHA-256 of the bytes in lowercase hex: its name. */
  readonly hash: string;
  /** Who uploads it. */
  readonly wallet: string;
  /** The network address that it comes from; null if no share counts it. */
  readonly address: string | null;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  readonly now: number;
  /** Until when it stays without a launch. */
  readonly expiresAt: number;
}

/** What counts are the images that have not expired yet; `Infinity` is no limit. */
export interface ImageBounds {
  /** Images of one agent. */
  readonly maxOfAgent: number;
  /** Bytes of images. */
  readonly space: Shares;
}

export type PutImageOutcome = "stored" | "agent_limit" | "share_used" | "space_full";

/** What decides on an upload: images that have not expired, without the one that is uploaded. */
export interface ImagesInUse {
  /** Images of the agent. */
  readonly ofAgent: number;
  /** Bytes from the address. */
  readonly address: number;
  readonly network: number;
  readonly total: number;
}

/** @returns why an image is not stored; null if it is */
export function imageRefusal(
  { address, bytes }: NewImage,
  { ofAgent, total, ...shares }: ImagesInUse,
  { maxOfAgent, space }: ImageBounds,
): Exclude<PutImageOutcome, "stored"> | null {
  if (ofAgent >= maxOfAgent) return "agent_limit";
  const used = address === null ? { total } : { ...shares, total };
  const full = usedUpShare(used, space, bytes.length);
  if (full === null) return null;
  return full === "total" ? "space_full" : "share_used";
}

export interface StoredImage {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** The images that agents uploaded, each once, by the hash of its bytes. */
export interface ImageStore {
  /**
   * Stores an image. One that is there already stays for as long as the new one would at least, and
   * from then on counts for this agent alone, which keeps it. One that a token has counts for none.
   */
  put(image: NewImage, bounds: ImageBounds): Promise<PutImageOutcome>;
  find(hash: string): Promise<StoredImage | null>;
  /** Whether there is an image; reads no bytes of it. */
  has(hash: string): Promise<boolean>;
  /**
   * Deletes the images that have expired and that no launch uses. A launch uses its image while it is
   * pending, for ever once it has a token, and otherwise for {@link FAILED_LAUNCH_IMAGE_MS}.
   *
   * @returns how many it deleted
   */
  deleteUnused(now: number): Promise<number>;
}
