import { networkOf } from "../../domain/shares.ts";
import {
  FAILED_LAUNCH_IMAGE_MS,
  type ImageBounds,
  type ImageStore,
  type ImagesInUse,
  imageRefusal,
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
  readonly #isKept;
  readonly #inUse;
  readonly #store;
  readonly #keepForEver;
  readonly #delete;

  constructor(db: Database) {
    this.#db = db;
    const { $client: client } = db;
    this.#find = client.query<StoredImage, [string]>(
      "select media_type as mediaType, bytes from images where hash = ?",
    );
    this.#has = client.query<{ one: 1 }, [string]>("select 1 as one from images where hash = ?");
    this.#isKept = client.query<{ one: 1 }, [string]>(
      "select 1 as one from images where hash = ? and expires_at is null",
    );
    this.#inUse = client.query<ImagesInUse, Record<string, string | number | null>>(
      `select count(*) filter (where wallet = $wallet) as ofAgent,
         coalesce(sum(size) filter (where address = $address), 0) as address,
         coalesce(sum(size) filter (where network = $network), 0) as network,
         coalesce(sum(size), 0) as total
       from images where expires_at > $now and hash <> $hash`,
    );
    this.#store = client.query(
      `insert into images
         (hash, wallet, address, network, media_type, size, created_at, expires_at, bytes)
       values ($hash, $wallet, $address, $network, $mediaType, $size, $now, $expiresAt, $bytes)
       on conflict (hash) do update set wallet = excluded.wallet, address = excluded.address,
         network = excluded.network, expires_at = max(images.expires_at, excluded.expires_at)`,
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

  #put(image: NewImage, bounds: ImageBounds): PutImageOutcome {
    const { hash, wallet, address, mediaType, bytes, now, expiresAt } = image;
    if (this.#isKept.get(hash)) return "stored";
    const network = address === null ? null : networkOf(address);
    const used = this.#inUse.get({ hash, wallet, address, network, now });
    if (!used) throw new Error("a count has a row");
    const refusal = imageRefusal(image, used, bounds);
    if (refusal !== null) return refusal;
    const row = { hash, wallet, address, network, mediaType, now, expiresAt };
    this.#store.run({ ...row, size: bytes.length, bytes: Buffer.from(bytes) });
    return "stored";
  }
}
