import { sql } from "drizzle-orm";
import type { Database, Statement } from "./database.ts";

/** Servers that share it accept each nonce only once between them. */
export type UsedNonces = Pick<NoncesInMemory, "use">;

/** For one process: its nonces end when it restarts. */
export class NoncesInMemory {
  /** Expiries by nonce, in the order of use. */
  readonly #expiries = new Map<string, number>();

  get size(): number {
    return this.#expiries.size;
  }

  /** Returns whether it is new. @param expiresAt when it expires, by the clock of `now` */
  async use(id: string, expiresAt: number, now: number): Promise<boolean> {
    // A nonce that was used later may expire earlier, and is then forgotten late.
    for (const [known, expiry] of this.#expiries) {
      if (expiry > now) break;
      this.#expiries.delete(known);
    }
    if (this.#expiries.has(id)) return false;
    this.#expiries.set(id, expiresAt);
    return true;
  }
}

/** Expired nonces are deleted after every 100 uses: more at once than were added in between. */
const USES_BETWEEN_CLEANUPS = 100;
const DELETED_AT_ONCE = 1_000;

const USE: Statement<never> = () => sql`insert into used_nonces (id, expires_at)
  values (${sql.placeholder("id")}, ${sql.placeholder("expiresAt")}) on conflict do nothing`;

export class StoredNonces implements UsedNonces {
  #uses = 0;

  constructor(private readonly db: Database) {}

  async use(id: string, expiresAt: number, now: number): Promise<boolean> {
    if (this.#uses++ % USES_BETWEEN_CLEANUPS === 0) {
      await this.db.write((session) =>
        session.run(sql`delete from used_nonces where id in (
          select id from used_nonces where expires_at <= ${Math.floor(now)}
          order by expires_at limit ${DELETED_AT_ONCE} for update skip locked)`),
      );
    }
    const row = { id, expiresAt: Math.ceil(expiresAt) };
    return (await this.db.write((session) => session.run(USE, row))) > 0;
  }
}
