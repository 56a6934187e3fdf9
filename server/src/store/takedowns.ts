import { sql } from "drizzle-orm";
import type { Database } from "./database.ts";
import { INTAKE_LOCK } from "./launch-queue.ts";
import { type Change, record } from "./operator.ts";

/** A token that was hidden or shown again; `unchanged` if it already was. */
export type HiddenToken = NonNullable<Awaited<ReturnType<Takedowns["setHidden"]>>>;
export type Erased = NonNullable<Awaited<ReturnType<Takedowns["forget"]>>>;

/** Commits each change together with its audit entry. */
export class Takedowns {
  constructor(private readonly db: Database) {}

  /**
   * Hides a token or shows it again. Its image stays hidden while any hidden token has it.
   * @param token its mint, its ticker or its launch's event id
   */
  setHidden(token: string, isHidden: boolean, change: Change) {
    return this.db.transaction(async (session) => {
      const found = await session.get<
        Record<"tokenMint" | "ticker", string> & Record<"hiddenAt" | "imageHash", unknown>
      >(sql`select tokens.token_mint as "tokenMint", tokens.ticker as ticker,
          hidden_at as "hiddenAt", image_hash as "imageHash"
        from tokens join launches on seq = launch_seq where tokens.token_mint in (
          select ${token} union all select token_mint from launches
          where event_id = ${token} or (ticker = ${token} and ticker_released = 0))`);
      if (!found) return null;
      const { tokenMint, ticker, imageHash } = found;
      if ((found.hiddenAt !== null) === isHidden)
        return { kind: "unchanged", tokenMint, ticker } as const;
      const hiddenAt = isHidden ? session.now : null;
      await session.run(
        sql`update tokens set hidden_at = ${hiddenAt} where token_mint = ${tokenMint}`,
      );
      await session.run(sql`update images set hidden_at = ${hiddenAt} where hash = ${imageHash}
        and (${isHidden ? 1 : 0} = 1 or not exists (select 1 from launches
          join tokens using (token_mint) where image_hash = hash and tokens.hidden_at is not null))`);
      await record(session, { ...change, subject: tokenMint, detail: ticker });
      return { kind: "changed", tokenMint, ticker } as const;
    });
  }

  /** Keeps what is on chain or in the accounts. @returns null while it has pending launches */
  forget(wallet: string, change: Change) {
    return this.db.transaction(
      async (session) => {
        const isOwn = sql`wallet = ${wallet}`;
        const waits = sql`select 1 from launches where ${isOwn} and status = 'pending' limit 1`;
        if (await session.get(waits)) return null;
        await session.run(sql`update tokens set image_url = null where ${isOwn}`);
        await session.run(sql`delete from webhook_deliveries where webhook_id in (
          select id from webhooks where ${isOwn})`);
        const erased = {
          // Keeps an image that another wallet's launch has too. Any wallet may have uploaded it last.
          images: await session.run(sql`delete from images where not exists (
              select 1 from launches where image_hash = images.hash and wallet <> ${wallet})
            and (${isOwn} or expires_at is null) and hash in (select image_hash from launches
              where ${isOwn} union all select hash from images where expires_at > 0 and ${isOwn})`),
          // A name that is on chain stays. A launch without a token gets its ticker as its name.
          launches: await session.run(sql`update launches set description = null, website = null,
            twitter = null, telegram = null, image_url = null, image_hash = null, address = null,
            network = null, name = case when status = 'success' then name else ticker end,
            on_chain_name = case when status = 'success' then on_chain_name end
            where ${isOwn}`),
          webhooks: await session.run(sql`delete from webhooks where ${isOwn}`),
          events: await session.run(sql`delete from events where ${isOwn}`),
          thresholds: await session.run(sql`delete from fee_thresholds where ${isOwn}`),
        };
        // An image that another wallet's launch has too is left, and what counts as started.
        const nowhere = sql`set address = null, network = null where ${isOwn}`;
        await session.run(sql`update images ${nowhere} and expires_at > 0`);
        await session.run(sql`update launch_starts ${nowhere}`);
        const detail = Object.entries(erased).map(([what, count]) => `${count} ${what}`);
        await record(session, { ...change, detail: detail.join(", ") });
        return erased;
      },
      [INTAKE_LOCK],
    );
  }
}
