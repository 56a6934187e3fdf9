import type { UsedNonces } from "../used-nonces.ts";
import type { PostgresDatabase, Statement } from "./database.ts";

/** After so many uses, expired nonces are deleted; more at once than are added between. */
const USES_BETWEEN_CLEANUPS = 100;
const DELETED_AT_ONCE = 1_000;

const USE: Statement = {
  name: "use_nonce",
  text: `insert into used_nonces (id, expires_at) values ($1, $2)
    on conflict do nothing returning 1 as one`,
};

const CLEAN_UP: Statement = {
  name: "forget_nonces",
  text: `delete from used_nonces where id in (
    select id from used_nonces where expires_at <= $1
    order by expires_at limit ${DELETED_AT_ONCE} for update skip locked)`,
};

/** The nonces that were used at any server of the database. */
export class PostgresUsedNonces implements UsedNonces {
  readonly #db: PostgresDatabase;
  #uses = 0;

  constructor(db: PostgresDatabase) {
    this.#db = db;
  }

  async use(id: string, expiresAt: number, now: number): Promise<boolean> {
    if (this.#uses++ % USES_BETWEEN_CLEANUPS === 0) {
      await this.#db.write((session) => session.rows(CLEAN_UP, Math.floor(now)));
    }
    const used = await this.#db.write((session) => session.rows(USE, id, Math.ceil(expiresAt)));
    return used.length > 0;
  }
}
