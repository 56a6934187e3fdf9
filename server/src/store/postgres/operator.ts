import { and, desc, eq, gt, isNotNull, isNull, lt, or, sql } from "drizzle-orm";
import { DAY_MS } from "../../base/utc-day.ts";
import type { Standing } from "../../domain/admission.ts";
import { patched, type Steering, type SteeringPatch, UNSTEERED } from "../../domain/steering.ts";
import type { Invite, NewInvite, RedeemOutcome } from "../admission.ts";
import type {
  AgentReport,
  AuditEntry,
  Change,
  LaunchFilter,
  LaunchReport,
  LaunchSignature,
  OperatorStore,
  ServerReport,
} from "../operator-store.ts";
import { Admission } from "./admission.ts";
import type { PostgresDatabase, Session } from "./database.ts";
import { lockAll } from "./locks.ts";
import { OperatorReads } from "./operator-reads.ts";
import { agentRules, audit, invites, servers, steering } from "./schema.ts";

/** What the operator reads and changes, at any server of the database. */
export class PostgresOperatorStore implements OperatorStore {
  readonly #db: PostgresDatabase;
  readonly #time;
  readonly #admission: Admission;
  readonly #reads: OperatorReads;
  readonly #listeners: ((version: number) => void)[] = [];

  /** @param time SQL for the database's time in milliseconds */
  constructor(db: PostgresDatabase, time: string) {
    this.#db = db;
    this.#time = sql.raw(time);
    this.#admission = new Admission(db, time);
    this.#reads = new OperatorReads(db);
  }

  standing(wallet: string): Promise<Standing> {
    return this.#admission.standing(wallet);
  }

  redeem(wallet: string, codeHash: string): Promise<RedeemOutcome> {
    return this.#admission.redeem(wallet, codeHash);
  }

  allow(wallet: string, isAllowed: boolean, change: Change): Promise<boolean> {
    return this.#setRule("allowedAt", wallet, isAllowed, change);
  }

  block(wallet: string, isBlocked: boolean, change: Change): Promise<boolean> {
    return this.#setRule("blockedAt", wallet, isBlocked, change);
  }

  #setRule(
    rule: "allowedAt" | "blockedAt",
    wallet: string,
    isOn: boolean,
    change: Change,
  ): Promise<boolean> {
    return this.#db.transaction(
      async (session) => {
        const [row] = await session.orm
          .select()
          .from(agentRules)
          .where(eq(agentRules.wallet, wallet));
        if (((row?.[rule] ?? null) !== null) === isOn) return false;
        const set = { [rule]: isOn ? sql`${this.#time}` : null };
        await session.orm
          .insert(agentRules)
          .values({ wallet, ...set })
          .onConflictDoUpdate({ target: agentRules.wallet, set });
        await this.#record(session, change);
        return true;
      },
      lockAll([`wallet ${wallet}`]),
    );
  }

  createInvites(created: readonly NewInvite[], change: Change): Promise<Invite[]> {
    return this.#db.transaction(async (session) => {
      const rows = await session.orm
        .insert(invites)
        .values(created.map((invite) => ({ ...invite, createdAt: sql`${this.#time}` })))
        .returning();
      await this.#record(session, { ...change, subject: rows.map(({ id }) => id).join(", ") });
      return rows.map(({ codeHash: _, ...invite }) => invite);
    });
  }

  revokeInvite(id: number, change: Change): Promise<boolean> {
    return this.#db.transaction(async (session) => {
      const revoked = await session.orm
        .update(invites)
        .set({ revokedAt: sql`${this.#time}` })
        .where(and(eq(invites.id, id), isNull(invites.revokedAt)))
        .returning({ id: invites.id });
      if (revoked.length > 0) await this.#record(session, change);
      return revoked.length > 0;
    });
  }

  async invites(): Promise<Invite[]> {
    const rows = await this.#db.read(({ orm }) =>
      orm.select().from(invites).orderBy(desc(invites.id)),
    );
    return rows.map(({ codeHash: _, ...invite }) => invite);
  }

  async steering(): Promise<Steering> {
    const found = await this.#db.read(readSteering);
    this.saw(found.version);
    return found;
  }

  async steer(patch: SteeringPatch, change: Change): Promise<Steering> {
    const steered = await this.#db.transaction(
      async (session) => {
        const { version: before, ...current } = await readSteering(session);
        const settings = patched(current, patch);
        const version = before + 1;
        await session.orm
          .insert(steering)
          .values({ id: 1, version, settings })
          .onConflictDoUpdate({ target: steering.id, set: { version, settings } });
        await this.#record(session, change);
        return { ...settings, version };
      },
      lockAll(["steering"]),
    );
    this.saw(steered.version);
    return steered;
  }

  onSteering(listener: (version: number) => void): void {
    this.#listeners.push(listener);
  }

  /** Tells the listeners of a version that a statement has read. */
  saw(version: number): void {
    for (const listener of this.#listeners) listener(version);
  }

  async record(change: Change): Promise<void> {
    await this.#db.write((session) => this.#record(session, change));
  }

  audit(limit: number): Promise<AuditEntry[]> {
    return this.#db.read(({ orm }) =>
      orm.select().from(audit).orderBy(desc(audit.id)).limit(limit),
    );
  }

  async report(server: ServerReport): Promise<void> {
    const { id, ...set } = { ...server, seenAt: sql`${this.#time}` };
    await this.#db.write(({ orm }) =>
      orm
        .insert(servers)
        .values({ id, ...set })
        .onConflictDoUpdate({ target: servers.id, set }),
    );
  }

  async forget(serverId: string): Promise<void> {
    await this.#db.write(({ orm }) =>
      orm
        .delete(servers)
        .where(or(eq(servers.id, serverId), lt(servers.seenAt, sql`${this.#time} - ${DAY_MS}`))),
    );
  }

  servers(since: number): Promise<(ServerReport & { seenAt: number })[]> {
    return this.#db.read(({ orm }) =>
      orm
        .select()
        .from(servers)
        .where(gt(servers.seenAt, since))
        .orderBy(servers.startedAt, servers.id),
    );
  }

  launches(filter: LaunchFilter): Promise<LaunchReport[]> {
    return this.#reads.launches(filter);
  }

  launch(eventId: string): Promise<(LaunchReport & { transactions: LaunchSignature[] }) | null> {
    return this.#reads.launch(eventId);
  }

  signedForLaunches(signatures: readonly string[]): Promise<string[]> {
    return this.#reads.signedForLaunches(signatures);
  }

  async agents(limit: number): Promise<AgentReport[]> {
    const ruled = await this.#db.read(({ orm }) =>
      orm
        .select({ wallet: agentRules.wallet })
        .from(agentRules)
        .where(or(isNotNull(agentRules.allowedAt), isNotNull(agentRules.blockedAt)))
        .limit(limit),
    );
    return await this.#reads.agents(
      limit,
      ruled.map(({ wallet }) => wallet),
    );
  }

  acceptedSince(since: number) {
    return this.#reads.acceptedSince(since);
  }

  async #record({ orm }: Session, change: Change): Promise<void> {
    await orm.insert(audit).values({ at: sql`${this.#time}`, ...change });
  }
}

async function readSteering({ orm }: Session): Promise<Steering> {
  const [row] = await orm.select().from(steering);
  return row ? { ...row.settings, version: row.version } : UNSTEERED;
}
