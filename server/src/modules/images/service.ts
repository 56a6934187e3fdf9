import { createHash } from "node:crypto";
import { limits } from "@tokenctl/shared/limits";
import type { UploadedImage } from "@tokenctl/shared/types";
import type { Clock } from "../../base/clock.ts";
import { GroupCommit } from "../../base/group-commit.ts";
import { ServiceError } from "../../base/service-error.ts";
import {
  type Client,
  clientOf,
  type Requester,
  type ShareLevel,
  type SharePercents,
  type SharePlace,
  SharePool,
  sharesOf,
} from "../../domain/shares.ts";
import { requirePlace } from "../../http/admit.ts";
import { type ImageBounds, type Images, imageFile, type StoredImage } from "../../store/images.ts";
import type { ImageDecoder } from "./decoder.ts";
import type { CleanImage } from "./sanitize.ts";

const UNUSED_IMAGE_MS = 86_400_000;
const [SMALL] = limits.image.sizes;
export const MEDIUM = limits.image.sizes[1];

const BUSY_RETRY_SECONDS = 5;
/** The `Retry-After` of a full quota: each hour some of the day's images expire. */
const QUOTA_RETRY_SECONDS = 3_600;

const FILE = /^([0-9a-f]{64})(?:\.[a-z]+)?$/;

/** The bytes that an upload counts for before any arrive, and an image at least: a page on disk. */
const LEAST_BYTES = 4 * 1024;
const MAX_RECEIVED_BYTES = 64 * 1024 ** 2;
/** The most uploads that wait for the decoder; each takes up to 2 MiB. */
const MAX_WAITING = 32;
const MAX_OF_AGENT = 4;
/** The most requests that wait for a whole image; a tenth of them of one address. */
const MAX_READING = 1_000;

export class ImageService {
  readonly #receiving: SharePool;
  readonly #waiting: SharePool;
  readonly #reading: SharePool;
  /** One at a time: of 2 MiB, PostgreSQL's driver takes 15 ms of the thread that answers requests. */
  readonly #reads = new GroupCommit(
    async ([hash = ""]: readonly string[]) => [await this.deps.images.find(hash)],
    1,
  );

  constructor(
    private readonly deps: {
      readonly images: Images;
      readonly clock: Clock;
      readonly bounds: ImageBounds;
      readonly decoder: Pick<ImageDecoder, "make">;
      readonly shares: SharePercents;
      readonly baseUrl: () => string;
      readonly publicUrl: () => string;
    },
  ) {
    const ofAgent = MAX_OF_AGENT * (limits.image.bytes + LEAST_BYTES);
    this.#receiving = new SharePool(sharesOf(MAX_RECEIVED_BYTES, ofAgent, deps.shares));
    this.#waiting = new SharePool(sharesOf(MAX_WAITING, MAX_OF_AGENT, deps.shares));
    this.#reading = new SharePool(sharesOf(MAX_READING, MAX_READING / 10, deps.shares));
  }

  /**
   * Stores an upload. The same upload again returns the same URL.
   * @param receive calls `onBytes` with the number of bytes of each part that arrives
   */
  async upload(
    requester: Requester,
    receive: (onBytes: (bytes: number) => void) => Promise<Uint8Array>,
    signal: AbortSignal,
  ): Promise<UploadedImage> {
    const client = clientOf(requester.wallet, requester.address);
    const upload = await this.#received(client, receive);
    using _place = placeIn(this.#waiting, client, 1);
    const image = await this.deps.decoder.make(upload, signal);
    return this.#store(requester, image);
  }

  /**
   * Reads an image by its hash, with or without the file's extension.
   * @param side a size of `limits.image.sizes`; null, or an image no larger, reads the image itself
   * @param address of the client
   * @throws {ServiceError} 404, 429 if too many wait
   */
  async read(
    file: string,
    side: number | null,
    address: string | null,
  ): Promise<StoredImage & { readonly etag: string }> {
    const { images } = this.deps;
    const hash = FILE.exec(file)?.[1];
    if (hash === undefined) throw new ServiceError("image_not_found");
    const smaller = side && (await images.find(hash, side === SMALL ? "small" : "medium"));
    const image = smaller || (await this.#findWhole(hash, address));
    if (image === null || ![hash, imageFile(hash, image.mediaType)].includes(file)) {
      throw new ServiceError("image_not_found");
    }
    if (!smaller) return { ...image, etag: `"${hash}"` };
    return { bytes: smaller.bytes, mediaType: "image/webp", etag: `"${hash}-${side}"` };
  }

  async #findWhole(hash: string, address: string | null): Promise<StoredImage | null> {
    using _place = requirePlace(this.#reading.take(clientOf(undefined, address)), 1);
    return await this.#reads.add(hash);
  }

  /** Returns the hash in the URL of an image of this service, or `""`; null for any other URL. */
  hashOf(imageUrl: string): string | null {
    const { baseUrl, publicUrl } = this.deps;
    const prefix = [baseUrl(), publicUrl()]
      .map((base) => `${base}/images/`)
      .find((own) => imageUrl.startsWith(own));
    if (prefix === undefined) return null;
    return FILE.exec(imageUrl.slice(prefix.length))?.[1] ?? "";
  }

  async isMissing(imageUrl: string): Promise<boolean> {
    const hash = this.hashOf(imageUrl);
    return hash !== null && !(await this.deps.images.has(hash));
  }

  async #received(
    client: Client,
    receive: (onBytes: (bytes: number) => void) => Promise<Uint8Array>,
  ): Promise<Uint8Array> {
    using place = placeIn(this.#receiving, client, LEAST_BYTES);
    return await receive((bytes) => {
      const full = place.grow(bytes);
      if (full !== null) throw uploadRefusal(full);
    });
  }

  async #store(requester: Requester, clean: CleanImage): Promise<UploadedImage> {
    const { bytes, mediaType, small, medium } = clean;
    const { images, clock, bounds, baseUrl } = this.deps;
    const hash = createHash("sha256").update(bytes).digest("hex");
    const now = clock.now();
    const expiresAt = now + UNUSED_IMAGE_MS;
    const image = { ...requester, hash, mediaType, bytes, small, medium, now, expiresAt };
    const outcome = await images.put(image, { ...bounds, least: LEAST_BYTES });
    if (outcome !== "stored") {
      const retryAfterSeconds = QUOTA_RETRY_SECONDS;
      throw new ServiceError(SPACE_REFUSALS[outcome], { retryAfterSeconds });
    }
    return {
      success: true,
      url: `${baseUrl()}/images/${imageFile(hash, mediaType)}`,
      expiresAt: new Date(expiresAt).toISOString(),
    };
  }
}

function placeIn(pool: SharePool, client: Client, amount: number): SharePlace {
  const place = pool.take(client, amount);
  if (typeof place === "string") throw uploadRefusal(place);
  return place;
}

function uploadRefusal(full: ShareLevel): ServiceError {
  const code = full === "agent" || full === "total" ? "uploads_busy" : "share_used";
  return new ServiceError(code, { retryAfterSeconds: BUSY_RETRY_SECONDS });
}

const SPACE_REFUSALS = {
  agent_limit: "agent_image_limit",
  share_used: "share_used",
  space_full: "image_space_full",
} as const;
