import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../../server/src/store/database.ts";
import { migrations } from "../../server/src/store/migrate.ts";
import { launches, tokens } from "../../server/src/store/schema.ts";
import { addressOf, eventIdOf, walletOf } from "./agents.ts";
import { dataFolder } from "./paths.ts";

/** Every seeded agent has launched this many tokens. */
export const TOKENS_PER_AGENT = 100;

/** Raised whenever what is seeded changes, so that no older file is taken for it. */
const EDITION = 1;
const FIRST_LAUNCH = Date.UTC(2026, 0, 1);
const ROWS_PER_STATEMENT = 500;

/** @returns which agent made the nth seeded launch */
export function agentOf(launch: number): number {
  return Math.floor(launch / TOKENS_PER_AGENT);
}

/**
 * Makes a database with so many launches that have succeeded, each with its token, through the
 * store's own schema; keeps it for the next time.
 *
 * @param count a multiple of {@link TOKENS_PER_AGENT}
 * @returns its file, which is to be copied, not used
 */
export function seededDatabase(count: number): string {
  const version = createHash("sha256").update(`${EDITION}${migrations.join()}`).digest("hex");
  const path = join(dataFolder, `seed-${count}-${version.slice(0, 12)}.sqlite`);
  if (existsSync(path)) return path;
  mkdirSync(dataFolder, { recursive: true });
  const unfinished = `${path}.unfinished`;
  for (const end of ["", "-wal", "-shm"]) rmSync(unfinished + end, { force: true });
  const db = openDatabase(unfinished);
  db.$client
    .transaction(() => {
      for (let from = 0; from < count; from += ROWS_PER_STATEMENT) {
        const numbers = Array.from(
          { length: Math.min(ROWS_PER_STATEMENT, count - from) },
          (_, index) => from + index,
        );
        db.insert(launches).values(numbers.map(launchRow)).run();
        db.insert(tokens).values(numbers.map(tokenRow)).run();
      }
    })
    .immediate();
  db.$client.run("pragma wal_checkpoint(truncate)");
  db.$client.close();
  renameSync(unfinished, path);
  return path;
}

function common(launch: number) {
  return {
    eventId: eventIdOf(launch),
    wallet: walletOf(agentOf(launch)),
    name: `Agent Coin ${launch}`,
    // A seeded ticker starts with a digit, a launched one with a letter.
    ticker: `0${launch.toString(36).toUpperCase()}`,
    tokenMint: addressOf(`mint ${launch}`),
    poolAddress: addressOf(`pool ${launch}`),
  };
}

function launchRow(launch: number): typeof launches.$inferInsert {
  const createdAt = FIRST_LAUNCH + launch * 1000;
  return {
    ...common(launch),
    description: "A token of an agent, launched to be counted",
    imageUrl: "https://images.example/coin.png",
    status: "success",
    createdAt,
    processedAt: createdAt + 2000,
    runAt: createdAt,
    attempts: 1,
    day: new Date(createdAt).toISOString().slice(0, 10),
    signature: addressOf(`signature ${launch}`) + addressOf(`second half ${launch}`),
    lastValidBlockHeight: 1000 + launch,
  };
}

function tokenRow(launch: number): typeof tokens.$inferInsert {
  return { ...common(launch), deployedAt: FIRST_LAUNCH + launch * 1000 + 2000 };
}
