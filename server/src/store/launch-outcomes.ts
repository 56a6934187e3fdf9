import { launchedTodayText } from "@tokenctl/shared/error-codes";
import type { LaunchStatusName } from "@tokenctl/shared/types";
import { LAUNCH_PAYERS } from "@tokenctl/shared/words";
import { type SQL, sql } from "drizzle-orm";
import type { EndCause, EndedLaunches, LaunchEnd } from "../domain/launch.ts";
import { likenessOf } from "../domain/likeness.ts";
import type { TokenRef } from "../domain/token.ts";
import { chunks, type Database, type Session, type Transaction } from "./database.ts";
import { addEvents, type OnEvents } from "./events.ts";
import { and, isLeased, type LaunchFilter, LaunchQueue, NOT_SIGNED } from "./launch-queue.ts";
import type { LaunchRow } from "./launch-row.ts";
import { endPrepared, isSentBy, withdraw } from "./prepared.ts";
import { giveBack, SPENDING_LOCK } from "./spending.ts";

export interface LaunchListeners {
  readonly onEnded: (ended: EndedLaunches) => void;
  readonly onEvents: OnEvents;
}

/** `cancelled`: by this call or an earlier one with the same error. `signed`: it may still land. */
export type CancelOutcome =
  | { readonly kind: "cancelled" | "signed" | "unknown" }
  | { readonly kind: "ended"; readonly status: LaunchStatusName };

/** Clears the columns that only the queue needs. The signature and the cost stay. */
const CLEARED = sql.raw(`lease_id = null, lease_until = null, "transaction" = null, address = null,
  network = null, reserved_day = null, waiting_for = null, waiting_since = null, sign_by = null,
  last_valid_block_height = null`);

/** The next token's number on SQLite, where only one transaction writes at a time. */
const NEXT_TOKEN = sql`(select coalesce(max(id), 0) + 1 from tokens)`;

interface Ending {
  readonly status: "failed" | "rate_limited";
  readonly cause: EndCause;
  readonly error: string;
  /** Returns what unsigned launches reserved to the day's budget; `true` also frees the ticker. */
  readonly givesBack?: boolean | "lamports";
  /** Lamports that the agent paid for a transaction that landed and failed. */
  readonly agentLamports?: bigint | undefined;
}

/** Why an agent may not start a launch, and how its waiting launches then end. */
const REFUSED = {
  blocked: {
    status: "failed",
    cause: "blocked",
    error: "The service's operator has blocked the wallet",
  },
  launched_today: { status: "rate_limited", cause: "day", error: launchedTodayText },
} as const satisfies Record<string, Ending>;

interface Ended extends Pick<LaunchRow, "eventId" | "wallet" | "signature" | "payer"> {
  readonly launchSeq: number;
}

export abstract class LaunchOutcomes extends LaunchQueue {
  constructor(
    db: Database,
    private readonly listeners: LaunchListeners,
  ) {
    super(db);
  }

  /** @returns false if another server holds the launch, or it has ended */
  async succeed(launch: LaunchRow, hold: LaunchHold, { tokenMint, poolAddress }: TokenRef) {
    const { eventId, wallet, seq, ticker, name, imageUrl, address, network, payer } = launch;
    const hasEnded = await this.db.transaction(async (transaction) => {
      const { now, today, engine } = transaction;
      // This update comes first: it keeps the wallet's next launch from being leased before the
      // commit, so the next token gets a greater id in a later commit.
      const ended =
        await transaction.run(sql`update launches set status = 'success', processed_at = ${now},
        token_mint = ${tokenMint}, pool_address = ${poolAddress}, ${CLEARED}
        where ${isHeld(eventId, hold)}`);
      if (ended === 0) return false;
      if (isSentRow(hold)) await endPrepared(transaction, hold.id, { confirmedAt: now });
      // A launch that its agent paid for does not count in the day's budget.
      if (network !== null && payer !== "agent") {
        const rows = [address, network].sort().map((client) => sql`(${today}, ${client}, 0, 1)`);
        await transaction.run(sql`insert into daily_launches (day, client, launches, launched)
          values ${sql.join(rows, sql`, `)}
          on conflict (day, client) do update set launched = daily_launches.launched + 1`);
      }
      const id = engine === "postgres" ? sql`default` : NEXT_TOKEN;
      await transaction.run(sql`insert into tokens (id, token_mint, pool_address, launch_seq,
          wallet, ticker, name, image_url, deployed_at, likeness)
        values (${id}, ${tokenMint}, ${poolAddress}, ${seq},
          ${wallet}, ${ticker}, ${name}, ${imageUrl}, ${now}, ${likenessOf(name)})`);
      await addEvents(transaction, "launch.succeeded", [{ wallet, launchSeq: seq }]);
      return true;
    });
    if (hasEnded) this.#announce({ status: "success", cause: "deployed" }, [launch]);
    return hasEnded;
  }

