import { desc, eq, gt, isNotNull, or, sql } from "drizzle-orm";
import type { Clock } from "../../base/clock.ts";
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
import { agentRules, audit, invites, servers, steering } from "../schema.ts";
import type { Admission } from "./admission.ts";
import type { Database } from "./database.ts";
import { OperatorReads } from "./operator-reads.ts";

/** What the operator reads and changes. Each call is one synchronous transaction. */
export class SqliteOperatorStore implements OperatorStore {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #admission: Admission;
  readonly #reads: OperatorReads;
  readonly #listeners: ((version: number) => void)[] = [];

  constructor(db: Database, clock: Clock, admission: Admission) {
    this.#db = db;
    this.#clock = clock;
    this.#admission = admission;
    this.#reads = new OperatorReads(db);
  }

  async standing(wallet: string): Promise<Standing> {
    return this.#admission.standing(wallet);
  }

  async redeem(wallet: string, codeHash: string): Promise<RedeemOutcome> {
    return this.#inTransaction(() => this.#admission.redeem(wallet, codeHash));
  }

  async allow(wallet: string, isAllowed: boolean, change: Change): Promise<boolean> {
    return this.#setRule("allowedAt", wallet, isAllowed, change);
  }

  async block(wallet: string, isBlocked: boolean, change: Change): Promise<boolean> {
    return this.#setRule("blockedAt", wallet, isBlocked, change);
  }

  #setRule(
    rule: "allowedAt" | "blockedAt",
    wallet: string,
    isOn: boolean,
    change: Change,
  ): boolean {
    return this.#inTransaction(() => {
      const row = this.#db.select().from(agentRules).where(eq(agentRules.wallet, wallet)).get();
      if (((row?.[rule] ?? null) !== null) === isOn) return false;
      const set = { [rule]: isOn ? this.#clock.now() : null };
      this.#db
        .insert(agentRules)
        .values({ wallet, ...set })
        .onConflictDoUpdate({ target: agentRules.wallet, set })
        .run();
      this.#record(change);
      return true;
    });
  }

  async createInvites(created: readonly NewInvite[], change: Change): Promise<Invite[]> {
    return this.#inTransaction(() => {
      const createdAt = this.#clock.now();
      const rows = created.map((invite) =>
        this.#db
          .insert(invites)
          .values({ ...invite, createdAt })
          .returning()
          .get(),
      );
      this.#record({ ...change, subject: rows.map(({ id }) => id).join(", ") });
      return rows.map(({ codeHash: _, ...invite }) => invite);
    });
  }

  async revokeInvite(id: number, change: Change): Promise<boolean> {
    return this.#inTransaction(() => {
      const revoked = this.#db
        .update(invites)
        .set({ revokedAt: this.#clock.now() })
        .where(sql`id = ${id} and revoked_at is null`)
        .returning({ id: invites.id })
        .get();
      if (revoked) this.#record(change);
      return revoked !== undefined;
    });
  }

  async invites(): Promise<Invite[]> {
    const rows = this.#db.select().from(invites).orderBy(desc(invites.id)).all();
    return rows.map(({ codeHash: _, ...invite }) => invite);
  }

  async steering(): Promise<Steering> {
    return this.#steering();
  }

  #steering(): Steering {
    const row = this.#db.select().from(steering).get();
    return row ? { ...row.settings, version: row.version } : UNSTEERED;
  }

  async steer(patch: SteeringPatch, change: Change): Promise<Steering> {
    const steered = this.#inTransaction(() => {
      const { version: before, ...current } = this.#steering();
      const settings = patched(current, patch);
      const version = before + 1;
      this.#db
        .insert(steering)
        .values({ id: 1, version, settings })
        .onConflictDoUpdate({ target: steering.id, set: { version, settings } })
        .run();
      this.#record(change);
      return { ...settings, version };
    });
    for (const listener of this.#listeners) listener(steered.version);
    return steered;
  }

  onSteering(listener: (version: number) => void): void {
    this.#listeners.push(listener);
  }

  async record(change: Change): Promise<void> {
    this.#record(change);
  }

  async audit(limit: number): Promise<AuditEntry[]> {
    return this.#db.select().from(audit).orderBy(desc(audit.id)).limit(limit).all();
  }

  async report(server: ServerReport): Promise<void> {
    const { id, ...set } = { ...server, seenAt: this.#clock.now() };
    this.#db
      .insert(servers)
      .values({ id, ...set })
      .onConflictDoUpdate({ target: servers.id, set })
      .run();
  }

  async forget(serverId: string): Promise<void> {
    const dayAgo = this.#clock.now() - DAY_MS;
    this.#db.delete(servers).where(sql`id = ${serverId} or seen_at < ${dayAgo}`).run();
  }

  async servers(since: number): Promise<(ServerReport & { seenAt: number })[]> {
    return this.#db
      .select()
      .from(servers)
      .where(gt(servers.seenAt, since))
      .orderBy(servers.startedAt, servers.id)
      .all();
  }

  async launches(filter: LaunchFilter): Promise<LaunchReport[]> {
    return this.#reads.launches(filter);
  }

  async launch(
    eventId: string,
  ): Promise<(LaunchReport & { transactions: LaunchSignature[] }) | null> {
    return this.#reads.launch(eventId);
  }

  async signedForLaunches(signatures: readonly string[]) {
    return this.#reads.signedForLaunches(signatures);
  }

  async agents(limit: number): Promise<AgentReport[]> {
    const ruled = this.#db
      .select({ wallet: agentRules.wallet })
      .from(agentRules)
      .where(or(isNotNull(agentRules.allowedAt), isNotNull(agentRules.blockedAt)))
      .limit(limit)
      .all();
    return this.#reads
      .agents(
        limit,
        ruled.map(({ wallet }) => wallet),
      )
      .map((agent) => ({ ...agent, ...this.#admission.standing(agent.wallet) }));
  }

  async acceptedSince(since: number) {
    return this.#reads.acceptedSince(since);
  }

  #record(change: Change): void {
    this.#db
      .insert(audit)
      .values({ at: this.#clock.now(), ...change })
      .run();
  }

  #inTransaction<Result>(run: () => Result): Result {
    return this.#db.transaction(run, { behavior: "immediate" });
  }
}
