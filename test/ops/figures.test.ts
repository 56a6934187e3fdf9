import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { base58 } from "../../server/src/base/base58.ts";
import { openCluster } from "../../server/src/launchpad/meteora/testing/cluster.ts";
import {
  launch,
  openLaunchpad,
  SOL,
} from "../../server/src/launchpad/meteora/testing/launchpad.ts";
import {
  describeMeteora,
  ON_CHAIN_MS,
} from "../../server/src/launchpad/meteora/testing/programs.ts";
import { newLaunch } from "../../server/src/store/testing/rows.ts";
import { type TempStore, tempStore } from "../../server/src/testing/temp-store.ts";
import { ROOT } from "../support/processes.ts";

setDefaultTimeout(ON_CHAIN_MS);

const page = readFileSync(join(ROOT, "docs/operating.md"), "utf8");

/** @returns the numbers in the row of a table of the operator's page */
function figuresOf(what: string): number[] {
  const row = page.split("\n").find((line) => line.startsWith(`| ${what} `));
  if (row === undefined) throw new Error(`no row ${what}`);
  const cells = row.split("|").slice(2, -1);
  return cells.flatMap((cell) => {
    const number = cell.trim().replaceAll(",", "");
    return /^[\d.]+$/.test(number) ? Number(number) : [];
  });
}

const address = () => base58.encode(randomBytes(32));
const ROWS = 500;
const LEASE_MS = 60_000;

/** @returns the bytes of tables and their indexes by the beginning of their names */
function bytesOf({ path }: TempStore, ...names: readonly string[]): number {
  using client = new Database(path);
  client.run("pragma wal_checkpoint(truncate)");
  const tables = client
    .query(
      `select tbl_name as name, sum(pgsize) as bytes from dbstat
       join sqlite_schema using (name) group by tbl_name`,
    )
    .all() as { name: string; bytes: number }[];
  const counted = tables.filter(({ name }) => names.includes(name));
  if (counted.length !== names.length) throw new Error(tables.map(({ name }) => name).join());
  return counted.reduce((sum, { bytes }) => sum + bytes, 0);
}

const FEE = { startBps: 100, endBps: 100, creatorSharePercent: 80 };
const TERMS = { config: address(), fees: { bondingCurve: FEE, liquidityPool: FEE }, curve: [] };

/** Stores launches as long as usual ones, each of another agent, with tokens and a claim of each. */
async function fill(temp: TempStore): Promise<void> {
  const { store, clock } = temp;
  for (let i = 0; i < ROWS; i++) {
    const wallet = address();
    const ticker = `T${i}`;
    await store.launches.insert([
      newLaunch(ticker, {
        wallet,
        createdAt: clock.now(),
        name: "Twenty characters ok",
        description: "d".repeat(200),
        website: "https://agents.example/token",
        imageUrl: `https://tokens.example/images/${randomBytes(32).toString("hex")}.png`,
      }),
    ]);
    const leased = await store.launches.lease("lease", LEASE_MS);
    if (!leased) throw new Error("nothing is due");
    const token = { tokenMint: address(), poolAddress: address() };
    await store.launches.recordAttempt(leased.eventId, "lease", {
      ...token,
      signature: base58.encode(randomBytes(64)),
      transaction: randomBytes(1_100),
      lastValidBlockHeight: 300_000_000,
      terms: TERMS,
    });
    await store.launches.succeed(leased, { leaseId: "lease" }, token);
    const messageHash = randomBytes(24).toString("base64url");
    const { tokenMint } = token;
    await store.prepared.prepare({
      wallet,
      tokenMint,
      messageHash,
      lastValidBlockHeight: 300_000_000,
      preparedAt: clock.now(),
      expiresAt: clock.now() + LEASE_MS,
    });
    const claim = await store.prepared.find(wallet, messageHash);
    if (!claim) throw new Error("no claim");
    const transaction = randomBytes(600);
    const signature = base58.encode(randomBytes(64));
    await store.prepared.submit(claim, { id: "lease", ms: LEASE_MS }, { signature, transaction });
    const payout = { tokenMint, bondingCurve: 123_456_789n, liquidityPool: 0n };
    await store.prepared.confirm(claim, {
      signature,
      paidLamports: 123_456_789n,
      payouts: [payout],
      at: clock.now(),
    });
  }
}

test("the page says how many bytes launches, tokens, claims and events take", async () => {
  using temp = tempStore();
  await fill(temp);
  using client = new Database(temp.path);
  const { n: events } = client.query("select count(*) as n from events").get() as { n: number };
  const measured = {
    launch: bytesOf(temp, "launches", "launch_starts") / ROWS,
    token: bytesOf(temp, "tokens") / ROWS,
    claim: bytesOf(temp, "prepared", "payouts") / ROWS,
    event: bytesOf(temp, "events") / events,
  };
  console.log("bytes of a row:", JSON.stringify(measured));
  for (const [what, bytes] of Object.entries(measured)) {
    const [said = 0, ...megabytes] = figuresOf(what);
    expect(Math.abs(said - bytes) / bytes).toBeLessThan(0.2);
    expect(megabytes).toEqual([10_000, 100_000, 1_000_000].map((n) => (n * said) / 1e6));
  }
});

describeMeteora("the page says what the first day costs", () => {
  test.each([6_960n, 696n])("at %s lamports a byte", async (rentPerByte) => {
    const cluster = await openCluster({ rentPerByte });
    const { connection } = cluster;
    const balance = () => connection.getBalance(wallet);
    const launchpad = await openLaunchpad(cluster);
    const wallet = launchpad.launchWallet.publicKey;
    const afterConfig = await balance();
    const { ref } = await launch(launchpad, cluster.wallet(SOL).publicKey, {
      name: "A".repeat(32),
      ticker: "A".repeat(10),
    });
    // The mint's address is in the metadata's link, and has 44 characters at most.
    const shorter = (44 - ref.tokenMint.length) * Number(rentPerByte);
    const measured = {
      "`tokend config create`": Number(10n * SOL) - afterConfig,
      "a launch": afterConfig - (await balance()) + shorter,
    };
    console.log(`lamports at ${rentPerByte} a byte:`, JSON.stringify(measured));
    const column = rentPerByte === 6_960n ? 0 : 1;
    for (const [what, lamports] of Object.entries(measured)) {
      expect([what, figuresOf(what)[column]]).toEqual([what, lamports]);
    }
  });
});
