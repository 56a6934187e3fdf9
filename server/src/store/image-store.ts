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
  /** Bytes of all agents' images together. */
  readonly maxBytes: number;
}

export type PutImageOutcome = "stored" | "agent_limit" | "space_full";

export interface StoredImage {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** The images that agents uploaded, each once, by the hash of its bytes. */
export interface ImageStore {
  /**
   * Stores an image. One that is there already stays as it is, for as long as the new one would at
   * least, and counts for nobody else.
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
