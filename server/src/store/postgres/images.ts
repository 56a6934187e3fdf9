import {
  FAILED_LAUNCH_IMAGE_MS,
  type ImageBounds,
  type ImageStore,
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

const KEEP: Statement = {
  name: "keep_image",
  text: `update images set expires_at = case when expires_at is null then null
      else greatest(expires_at, $2) end where hash = $1 returning 1 as one`,
};

const USE: Statement = {
  name: "images_in_use",
  text: `select count(*) filter (where wallet = $1) as count, coalesce(sum(size), 0)::bigint as sum
    from images where expires_at > $2`,
};

const INSERT: Statement = {
  name: "insert_image",
  text: `insert into images (hash, wallet, media_type, size, created_at, expires_at, bytes)
    values ($1, $2, $3, $4, $5, $6, $7)`,
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
  const { hash, wallet, mediaType, bytes } = image;
  const [now, expiresAt] = [Math.floor(image.now), Math.ceil(image.expiresAt)];
  if ((await session.rows(KEEP, hash, expiresAt)).length > 0) return "stored";
  const [used] = await session.rows<{ count: number; sum: number }>(USE, wallet, now);
  if (!used) throw new Error("a count has a row");
  if (used.count >= bounds.maxOfAgent) return "agent_limit";
  if (used.sum + bytes.length > bounds.maxBytes) return "space_full";
  const row = [hash, wallet, mediaType, bytes.length, now, expiresAt, Buffer.from(bytes)];
  await session.rows(INSERT, ...row);
  return "stored";
}
