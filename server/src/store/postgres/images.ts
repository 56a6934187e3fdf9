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
import type { PostgresDatabase, Session, Statement } from "./database.ts";
import { lockAll } from "./locks.ts";

const FIND: Statement = {
  name: "find_image",
  text: `select media_type as "mediaType", bytes from images where hash = $1`,
};

const HAS: Statement = {
  name: "has_image",
  text: "select 1 as one from images where hash = $1",
};

const IS_KEPT: Statement = {
  name: "is_image_kept",
  text: "select 1 as one from images where hash = $1 and expires_at is null",
};

const IN_USE: Statement = {
  name: "images_in_use",
  text: `select count(*) filter (where wallet = $2) as "ofAgent",
      coalesce(sum(size) filter (where address = $3), 0)::bigint as address,
      coalesce(sum(size) filter (where network = $4), 0)::bigint as network,
      coalesce(sum(size), 0)::bigint as total
    from images where expires_at > $5 and hash <> $1`,
};

const STORE: Statement = {
  name: "store_image",
  text: `insert into images
      (hash, wallet, address, network, media_type, size, created_at, expires_at, bytes)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    on conflict (hash) do update set wallet = excluded.wallet, address = excluded.address,
      network = excluded.network, expires_at = greatest(images.expires_at, excluded.expires_at)
    where images.expires_at is not null`,
};

const KEEP_FOR_EVER: Statement = {
  name: "keep_images_of_tokens",
  text: `update images set expires_at = null where expires_at <= $1 and exists (
      select 1 from launches where image_hash = images.hash and status = 'success')`,
};

const LOCK_EXPIRED: Statement = {
  name: "lock_expired_images",
  text: `select count(*) from (
      select 1 from images where expires_at <= $1 order by hash for update) as locked`,
};

const DELETE: Statement = {
  name: "delete_unused_images",
  text: `delete from images where expires_at <= $1 and not exists (
      select 1 from launches where image_hash = images.hash
        and (status = 'pending' or processed_at > $2)) returning 1 as one`,
};

/** The image table, shared by all servers of the database. */
export class PostgresImageStore implements ImageStore {
  readonly #db: PostgresDatabase;

  constructor(db: PostgresDatabase) {
    this.#db = db;
  }

  put(image: NewImage, bounds: ImageBounds): Promise<PutImageOutcome> {
    // One upload at a time is counted and stored.
    return this.#db.transaction((session) => put(session, image, bounds), lockAll(["images"]));
  }

  async find(hash: string): Promise<StoredImage | null> {
    const [row] = await this.#db.read((session) => session.rows<StoredImage>(FIND, hash));
    return row ?? null;
  }

  async has(hash: string): Promise<boolean> {
    return (await this.#db.read((session) => session.rows(HAS, hash))).length > 0;
  }

  deleteUnused(now: number): Promise<number> {
    return this.#db.transaction(async (session) => {
      // Waits for launches that are being stored with one of them; the next statement sees them.
      await session.rows(LOCK_EXPIRED, Math.floor(now));
      await session.rows(KEEP_FOR_EVER, Math.floor(now));
      const failedSince = Math.floor(now) - FAILED_LAUNCH_IMAGE_MS;
      return (await session.rows(DELETE, Math.floor(now), failedSince)).length;
    });
  }
}

async function put(
  session: Session,
  image: NewImage,
  bounds: ImageBounds,
): Promise<PutImageOutcome> {
  const { hash, wallet, address, mediaType, bytes } = image;
  const network = address === null ? null : networkOf(address);
  const [now, expiresAt] = [Math.floor(image.now), Math.ceil(image.expiresAt)];
  if ((await session.rows(IS_KEPT, hash)).length > 0) return "stored";
  const holder = [hash, wallet, address, network];
  const [used] = await session.rows<ImagesInUse>(IN_USE, ...holder, now);
  if (!used) throw new Error("a count has a row");
  const refusal = imageRefusal(image, used, bounds);
  if (refusal !== null) return refusal;
  const stored = [mediaType, bytes.length, now, expiresAt, Buffer.from(bytes)];
  await session.rows(STORE, ...holder, ...stored);
  return "stored";
}
