import {
  FAILED_LAUNCH_IMAGE_MS,
  type ImageBounds,
  type ImageStore,
  type NewImage,
  type PutImageOutcome,
  type StoredImage,
} from "../image-store.ts";
import type { Database } from "./database.ts";

/** The image table. Each call is one synchronous transaction. */
export class SqliteImageStore implements ImageStore {
  readonly #db: Database;
  readonly #find;
  readonly #has;
  readonly #keep;
  readonly #countOfAgent;
  readonly #bytes;
  readonly #insert;
  readonly #keepForEver;
  readonly #delete;

  constructor(db: Database) {
    this.#db = db;
    const { $client: client } = db;
    this.#find = client.query<StoredImage, [string]>(
      "select media_type as mediaType, bytes from images where hash = ?",
    );
    this.#has = client.query<{ one: 1 }, [string]>("select 1 as one from images where hash = ?");
    this.#keep = client.query<{ one: 1 }, { hash: string; until: number }>(
      `update images set expires_at = case when expires_at is null then null
         else max(expires_at, $until) end where hash = $hash returning 1 as one`,
    );
    this.#countOfAgent = client.query<{ count: number }, [string, number]>(
      "select count(*) as count from images where wallet = ? and expires_at > ?",
    );
    this.#bytes = client.query<{ sum: number }, [number]>(
      "select coalesce(sum(size), 0) as sum from images where expires_at > ?",
    );
    this.#insert = client.query(
      `insert into images (hash, wallet, media_type, size, created_at, expires_at, bytes)
       values ($hash, $wallet, $mediaType, $size, $now, $expiresAt, $bytes)`,
    );
    this.#keepForEver = client.query(
      `update images set expires_at = null where expires_at <= $now and exists (
         select 1 from launches where image_hash = images.hash and status = 'success')`,
    );
    this.#delete = client.query(
      `delete from images where expires_at <= $now and not exists (
         select 1 from launches where image_hash = images.hash
           and (status = 'pending' or processed_at > $failedSince))`,
    );
  }

  async put(image: NewImage, bounds: ImageBounds): Promise<PutImageOutcome> {
    return this.#db.transaction(() => this.#put(image, bounds), { behavior: "immediate" });
  }

  async find(hash: string): Promise<StoredImage | null> {
    return this.#find.get(hash);
  }

  async has(hash: string): Promise<boolean> {
    return this.#has.get(hash) !== null;
  }

  async deleteUnused(now: number): Promise<number> {
    const sweep = () => {
      this.#keepForEver.run({ now });
      return this.#delete.run({ now, failedSince: now - FAILED_LAUNCH_IMAGE_MS }).changes;
    };
    return this.#db.transaction(sweep, { behavior: "immediate" });
  }

  #put({ bytes, ...image }: NewImage, bounds: ImageBounds): PutImageOutcome {
    if (this.#keep.get({ hash: image.hash, until: image.expiresAt })) return "stored";
    const ofAgent = this.#countOfAgent.get(image.wallet, image.now)?.count ?? 0;
    if (ofAgent >= bounds.maxOfAgent) return "agent_limit";
    const size = bytes.length;
    const sum = this.#bytes.get(image.now)?.sum ?? 0;
    if (sum + size > bounds.maxBytes) return "space_full";
    this.#insert.run({ ...image, size, bytes: Buffer.from(bytes) });
    return "stored";
  }
}
