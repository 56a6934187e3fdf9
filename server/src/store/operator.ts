import type { LaunchStatusName } from "@tokenctl/shared/types";
import { desc, eq, gt, sql } from "drizzle-orm";
import { DAY_MS } from "../base/utc-day.ts";
import type { Standing } from "../domain/intake.ts";
import { patched, type Steering, type SteeringPatch, UNSTEERED } from "../domain/steering.ts";
import type { Invite, NewInvite, RedeemOutcome } from "./admission.ts";
import type { Database, Session, Transaction } from "./database.ts";
import {
  type AgentReport,
  countAccepted,
  type LaunchFilter,
  type LaunchReport,
  type LaunchSignature,
  readAgents,
  readLaunch,
  readLaunches,
  readSigned,
  readStanding,
} from "./operator-reads.ts";
import { agentRules, audit, invites, servers, steering } from "./schema.ts";

/** A change as the audit table keeps it. */
export interface Change {
  /** Who gave the command, as the command says, for example `uid 1000 (ops)`. */
  readonly actor: string;
  /** For example `block`. */
  readonly action: string;
  /** The wallet, launch, invite or setting that is changed; null if there is no one. */
  readonly subject: string | null;
  /** What it is changed to; null if the action says it. */
  readonly detail: string | null;
  /** Null if the operator gave none. */
  readonly reason: string | null;
}

export interface AuditEntry extends Change {
  readonly id: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** A server of the database, as it reports itself. */
export interface ServerReport {
  /** Another one after each start. */
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly url: string;
  readonly version: string;
  readonly startedAt: number;
  /** The version of {@link Steering} by which it works. */
  readonly steeringVersion: number;
}

/**
 * What the operator reads and changes while the service runs. Each change and its entry in the audit
 * table are one transaction; a change that changes nothing leaves no entry.
 */
export class Operator {
  readonly #db: Database;
  readonly #listeners: ((version: number) => void)[] = [];

  constructor(db: Database) {
    this.#db = db;
  }

  standing(wallet: string): Promise<Standing> {
    return this.#db.read((session) => readStanding(session, wallet));
  }

  /** Lets a wallet redeem an invite: once, whatever it is redeemed with. */
  redeem(wallet: string, codeHash: string): Promise<RedeemOutcome> {
    // A wallet that redeems two invites at once uses up one of them.
    return this.#db.transaction(
      (transaction) => redeem(transaction, wallet, codeHash),
      [`wallet ${wallet}`],
    );
  }

  /** Puts a wallet on the allowlist or takes it off. @returns whether that changed anything */
  allow(wallet: string, isAllowed: boolean, change: Change): Promise<boolean> {
    return this.#setRule("allowedAt", isAllowed, { wallet, change });
  }

  /** Puts a wallet on the block list or takes it off. @returns whether that changed anything */
  block(wallet: string, isBlocked: boolean, change: Change): Promise<boolean> {
    return this.#setRule("blockedAt", isBlocked, { wallet, change });
  }

