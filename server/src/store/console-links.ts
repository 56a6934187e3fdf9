import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Database } from "./database.ts";
import { type Change, record } from "./operator.ts";
import { consoleLinks } from "./schema.ts";

/** The database keeps only this of a link's secret, so a copy of the database opens no view. */
export function linkHash(secret: string): string {
  return createHash("sha256").update(`console link ${secret}`).digest("base64url");
}

export class ConsoleLinks {
  constructor(private readonly db: Database) {}

  /** Also forgets those that have expired. */
  create(link: typeof consoleLinks.$inferInsert, change: Change): Promise<void> {
    return this.db.transaction(async (session) => {
      await session.run(sql`delete from console_links where expires_at <= ${session.now}`);
      await session.orm.insert(consoleLinks).values(link);
      await record(session, change);
    });
  }

  /** Uses a link up. @returns whether its view may pause; null if there is no such link, or it has expired */
  async use(secretHash: string): Promise<{ readonly mayControl: boolean } | null> {
    const [used] = await this.db.write(({ orm, now }) => {
      const isOpen = sql`secret_hash = ${secretHash} and expires_at > ${now}`;
      return orm.delete(consoleLinks).where(isOpen).returning();
    });
    return used ? { mayControl: used.mayControl === 1 } : null;
  }
}
