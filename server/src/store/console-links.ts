import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Database } from "./database.ts";
import { type Change, record } from "./operator.ts";
import { consoleLinks } from "./schema.ts";

/** A link that opens the operator's view once. */
export type ConsoleLink = Readonly<typeof consoleLinks.$inferSelect>;

/**
 * The database keeps only this of a link's secret, so a copy of the database opens no view.
 *
 * @returns SHA-256
 */
export function linkHash(secret: string): string {
  return createHash("sha256").update(`console link ${secret}`).digest("base64url");
}

/** The links that the operator has made, until they are opened. */
export class ConsoleLinks {
  constructor(private readonly db: Database) {}

  /** Stores a link, with its entry in the audit table, and forgets those that have expired. */
  create(link: ConsoleLink, change: Change): Promise<void> {
    return this.db.transaction(async (session) => {
      await session.run(sql`delete from console_links where expires_at <= ${session.now}`);
      await session.orm.insert(consoleLinks).values(link);
      await record(session, change);
    });
  }

  /** Uses a link up. @returns whether its view may pause; null if there is no such link, or it has expired */
  async use(secretHash: string): Promise<{ readonly mayControl: boolean } | null> {
    const used = await this.db.write((session) =>
      session.get(sql<{ mayControl: number; isInTime: number }>`delete from console_links
        where secret_hash = ${secretHash} returning may_control as "mayControl",
          case when expires_at > ${session.now} then 1 else 0 end as "isInTime"`),
    );
    return used && Number(used.isInTime) === 1 ? { mayControl: Boolean(used.mayControl) } : null;
  }
}
