import { type SQL, sql } from "drizzle-orm";
import { networkOf, type Shares, usedUpShare } from "../domain/shares.ts";
import { type Database, rowIn, type Statement } from "./database.ts";
import { images } from "./schema.ts";

/** Returns a file name such as `<hash>.jpg`. Static file servers derive the type from it. */
export function imageFile(hash: string, mediaType: string): string {
  return `${hash}.${mediaType.replace("image/", "").replace("jpeg", "jpg")}`;
}

/** How long the image of a launch that ended without a token is kept for a retry, in ms. */
export const FAILED_LAUNCH_IMAGE_MS = 30 * 86_400_000;

/** An image without an address counts towards no share. */
export interface NewImage
  extends Readonly<Pick<typeof images.$inferSelect, "hash" | "wallet" | "address" | "mediaType">> {
  readonly bytes: Uint8Array;
  /** WebP of 96 and 256 pixels; null if the image itself is no larger. */
  readonly small: Uint8Array | null;
  readonly medium: Uint8Array | null;
  readonly now: number;
  /** When it is deleted unless a launch uses it. */
  readonly expiresAt: number;
}

/** Limits of images that have not expired; `Infinity` is no limit. */
export interface ImageBounds {
  readonly maxOfAgent: number;
  readonly space: Shares;
  /** The bytes that an image counts for at least. Default: 0. */
  readonly least?: number;
}

export type PutImageOutcome = "stored" | "agent_limit" | "share_used" | "space_full";
export type StoredImage = Pick<NewImage, "mediaType" | "bytes">;

const find =
  (column: SQL): Statement<StoredImage> =>
  () =>
    sql`select media_type as "mediaType", ${column} as bytes from images
      where hash = ${sql.placeholder("hash")} and hidden_at is null and ${column} is not null`;
const FIND = { whole: find(sql`bytes`), small: find(sql`small`), medium: find(sql`medium`) };

export class Images {
  constructor(private readonly db: Database) {}

  /** Stores an image. It then counts for this agent alone, or for no agent if a token has it. */
  put(image: NewImage, { maxOfAgent, space, least = 0 }: ImageBounds): Promise<PutImageOutcome> {
    const { hash, wallet, address, mediaType, bytes, small, medium } = image;
    const size = Math.max(least, bytes.length + (small?.length ?? 0) + (medium?.length ?? 0));
    const network = address === null ? null : networkOf(address);
    const [now, expiresAt] = [Math.floor(image.now), Math.ceil(image.expiresAt)];
    return this.db.transaction(
      async (transaction): Promise<PutImageOutcome> => {
        const isOfToken = sql`hash = ${hash} and expires_at is null`;
        if ((await transaction.orm.$count(images, isOfToken)) > 0) return "stored";
        const used = rowIn(
          await transaction.all(sql<
            Record<"ofAgent" | "address" | "network" | "total", number>
          >`select
            count(*) filter (where wallet = ${wallet}) as "ofAgent",
            cast(coalesce(sum(size) filter (where address = ${address}), 0) as bigint) as address,
            cast(coalesce(sum(size) filter (where network = ${network}), 0) as bigint) as network,
            cast(coalesce(sum(size), 0) as bigint) as total
          from images where expires_at > ${now} and hash <> ${hash}`),
        );
        if (used.ofAgent >= maxOfAgent) return "agent_limit";
        const full = usedUpShare(address === null ? { total: used.total } : used, space, size);
        if (full !== null) return full === "total" ? "space_full" : "share_used";
        await transaction.run(sql`insert into images
            (hash, wallet, address, network, media_type, size, expires_at, small, medium, bytes)
          values (${hash}, ${wallet}, ${address}, ${network}, ${mediaType}, ${size}, ${expiresAt},
            ${small}, ${medium}, ${bytes})
          on conflict (hash) do update set wallet = excluded.wallet, address = excluded.address,
            network = excluded.network,
            expires_at = ${transaction.greatest}(images.expires_at, excluded.expires_at)
          where images.expires_at is not null`);
        return "stored";
      },
      // Uploads take turns, so that each one counts the ones before it.
      ["images"],
    );
  }

  /** Finds an image or its smaller size, which it may lack; `mediaType` is the whole image's. */
  find(hash: string, size: keyof typeof FIND = "whole"): Promise<StoredImage | null> {
    return this.db.read((session) => session.get(FIND[size], { hash }));
  }

  has(hash: string): Promise<boolean> {
    return this.db.read(async ({ orm }) => (await orm.$count(images, sql`hash = ${hash}`)) > 0);
  }

  /**
   * Deletes unused images and returns how many, and forgets where the others came from. A launch uses
   * its image while pending, always with a token, otherwise for {@link FAILED_LAUNCH_IMAGE_MS}.
   */
  deleteUnused(time: number): Promise<number> {
    const now = Math.floor(time);
    return this.db.transaction(async (transaction) => {
      // Waits until launches with one of them are stored, so that the next statement sees them.
      await transaction.all(sql`select count(*) from (select 1 from images
        where hash in (select hash from images where expires_at <= ${now})
        order by hash ${transaction.locking("for update")}) as locked`);
      const isOfToken = sql`exists (
        select 1 from launches where image_hash = images.hash and status = 'success')`;
      await transaction.run(sql`update images set address = null, network = null,
          expires_at = case when ${isOfToken} then null else expires_at end
        where expires_at <= ${now} and (address is not null or ${isOfToken})`);
      return await transaction.run(sql`delete from images
        where expires_at <= ${now} and not exists (
          select 1 from launches where image_hash = images.hash
            and (status = 'pending' or processed_at > ${now - FAILED_LAUNCH_IMAGE_MS}))`);
    });
  }
}
