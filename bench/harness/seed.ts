import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DAY_MS, systemClock, utcDay } from "../../server/src/base/clock.ts";
import type { TokenRef } from "../../server/src/domain/token.ts";
import { migrations } from "../../server/src/store/migrations.ts";
import { launches, tokens } from "../../server/src/store/schema.ts";
import { SqliteDatabase } from "../../server/src/store/sqlite/database.ts";
import { openDatabase } from "../../server/src/store/sqlite/store.ts";
import { addressOf, eventIdOf, walletOf } from "./agents.ts";
import { dataFolder } from "./paths.ts";

/** Every seeded agent has launched this many tokens. */
export const TOKENS_PER_AGENT = 100;

/** Raised whenever the seeded rows change, so that no older file is used. */
const EDITION = 3;
const IMAGE = "https://images.example/coin.png";
const FIRST_LAUNCH = Date.UTC(2026, 0, 1);
const ROWS_PER_STATEMENT = 500;
/** More days than any one wallet has tokens. */
const DAYS = 100_000;

/** @returns which agent made the nth seeded launch */
export function agentOf(launch: number): number {
  return Math.floor(launch / TOKENS_PER_AGENT);
}

/**
 * Makes a database of launches that succeeded, each with its token, through the store's own schema;
 * keeps it for the next run.
 *
 * @param count a multiple of {@link TOKENS_PER_AGENT}
 * @returns its file, which servers use only as a copy
 */
export async function seededDatabase(count: number): Promise<string> {
  const version = createHash("sha256").update(`${EDITION}${migrations.join()}`).digest("hex");
  const path = join(dataFolder, `seed-${count}-${version.slice(0, 12)}.sqlite`);
  if (existsSync(path)) return path;
  await write(path, count, (launch) => ({
    wallet: walletOf(agentOf(launch)),
    tokenMint: addressOf(`mint ${launch}`),
    poolAddress: addressOf(`pool ${launch}`),
  }));
  return path;
}

/** Makes a database in which one agent has launched these tokens, in this order. @returns its file */
export async function databaseOf(wallet: string, refs: readonly TokenRef[]): Promise<string> {
  const path = join(dataFolder, "agent.sqlite");
  await write(path, refs.length, (launch) => ({ wallet, ...(refs[launch] as TokenRef) }));
  return path;
}

interface Owned extends TokenRef {
  readonly wallet: string;
}

async function write(path: string, count: number, owned: (launch: number) => Owned): Promise<void> {
  mkdirSync(dataFolder, { recursive: true });
  const unfinished = `${path}.unfinished`;
  for (const end of ["", "-wal", "-shm"]) rmSync(unfinished + end, { force: true });
  const client = openDatabase(unfinished);
  const db = new SqliteDatabase(client, systemClock);
  await db.transaction(async ({ orm }) => {
    for (let from = 0; from < count; from += ROWS_PER_STATEMENT) {
      const rows = Array.from(
        { length: Math.min(ROWS_PER_STATEMENT, count - from) },
        (_, index) => ({ launch: from + index, ...common(from + index), ...owned(from + index) }),
      );
      await orm.insert(launches).values(rows.map(launchRow));
      await orm.insert(tokens).values(rows.map(tokenRow));
    }
  });
  client.run("pragma wal_checkpoint(truncate)");
  await db.close();
  renameSync(unfinished, path);
  for (const end of ["-wal", "-shm"]) rmSync(unfinished + end, { force: true });
}

function common(launch: number) {
  return {
    eventId: eventIdOf(launch),
    name: `Agent Coin ${launch}`,
    // A seeded ticker starts with a digit, a launched one with a letter.
    ticker: `0${launch.toString(36).toUpperCase()}`,
  };
}

type SeededRow = ReturnType<typeof common> & Owned & { readonly launch: number };

function launchRow({ launch, ...row }: SeededRow): typeof launches.$inferInsert {
  const createdAt = FIRST_LAUNCH + launch * 1000;
  return {
    ...row,
    seq: launch + 1,
    description: "A token of an agent, launched to be counted",
    imageUrl: IMAGE,
    status: "success",
    createdAt,
    processedAt: createdAt + 2000,
    runAt: createdAt,
    attempts: 1,
    day: dayOf(launch),
    signature: addressOf(`signature ${launch}`) + addressOf(`second half ${launch}`),
    lastValidBlockHeight: 1000 + launch,
  };
}

/** A wallet has one token a day: each launch gets a day of its own among those before the first launch. */
function dayOf(launch: number): string {
  return utcDay(FIRST_LAUNCH - (1 + (launch % DAYS)) * DAY_MS);
}

function tokenRow({ launch, eventId: _, ...row }: SeededRow): typeof tokens.$inferInsert {
  return {
    ...row,
    id: launch + 1,
    launchSeq: launch + 1,
    imageUrl: IMAGE,
    deployedAt: FIRST_LAUNCH + launch * 1000 + 2000,
  };
}
