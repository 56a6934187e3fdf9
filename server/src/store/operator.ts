import { createHash } from "node:crypto";
import { desc, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import { DAY_MS } from "../base/clock.ts";
import { patched, type Steering, type SteeringPatch, UNSTEERED } from "../domain/steering.ts";
import { type Database, rowOf, rowsOf, type Session } from "./database.ts";
import { and, INTAKE_LOCK, type LaunchFilter } from "./launch-queue.ts";
import { agentRules, audit, invites, launches, servers, steering } from "./schema.ts";

export type LaunchReport = Awaited<ReturnType<Operator["launches"]>>[number];

export type Change = Readonly<Omit<AuditEntry, "id" | "at">>;

export type AuditEntry = typeof audit.$inferSelect;

export type ServerReport = Readonly<Omit<typeof servers.$inferSelect, "seenAt">>;

export type Invite = Readonly<Omit<typeof invites.$inferSelect, "codeHash">>;

export type NewInvite = Readonly<
  Pick<typeof invites.$inferSelect, "codeHash" | "note" | "maxUses" | "expiresAt">
>;

/** `known` means that the wallet had redeemed an invite before, so no use was taken. */
export type RedeemOutcome = "redeemed" | "known" | "blocked" | "invalid";

/** Ignores case, spaces and hyphens. Only the hash is stored: a copy of it admits no agent. */
export function inviteHash(code: string): string {
  const letters = code.replace(/[\s-]/g, "").toUpperCase();
  return createHash("sha256").update(`invite ${letters}`).digest("base64url");
}

const { codeHash: _, ...INVITE } = getTableColumns(invites);

const REPORTED = {
  eventId: launches.eventId,
  wallet: launches.wallet,
  ticker: launches.ticker,
  name: launches.name,
  status: launches.status,
  createdAt: launches.createdAt,
  processedAt: launches.processedAt,
  address: launches.address,
  attempts: launches.attempts,
  error: launches.error,
  waitingFor: launches.waitingFor,
  waitingSince: launches.waitingSince,
  signature: launches.signature,
  tokenMint: launches.tokenMint,
  poolAddress: launches.poolAddress,
};

/** Commits each change together with its audit entry. A change without effect leaves no entry. */
export class Operator {
  /** Called with each version of the steering that is read, changes by other servers included. */
  saw: (version: number) => void = () => {};

  constructor(private readonly db: Database) {}

  launches({
    limit,
    isUnsigned,
    ...filter
  }: LaunchFilter & { readonly limit: number; readonly isUnsigned: boolean }) {
    const which = sql`true ${isUnsigned ? sql`and signature is null` : sql.empty()} ${and(filter)}
      order by seq desc limit ${limit}`;
    return this.db.read(({ orm }) => orm.select(REPORTED).from(launches).where(which));
  }

  async launch(eventId: string): Promise<LaunchReport | null> {
    const [launch] = await this.db.read(({ orm }) =>
      orm.select(REPORTED).from(launches).where(eq(launches.eventId, eventId)),
    );
    return launch ?? null;
  }

  /** Redeems an invite. Each wallet redeems only once, whichever code it uses. */
  redeem(wallet: string, codeHash: string): Promise<RedeemOutcome> {
    return this.db.transaction(
      async (session) => {
        const rules = await rowOf(session, agentRules, sql`wallet = ${wallet}`);
        if (rules && rules.blockedAt !== null) return "blocked";
        if (rules && rules.invitedAt !== null) return "known";
        const used = await session.run(
          sql`update invites set uses = uses + 1 where code_hash = ${codeHash} and uses < max_uses
            and revoked_at is null and (expires_at is null or expires_at > ${session.now})`,
        );
        if (used === 0) return "invalid";
        await setRules(session, wallet, { invitedAt: session.now });
        return "redeemed";
      },
      // A wallet that redeems two invites at once uses up one of them.
      [`wallet ${wallet}`],
    );
  }

  setRule(
    wallet: string,
    { list, isOn }: { readonly list: "allowed" | "blocked"; readonly isOn: boolean },
    change: Change,
  ): Promise<boolean> {
    const rule = list === "allowed" ? "allowedAt" : "blockedAt";
    return this.db.transaction(
      async (session) => {
        const row = await rowOf(session, agentRules, sql`wallet = ${wallet}`);
        if (((row?.[rule] ?? null) !== null) === isOn) return false;
        await setRules(session, wallet, { [rule]: isOn ? session.now : null });
        await record(session, change);
        return true;
      },
      [INTAKE_LOCK],
    );
  }

  createInvites(created: readonly NewInvite[], change: Change): Promise<Invite[]> {
    return this.db.transaction(async (session) => {
      const rows = await session.orm
        .insert(invites)
        .values(created.map((invite) => ({ ...invite, createdAt: session.now })))
        .returning(INVITE);
      await record(session, { ...change, subject: rows.map(({ id }) => id).join(", ") });
      return rows;
    });
  }

  revokeInvite(id: number, change: Change): Promise<boolean> {
    return this.db.transaction(async (session) => {
      const revoked = await session.run(
        sql`update invites set revoked_at = ${session.now} where id = ${id} and revoked_at is null`,
      );
      if (revoked > 0) await record(session, change);
      return revoked > 0;
    });
  }

  invites(): Promise<Invite[]> {
    return this.db.read(({ orm }) => orm.select(INVITE).from(invites).orderBy(desc(invites.id)));
  }

  async steering(): Promise<Steering> {
    const found = await this.db.read(readSteering);
    this.saw(found.version);
    return found;
  }

  async steer(patch: SteeringPatch, change: Change): Promise<Steering> {
    const steered = await this.db.transaction(
      async (session) => {
        const { version: before, ...current } = await readSteering(session);
        const set = { version: before + 1, settings: patched(current, patch) };
        await session.orm
          .insert(steering)
          .values({ id: 1, ...set })
          .onConflictDoUpdate({ target: steering.id, set });
        await record(session, change);
        return { ...set.settings, version: set.version };
      },
      ["steering"],
    );
    this.saw(steered.version);
    return steered;
  }

  async record(change: Change): Promise<void> {
    await this.db.write((session) => record(session, change));
  }

  audit(limit: number): Promise<AuditEntry[]> {
    const newest = sql`true order by id desc limit ${limit}`;
    return this.db.read((session) => rowsOf(session, audit, newest));
  }

  /** Records that a server runs. Returns the other servers that were seen since `since`. */
  async report({ id, ...server }: ServerReport, since: number): Promise<ServerReport[]> {
    await this.db.write(({ orm, now }) => {
      const set = { ...server, seenAt: now };
      const added = orm.insert(servers).values({ id, ...set });
      return added.onConflictDoUpdate({ target: servers.id, set });
    });
    return (await this.servers(since)).filter((other) => other.id !== id);
  }

  /** Deletes a server that stops, and servers that were not seen for a day. */
  async forget(serverId: string): Promise<void> {
    await this.db.write((session) =>
      session.run(
        sql`delete from servers where id = ${serverId} or seen_at < ${session.now} - ${DAY_MS}`,
      ),
    );
  }

  servers(since: number): Promise<(ServerReport & { readonly seenAt: number })[]> {
    const seen = sql`seen_at > ${since} order by started_at, id`;
    return this.db.read((session) => rowsOf(session, servers, seen));
  }
}

async function setRules(
  { orm }: Session,
  wallet: string,
  set: Partial<Record<"allowedAt" | "blockedAt" | "invitedAt", number | SQL | null>>,
): Promise<void> {
  await orm
    .insert(agentRules)
    .values({ wallet, ...set })
    .onConflictDoUpdate({ target: agentRules.wallet, set });
}

async function readSteering(session: Session): Promise<Steering> {
  const row = await rowOf(session, steering, sql`true`);
  return row ? { ...row.settings, version: row.version } : UNSTEERED;
}

export async function record({ orm, now }: Session, change: Change): Promise<void> {
  await orm.insert(audit).values({ at: now, ...change });
}
