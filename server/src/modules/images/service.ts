import { createHash } from "node:crypto";
import type { UploadedImage } from "@tokenctl/shared/types";
import type { Clock } from "../../base/clock.ts";
import { ServiceError } from "../../base/service-error.ts";
import {
  type ImageBounds,
  type ImageStore,
  imageFile,
  type StoredImage,
} from "../../store/image-store.ts";
import { sanitizeImage } from "./sanitize.ts";
import { UploadSlots } from "./upload-slots.ts";

/** How long an image stays that no launch uses, in milliseconds. */
const UNUSED_IMAGE_MS = 86_400_000;

const BUSY_RETRY_SECONDS = 5;
/** The `Retry-After` of a full quota: each hour some of the day's images expire. */
const QUOTA_RETRY_SECONDS = 3_600;

/** The name of an image: its hash, alone or with the ending of its type. */
const FILE = /^([0-9a-f]{64})(?:\.[a-z]+)?$/;

export interface ImageServiceDeps {
  readonly images: ImageStore;
  readonly clock: Clock;
  readonly bounds: ImageBounds;
  /** Returns the URL under which new images are read, without a slash at its end. */
  readonly baseUrl: () => string;
  /** Returns the server's own URL, under which images are read too. */
  readonly publicUrl: () => string;
}

/** Stores the images that agents upload, and says which of them a launch uses. */
export class ImageService {
  readonly #deps: ImageServiceDeps;
  readonly #slots = new UploadSlots();
  /** Ends when the decoding under way has. */
  #decoding: Promise<unknown> = Promise.resolve();

  constructor(deps: ImageServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Stores an image. The same upload again returns the same URL.
   *
   * @param read receives the upload; called only if there is room for it
   * @throws {ServiceError} `image_refused`, `agent_image_limit`, `image_space_full`, `uploads_busy`,
   * and what `read` throws
   */
  async upload(wallet: string, read: () => Promise<Uint8Array>): Promise<UploadedImage> {
    if (!this.#slots.take(wallet)) {
      throw new ServiceError("uploads_busy", { retryAfterSeconds: BUSY_RETRY_SECONDS });
    }
    try {
      return await this.#store(wallet, await read());
    } finally {
      this.#slots.free(wallet);
    }
  }

  /**
   * @param file a hash, or a hash with the ending of the image's type
   * @throws {ServiceError} 404 if there is no such image
   */
  async read(file: string): Promise<StoredImage & { readonly hash: string }> {
    const hash = FILE.exec(file)?.[1];
    const image = hash === undefined ? null : await this.#deps.images.find(hash);
    if (image && hash !== undefined && [hash, imageFile(hash, image.mediaType)].includes(file)) {
      return { ...image, hash };
    }
    throw new ServiceError("image_not_found");
  }

  /**
   * Reads the URL of an image of this service.
   *
   * @returns the hash in it, which is empty if it has none; null for any other URL
   */
  hashOf(imageUrl: string): string | null {
    const { baseUrl, publicUrl } = this.#deps;
    const prefix = [baseUrl(), publicUrl()]
      .map((base) => `${base}/images/`)
      .find((own) => imageUrl.startsWith(own));
    if (prefix === undefined) return null;
    return FILE.exec(imageUrl.slice(prefix.length))?.[1] ?? "";
  }

  /** Whether a URL is of this service, and there is no such image. */
  async isMissing(imageUrl: string): Promise<boolean> {
    const hash = this.hashOf(imageUrl);
    return hash !== null && !(await this.#deps.images.has(hash));
  }

  async #store(wallet: string, upload: Uint8Array): Promise<UploadedImage> {
    const { bytes, mediaType, width, height } = await this.#inTurn(() => sanitizeImage(upload));
    const { images, clock, bounds, baseUrl } = this.#deps;
    const hash = createHash("sha256").update(bytes).digest("hex");
    const now = clock.now();
    const expiresAt = now + UNUSED_IMAGE_MS;
    const image = { hash, wallet, mediaType, bytes, now, expiresAt };
    const outcome = await images.put(image, bounds);
    if (outcome === "agent_limit") {
      throw new ServiceError("agent_image_limit", {
        retryAfterSeconds: QUOTA_RETRY_SECONDS,
        advice: `At most ${bounds.maxOfAgent} new images of an agent are accepted in 24 hours.`,
      });
    }
    if (outcome === "space_full") {
      throw new ServiceError("image_space_full", { retryAfterSeconds: QUOTA_RETRY_SECONDS });
    }
    return {
      success: true,
      url: `${baseUrl()}/images/${imageFile(hash, mediaType)}`,
      hash,
      mediaType,
      width,
      height,
      size: bytes.length,
      expiresAt: new Date(expiresAt).toISOString(),
    };
  }

  /** One image is decoded at a time: its pixels take up to 64 MiB. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#decoding.then(work);
    this.#decoding = done.catch(() => {});
    return done;
  }
}
