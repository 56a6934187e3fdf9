import { sql } from "drizzle-orm";
import { type HandedOutLaunch, type StartRefusal, StartRefusedError } from "../domain/signing.ts";
import type { Transaction } from "./database.ts";
import { CLOCK, countStart, DAY, hasTurn, recordSigned, TIME } from "./launch-queue.ts";
import { readSteering } from "./operator.ts";
import { readStanding } from "./operator-reads.ts";

interface SignedLaunch {
  readonly launchSeq: number | null;
  readonly launch: HandedOutLaunch | null;
  readonly wallet: string;
  readonly signature: string;
}

interface Waiting {
  readonly eventId: string;
  readonly day: string;
  readonly isWaiting: boolean;
  readonly isLate: boolean;
  readonly hasLaunched: boolean;
  readonly isAnotherUndecided: boolean;
  readonly hasTurn: boolean;
}

/**
 * In the transaction that stores what is sent: in it the operator's pause and blocks, the limit of an hour and
 * the agent's other launches decide. @throws {StartRefusedError}
 */
export async function startPaidLaunch(
  tx: Transaction,
  { launchSeq, launch, wallet, signature }: SignedLaunch,
  maxPerHour: number,
): Promise<void> {
  if (launch === null) throw new Error("a launch was handed out with what it makes");
  const isCounted = Number.isFinite(maxPerHour);
  const found = await tx.get(sql<Waiting>`${CLOCK(tx)} select event_id as "eventId", ${DAY} as day,
      status = 'pending' and signature is null as "isWaiting", sign_by <= ${TIME} as "isLate",
      exists (select 1 from launches as done where done.status = 'success'
        and done.wallet = l.wallet and done.day = ${DAY}) as "hasLaunched",
      exists (select 1 from launches as other where other.status = 'pending'
        and other.wallet = l.wallet and other.seq <> l.seq
        and (other.lease_id is not null or other.signature is not null)) as "isAnotherUndecided",
      ${isCounted ? hasTurn(maxPerHour) : sql`true`} as "hasTurn"
    from launches as l where seq = ${launchSeq} ${tx.locking("for update of l")}`);
  const refuse = (reason: StartRefusal) => {
    throw new StartRefusedError(reason);
  };
  if (!found?.isWaiting) return refuse("not_waiting");
  if (found.isLate) return refuse("too_late");
  if ((await readSteering(tx)).pauses.launches !== undefined) return refuse("paused");
  if ((await readStanding(tx, wallet)).isBlocked) return refuse("wallet_blocked");
  if (found.hasLaunched) return refuse("launched_today");
  if (found.isAnotherUndecided) return refuse("another_undecided");
  if (!found.hasTurn) return refuse("launch_rate_limit");
  const { eventId, day } = found;
  await recordSigned(tx, sql`event_id = ${eventId}`, { ...launch, signature });
  if (isCounted) await countStart(tx, { eventId, day });
}