  /** @returns false if the lease is lost */
  async fail(
    eventId: string,
    leaseId: string,
    { message, ...cost }: Pick<Ending, "agentLamports"> & { readonly message: string },
  ): Promise<boolean> {
    const ending = { status: "failed", cause: "chain", error: message, ...cost } as const;
    return (await this.#end(() => isLeased(eventId, leaseId), ending)).length > 0;
  }

  /** Ends a launch that its agent pays for. Frees the ticker at once if the chain refused it. */
  async endPaid(
    eventId: string,
    hold: PaidHold,
    { status, error, agentLamports }: Omit<Ending, "givesBack" | "cause">,
  ): Promise<boolean> {
    const cause: EndCause = status === "failed" ? "chain" : "day";
    const givesBack = status === "failed";
    const ending = { status, cause, error, agentLamports, givesBack };
    const takeBack = async (transaction: Transaction) => {
      if (isSentRow(hold)) await withdraw(transaction, isSentBy(hold.id, hold.leaseId));
    };
    return (await this.#end(() => isHeld(eventId, hold), ending, takeBack)).length > 0;
  }

  /** Clears a transaction that can no longer land. The agent may sign again until the deadline. */
  async unsign(eventId: string, hold: SentRow): Promise<void> {
    await this.db.transaction(async (transaction) => {
      const which = isHeld(eventId, hold);
      await transaction.run(sql`update launches set ${NOT_SIGNED}, agent_lamports = null,
          waiting_for = 'agent_signature', waiting_since = ${transaction.now} where ${which}`);
      await withdraw(transaction, isSentBy(hold.id, hold.leaseId));
    });
  }

  /** Ends a launch and all unsigned ones of its wallet: a backlog of thousands costs one commit. */
  async refuse(wallet: string, leaseId: string, refusal: keyof typeof REFUSED): Promise<void> {
    const ending = { ...REFUSED[refusal], givesBack: "lamports" } as const;
    const isLeasedOrBehind = sql`status = 'pending' and wallet = ${wallet}
      and (lease_id = ${leaseId} or (lease_id is null and signature is null))`;
    await this.#end(() => isLeasedOrBehind, ending);
  }

  /** Ends an unsigned launch, and frees its ticker and lamports. Its worker can no longer sign. */
  async cancel(wallet: string, eventId: string, error: string): Promise<CancelOutcome> {
    let ended: readonly Ended[] = [];
    const ending = { status: "failed", cause: "cancelled", error, givesBack: true } as const;
    // The first statement locks the row. A worker either signs before it, which prevents the
    // cancellation, or loses its lease.
    const outcome = await this.db.transaction(
      async (transaction): Promise<CancelOutcome> => {
        ended = [];
        const launch = await transaction.get<Pick<LaunchRow, "status" | "signature" | "error">>(
          sql`select status, signature, error from launches
            where event_id = ${eventId} and wallet = ${wallet} ${transaction.locking("for update")}`,
        );
        if (!launch) return { kind: "unknown" };
        const { status, signature } = launch;
        if (status === "failed" && launch.error === error) return { kind: "cancelled" };
        if (status !== "pending") return { kind: "ended", status };
        if (signature !== null) return { kind: "signed" };
        ended = await endAll(transaction, sql`event_id = ${eventId}`, ending);
        return { kind: "cancelled" };
      },
      [SPENDING_LOCK],
    );
    this.#announce(ending, ended);
    return outcome;
  }

  async endWaiting(waiting: Omit<LaunchFilter, "status">, error: string, isLate = false) {
    const cause: EndCause = isLate ? "unsigned" : waiting.queuedBy == null ? "cancelled" : "waited";
    // Each half of the union has its own index. What an agent pays for has its own deadline.
    const ofAgents = sql`union all select seq from launches where status = 'pending' and sign_by is not null`;
    // Another server may have renewed the deadline since.
    const which = ({ now }: Session) => sql`seq in (select seq from launches
        where status = 'pending' and payer is null ${cause === "waited" ? sql.empty() : ofAgents})
      and status = 'pending' and signature is null ${and(waiting)}
      ${isLate ? sql`and sign_by <= ${now}` : sql.empty()}`;
    const ending = { status: "failed", cause, error, givesBack: true } as const;
    return (await this.#end(which, ending)).length;
  }

  /** @returns why an agent may not start a launch this UTC day; null if it may */
  async startRefusal(wallet: string, day: string): Promise<keyof typeof REFUSED | null> {
    const row = await this.db.read((session) =>
      session.get(sql<{ isBlocked: boolean; hasLaunched: boolean }>`select
        exists (select 1 from agent_rules
          where wallet = ${wallet} and blocked_at is not null) as "isBlocked",
        exists (select 1 from launches where status = 'success'
          and wallet = ${wallet} and day = ${day}) as "hasLaunched"`),
    );
    if (row?.isBlocked) return "blocked";
    return row?.hasLaunched ? "launched_today" : null;
  }

  async #end(
    which: (session: Session) => SQL,
    ending: Ending,
    also = async (_: Transaction) => {},
  ): Promise<readonly Ended[]> {
    const ended = await this.db.transaction(
      async (transaction) => {
        const all = await endAll(transaction, which(transaction), ending);
        if (all.length > 0) await also(transaction);
        return all;
      },
      ending.givesBack ? [SPENDING_LOCK] : [],
    );
    this.#announce(ending, ended);
    return ended;
  }

  #announce(
    { status, cause }: { readonly status: LaunchEnd; readonly cause: EndCause },
    ended: readonly Pick<LaunchRow, "wallet" | "payer">[],
  ): void {
    for (const payer of LAUNCH_PAYERS) {
      const count = ended.filter((one) => (one.payer ?? "operator") === payer).length;
      if (count > 0) this.listeners.onEnded({ status, cause, payer, count });
    }
    for (const wallet of new Set(ended.map((it) => it.wallet))) this.listeners.onEvents(wallet);
  }
}

/** A leased row of `prepared`: the transaction of a launch that its agent signed. */
export interface SentRow {
  readonly id: number;
  readonly leaseId: string;
}

/** Who may end a launch that its agent pays for: the sender, or any server while it is unsigned. */
export type PaidHold = SentRow | "unsigned";

export type LaunchHold = { readonly leaseId: string } | PaidHold;

function isSentRow(hold: LaunchHold): hold is SentRow {
  return hold !== "unsigned" && "id" in hold;
}

function isHeld(eventId: string, hold: LaunchHold): SQL {
  const isPaid = sql`event_id = ${eventId} and status = 'pending' and payer = 'agent'`;
  if (hold === "unsigned") return sql`${isPaid} and signature is null`;
  if (!isSentRow(hold)) return isLeased(eventId, hold.leaseId);
  return sql`${isPaid} and signature = (
    select sent.signature from prepared as sent where ${isSentBy(hold.id, hold.leaseId)})`;
}

async function endAll(
  transaction: Transaction,
  which: SQL,
  { status, error, givesBack, agentLamports }: Ending,
): Promise<readonly Ended[]> {
  const { now, greatest, locking } = transaction;
  // `+seq` makes SQLite sort the matching rows. Otherwise it reads all launches in order of `seq`.
  const ended = await transaction.all<Ended>(sql`select seq as "launchSeq", event_id as "eventId",
      wallet, signature, payer
    from launches where ${which} order by +seq ${locking("for update")}`);
  for (const some of chunks(ended)) {
    const areThese = sql`event_id in ${some.map(({ eventId }) => eventId)}`;
    if (givesBack) await giveBack(transaction, sql`${areThese} and signature is null`);
    await transaction.run(sql`update launches set status = ${status}, error = ${error},
      processed_at = ${now}, reserved_lamports = null, ${CLEARED},
      agent_lamports = ${agentLamports ? agentLamports.toString() : null}
      ${givesBack === true ? sql`, ticker_released = 1` : sql.empty()} where ${areThese}`);
    // A launch that ended without a transaction does not count as started.
    await transaction.run(sql`delete from launch_starts where event_id in (
      select event_id from launches where ${areThese} and signature is null)`);
  }
  const [first] = ended;
  // The wallet's next launch waits behind launches that are due now, so a backlog delays no other
  // agent. A cancelled launch had no turn.
  if (first && givesBack !== true) {
    await transaction.run(sql`update launches set run_at = ${greatest}(run_at, ${now})
      where seq = (select seq from launches where wallet = ${first.wallet} and status = 'pending'
        order by seq limit 1 ${locking("for update skip locked")})`);
  }
  await addEvents(transaction, `launch.${status}`, ended);
  return ended;
}
