import { Database } from "bun:sqlite";
import type { Clock } from "../base/clock.ts";
import type { LaunchRow, NewLaunch } from "../store/launch-row.ts";
import {
  isPreparedLaunch,
  type NewPrepared,
  type PreparedLaunch,
  type PreparedRow,
  type SubmitLimits,
} from "../store/prepared.ts";
import type { Store } from "../store/store.ts";
import { newAttempt, newHandedOut, newLaunch } from "../store/testing/rows.ts";
import type { TokenRow } from "../store/tokens.ts";

export const LEASE_MS = 60_000;

export interface StoreInTime {
  readonly store: Store;
  readonly clock: Pick<Clock, "now">;
}

/** Stores a launch, by default of the wallet `agent`. @returns its event id */
export async function insertLaunch(
  { store, clock }: StoreInTime,
  ticker: string,
  other: Partial<NewLaunch> = {},
): Promise<string> {
  const launch = newLaunch(ticker, { createdAt: clock.now(), ...other });
  const [outcome] = await store.launches.insert([launch]);
  if (outcome?.kind !== "stored") throw new Error(`${ticker}: ${outcome?.kind}`);
  return launch.eventId;
}

export function lease({ store }: StoreInTime, leaseId: string): Promise<LaunchRow | null> {
  return store.launches.lease(leaseId, LEASE_MS);
}

/** Stores a launch and leases it, which must be the next that is due. */
export async function takeLaunch(
  at: StoreInTime,
  ticker: string,
  { leaseId, ...other }: Partial<NewLaunch> & { readonly leaseId: string },
): Promise<LaunchRow> {
  await insertLaunch(at, ticker, other);
  const launch = await lease(at, leaseId);
  if (launch?.ticker !== ticker) throw new Error(`${ticker} is not the next that is due`);
  return launch;
}

export async function insertToken(
  at: StoreInTime,
  ticker: string,
  other: Partial<NewLaunch> = {},
): Promise<TokenRow> {
  const { store } = at;
  const leaseId = `lease-${ticker}`;
  const launch = await takeLaunch(at, ticker, { ...other, leaseId });
  const { tokenMint, poolAddress } = newAttempt(ticker);
  await store.launches.succeed(launch, { leaseId }, { tokenMint, poolAddress });
  const token = await store.tokens.findAny(tokenMint);
  if (!token) throw new Error(`${ticker} has no token`);
  return token;
}

/** Copies the only token of a SQLite database, at once. @returns the copies' mints, oldest first */
export function copyToken(path: string, count: number): string[] {
  using database = new Database(path);
  const columns = database.query("select * from tokens limit 1").columnNames;
  const copied = columns.map((column) =>
    column === "id" ? "id + n" : column === "token_mint" ? "token_mint || n" : column,
  );
  const rows = database.query<{ token_mint: string }, [number]>(
    `with recursive numbers(n) as (select 1000 union all select n + 1 from numbers limit ?)
      insert into tokens (${columns}) select ${copied} from (select * from tokens), numbers
      returning token_mint`,
  );
  return rows.all(count).map(({ token_mint }) => token_mint);
}

/** Hands out a transaction, by default a claim of the token `mint-ONE` to the wallet `agent`. */
export async function handOut(
  { store, clock }: StoreInTime,
  messageHash: string,
  other: Partial<NewPrepared> = {},
): Promise<PreparedRow> {
  const wallet = other.wallet ?? "agent";
  const preparedAt = clock.now();
  await store.prepared.prepare({
    ...{ kind: "claim", wallet, messageHash, lastValidBlockHeight: 150 },
    ...{ preparedAt, expiresAt: preparedAt + LEASE_MS },
    ...(other.launchSeq === undefined && { tokenMint: "mint-ONE" }),
    ...other,
  });
  const row = await store.prepared.find(wallet, messageHash);
  if (!row) throw new Error(`${messageHash} was not handed out to ${wallet}`);
  return row;
}

/** Stores a launch that its agent pays for, if it is not yet, and hands out its transaction. */
export async function handOutLaunch(
  at: StoreInTime,
  ticker: string,
  { eventId, messageHash = ticker, ...other }: Partial<NewLaunch & NewPrepared> = {},
): Promise<PreparedLaunch> {
  const wallet = other.wallet ?? "agent";
  const id = eventId ?? (await insertLaunch(at, ticker, { ...other, payer: "agent" }));
  const launch = await at.store.launches.read(wallet, id);
  if (!launch) throw new Error(`${ticker} is not stored`);
  const row = await handOut(at, messageHash, {
    ...{ kind: "launch", wallet, launchSeq: launch.seq, launch: newHandedOut(ticker) },
  });
  if (!isPreparedLaunch(row)) throw new Error(`${ticker} is no launch`);
  return row;
}

/** Stores what an agent has signed, held by `leaseId` to be sent. @returns what was stored before */
export function submit(
  { store }: Pick<StoreInTime, "store">,
  row: Pick<PreparedRow, "id" | "kind" | "wallet" | "messageHash">,
  { leaseId = "holder", ...limits }: SubmitLimits & { readonly leaseId?: string } = {},
) {
  const signed = { signature: `of ${row.messageHash}`, transaction: Uint8Array.of(1, 2) };
  return store.prepared.submit(row, { id: leaseId, ms: LEASE_MS }, signed, limits);
}
