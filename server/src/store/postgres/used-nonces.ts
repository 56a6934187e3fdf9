import { sql } from "drizzle-orm";
import type { Database, Statement } from "../database.ts";
import type { UsedNonces } from "../used-nonces.ts";

/** Expired nonces are deleted after every 100 uses; more at once than were added between. */
const USES_BETWEEN_CLEANUPS = 100;
const DELETED_AT_ONCE = 1_000;

const USE: Statement<never> = () => sql`insert into used_nonces (id, expires_at)
  values (${sql.placeholder("id")}, ${sql.placeholder("expiresAt")}) on conflict do nothing`;

/** The nonces that were used at any server of the database. */
export class PostgresUsedNonces implements UsedNonces {
  readonly #db: Database;
  #uses = 0;

  constructor(db: Database) {
    this.#db = db;
  }

  async use(id: string, expiresAt: number, now: number): Promise<boolean> {
    if (this.#uses++ % USES_BETWEEN_CLEANUPS === 0) {
      await this.#db.write((session) =>
        session.run(sql`delete from used_nonces where id in (
          select id from used_nonces where expires_at <= ${Math.floor(now)}
          order by expires_at limit ${DELETED_AT_ONCE} for update skip locked)`),
      );
    }
    const row = { id, expiresAt: Math.ceil(expiresAt) };
    return (await this.#db.write((session) => session.run(USE, row))) > 0;
  }
}
