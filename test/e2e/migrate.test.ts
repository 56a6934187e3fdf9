import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { systemClock } from "../../server/src/base/clock.ts";
import { dataFiles } from "../../server/src/config/config.ts";
import { describeMeteora } from "../../server/src/launchpad/meteora/testing/programs.ts";
import { openSqliteStore } from "../../server/src/store/sqlite/store.ts";
import { POSTGRES_PROGRAMS, sharedPostgres } from "../../server/src/testing/postgres.ts";
import { Agent } from "../support/agent.ts";
import { Cluster } from "../support/cluster.ts";
import { NO_RATE_LIMITS, run, TOKEND, tempDir } from "../support/processes.ts";
import { startHere } from "../support/test-server.ts";

setDefaultTimeout(300_000);

const describeMove = POSTGRES_PROGRAMS ? describeMeteora : describeMeteora.skip;

const NO_NODE = "http://127.0.0.1:9";

type Env = Readonly<Record<string, string>>;

describeMove("a service that moves from SQLite to PostgreSQL", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.start(1);
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  test("answers every agent as before, byte for byte, and goes on with what it had begun", async () => {
    using folder = tempDir();
    const dataDir = join(folder.path, "data");
    const wallet = await cluster.launchWallet();
    const base: Env = { ...wallet.env, ...NO_RATE_LIMITS, PORT: "0", DATA_DIR: dataDir };
    const live = { ...base, RPC_URL: cluster.url };
    const cut = { ...base, RPC_URL: NO_NODE };

    const filled = await fill(live, cut, cluster);
    await failOne(dataDir, filled.failing);
    const before = await answers(cut, filled.reads);
    const statuses = Object.values(before).flatMap(({ text }) => /"status":"\w+"/.exec(text) ?? []);
    expect(statuses.map((text) => text.slice(10, -1)).sort()).toEqual([
      "failed",
      "pending",
      "rate_limited",
      "success",
      "success",
    ]);

    const DATABASE_URL = await (await sharedPostgres()).createDatabase();
    const moved = await run([...TOKEND, "migrate", "--to", DATABASE_URL], folder.path, {
      DATA_DIR: dataDir,
    });
    expect(moved).toMatchObject({ exitCode: 0 });
    expect(moved.stdout).toMatch(/^launches {12,}\d+$/m);

    // Alone it would launch what the moved service launches too.
    const marked = `${dataDir} was moved to PostgreSQL (${new URL(DATABASE_URL).host}/`;
    await expect(startHere(live)).rejects.toThrow(marked);

    // The folder's secrets still serve, its database no longer.
    expect(await answers({ ...cut, DATABASE_URL }, filled.reads)).toEqual(before);
    await using server = await startHere({ ...live, DATABASE_URL });
    await filled.goesOn(server);
  });
});

interface Read {
  readonly agent: Agent;
  readonly path: string;
}

/** Starts a server, asks it, and stops it. @returns each path with its answer, as it came */
async function answers(env: Env, reads: readonly Read[]) {
  await using server = await startHere(env);
  return Object.fromEntries(
    await Promise.all(
      reads.map(async ({ agent, path }) => {
        const headers = { authorization: `Bearer ${agent.token}` };
        const response = await fetch(server.url + path, { headers });
        return [
          `${agent.wallet} ${path}`,
          { status: response.status, text: await response.text() },
        ];
      }),
    ),
  ) as Record<string, { status: number; text: string }>;
}

/**
 * Lets a server with SQLite take launches that succeed, are limited and wait, and claims that paid and
 * that are only prepared.
 */
async function fill(live: Env, cut: Env, cluster: Cluster) {
  const reads: Read[] = [];
  const readsOf = (agent: Agent, eventId: string) =>
    reads.push(
      { agent, path: "/api/v1/tokens/" },
      { agent, path: "/api/v1/tokens/?limit=1" },
      { agent, path: `/api/v1/tokens/launch/status/${eventId}` },
    );
  const readsOfMint = (agent: Agent, mint: string) =>
    reads.push(
      { agent, path: `/api/v1/tokens/${mint}` },
      { agent, path: `/metadata/${mint}.json` },
    );

  let server = await startHere(live);
  const [paid, prepares] = [await Agent.signedIn(server), await Agent.signedIn(server)];
  const description = "two lines\n \u{f8ff}0 and \u{1f600}";
  const one = await paid.launched("PAID", { description });
  const two = await prepares.launched("PREPARES");
  const limited = await paid.launched("LIMITED");
  readsOf(paid, one.eventId);
  reads.push({ agent: paid, path: `/api/v1/tokens/launch/status/${limited.eventId}` });
  readsOf(prepares, two.eventId);
  const [mint, preparedMint] = [one.tokenMint ?? "", two.tokenMint ?? ""];
  readsOfMint(paid, mint);
  readsOfMint(prepares, preparedMint);
  await cluster.earn(paid, mint);
  await cluster.earn(prepares, preparedMint);
  const signed = paid.signClaim((await paid.prepareClaim(mint)).transaction);
  const receipt = await paid.submitClaim(mint, signed);
  expect(receipt.status).toBe(200);
  const fees = [await paid.fees(mint), await prepares.fees(preparedMint)];
  const { transaction } = await prepares.prepareClaim(preparedMint);
  await server.stop();

  server = await startHere(cut);
  const [waits, fails] = [await Agent.signedIn(server), await Agent.signedIn(server)];
  const launch = () => waits.accepted("WAITS", {}, { "idempotency-key": "once" });
  const waiting = await launch();
  const failing = await fails.accepted("FAILS");
  readsOf(waits, waiting);
  readsOf(fails, failing);
  await server.stop();

  return {
    reads,
    failing,
    async goesOn(other: { readonly url: string }) {
      for (const agent of [paid, prepares, waits]) agent.server = other;
      expect([await paid.fees(mint), await prepares.fees(preparedMint)]).toEqual(fees);
      expect((await paid.submitClaim(mint, signed)).body).toEqual(receipt.body);
      const submitted = await prepares.submitClaim(preparedMint, prepares.signClaim(transaction));
      expect(submitted.status).toBe(200);
      expect(await launch()).toBe(waiting);
      expect(await waits.untilEnded(waiting)).toMatchObject({ status: "success" });
    },
  };
}

/** Ends a waiting launch as the worker does if the chain refuses it. */
async function failOne(dataDir: string, eventId: string): Promise<void> {
  const store = openSqliteStore(dataFiles(dataDir).database, { clock: systemClock });
  for (;;) {
    const launch = await store.launches.lease(`lease of ${eventId}`, 60_000);
    if (launch === null) throw new Error(`${eventId} is not due`);
    if (launch.eventId === eventId) break;
  }
  expect(
    await store.launches.fail(eventId, `lease of ${eventId}`, { message: "The chain refused it" }),
  ).toBe(true);
  await store.launches.recover();
  await store.close();
}