  #setRule(
    rule: "allowedAt" | "blockedAt",
    isOn: boolean,
    { wallet, change }: { readonly wallet: string; readonly change: Change },
  ): Promise<boolean> {
    return this.#db.transaction(
      async (session) => {
        const [row] = await session.orm
          .select()
          .from(agentRules)
          .where(eq(agentRules.wallet, wallet));
        if (((row?.[rule] ?? null) !== null) === isOn) return false;
        const set = { [rule]: isOn ? session.now : null };
        await session.orm
          .insert(agentRules)
          .values({ wallet, ...set })
          .onConflictDoUpdate({ target: agentRules.wallet, set });
        await record(session, change);
        return true;
      },
      [`wallet ${wallet}`],
    );
  }

  createInvites(created: readonly NewInvite[], change: Change): Promise<Invite[]> {
    return this.#db.transaction(async (session) => {
      const rows = await session.orm
        .insert(invites)
        .values(created.map((invite) => ({ ...invite, createdAt: session.now })))
        .returning();
      await record(session, { ...change, subject: rows.map(({ id }) => id).join(", ") });
      return rows.map(({ codeHash: _, ...invite }) => invite);
    });
  }

  /** @returns false if there is no such invite, or it was revoked before */
  revokeInvite(id: number, change: Change): Promise<boolean> {
    return this.#db.transaction(async (session) => {
      const revoked = await session.run(
        sql`update invites set revoked_at = ${session.now} where id = ${id} and revoked_at is null`,
      );
      if (revoked > 0) await record(session, change);
      return revoked > 0;
    });
  }

  /** All invites, newest first. */
  async invites(): Promise<Invite[]> {
    const rows = await this.#db.read(
      async ({ orm }) => await orm.select().from(invites).orderBy(desc(invites.id)),
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
        await record(session, change);
        return { ...settings, version };
      },
      ["steering"],
    );
    this.saw(steered.version);
    return steered;
  }

  /** Called whenever the store learns of a version, also of those of other servers. */
  onSteering(listener: (version: number) => void): void {
    this.#listeners.push(listener);
  }

  /** Tells the listeners of a version that a statement has read. */
  saw(version: number): void {
    for (const listener of this.#listeners) listener(version);
  }

  /** Writes an entry for a change that was made elsewhere. */
  async record(change: Change): Promise<void> {
    await this.#db.write((session) => record(session, change));
  }

  /** The newest entries, newest first. */
  audit(limit: number): Promise<AuditEntry[]> {
    return this.#db.read(
      async ({ orm }) => await orm.select().from(audit).orderBy(desc(audit.id)).limit(limit),
    );
  }

  /** Says that a server is there. */
  async report(server: ServerReport): Promise<void> {
    await this.#db.write(async ({ orm, now }) => {
      const { id, ...set } = { ...server, seenAt: now };
      await orm
        .insert(servers)
        .values({ id, ...set })
        .onConflictDoUpdate({ target: servers.id, set });
    });
  }

  /** Forgets a server that stops, and those that were not seen for a day. */
  async forget(serverId: string): Promise<void> {
    await this.#db.write((session) =>
      session.run(
        sql`delete from servers where id = ${serverId} or seen_at < ${session.now} - ${sql.raw(String(DAY_MS))}`,
      ),
    );
  }

  /** Servers that were seen since this time. */
  servers(since: number): Promise<(ServerReport & { readonly seenAt: number })[]> {
    return this.#db.read(
      async ({ orm }) =>
        await orm
          .select()
          .from(servers)
          .where(gt(servers.seenAt, since))
          .orderBy(servers.startedAt, servers.id),
    );
  }

  /** Newest first. */
  launches(filter: LaunchFilter): Promise<LaunchReport[]> {
    return this.#db.read((session) => readLaunches(session, filter));
  }

  launch(
    eventId: string,
  ): Promise<(LaunchReport & { readonly transactions: readonly LaunchSignature[] }) | null> {
    return this.#db.read((session) => readLaunch(session, eventId));
  }

  /**
   * @param signatures transactions that landed lately, base58
   * @returns those of them that were signed for launches of this database, among the latest
   * {@link LAUNCHES_LOOKED_AT} that were
   */
  signedForLaunches(signatures: readonly string[]): Promise<readonly string[]> {
    return this.#db.read((session) => readSigned(session, signatures));
  }

  /** The agents of the latest launches, and those that the operator has decided about; latest first. */
  agents(limit: number): Promise<AgentReport[]> {
    return this.#db.read((session) => readAgents(session, limit));
  }

  /** How many of the latest launches were accepted since this time, by their status now. */
  acceptedSince(since: number): Promise<Readonly<Record<LaunchStatusName, number>>> {
    return this.#db.read((session) => countAccepted(session, since));
  }
}

/** Lets a wallet use up an invite. */
export async function redeem(
  session: Transaction,
  wallet: string,
  codeHash: string,
): Promise<RedeemOutcome> {
  const { isBlocked, isInvited } = await readStanding(session, wallet);
  if (isBlocked) return "blocked";
  if (isInvited) return "known";
  const used = await session.get<{ id: number }>(
    sql`update invites set uses = uses + 1 where code_hash = ${codeHash} and uses < max_uses
        and revoked_at is null and (expires_at is null or expires_at > ${session.now})
      returning id`,
  );
  if (used === null) return "invalid";
  const set = { invitedAt: session.now, inviteId: used.id };
  await session.orm
    .insert(agentRules)
    .values({ wallet, ...set })
    .onConflictDoUpdate({ target: agentRules.wallet, set });
  return "redeemed";
}

async function readSteering({ orm }: Session): Promise<Steering> {
  const [row] = await orm.select().from(steering);
  return row ? { ...row.settings, version: row.version } : UNSTEERED;
}

async function record({ orm, now }: Session, change: Change): Promise<void> {
  await orm.insert(audit).values({ at: now, ...change });
}
