import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Socket } from "node:net";
import pg from "pg";
import { describePostgres } from "../../testing/describe-postgres.ts";
import { submit } from "../../testing/launches.ts";
import { PATIENT, startPostgres, type TestPostgres } from "../../testing/postgres.ts";
import { INTAKE_LOCK } from "../launch-queue.ts";
import type { NewLaunch } from "../launch-row.ts";
import type { Store } from "../store.ts";
import { newLaunch, WHOLE_LIST } from "../testing/rows.ts";
import { lockKey } from "./database.ts";
import { openPostgresStore } from "./store.ts";
import { startProxy, type TestProxy, throughPort } from "./testing/proxy.ts";

const UNAVAILABLE = { wireCode: "database_unavailable", message: "Database is not available" };
/** Shorter than a server's, to keep the tests short. On a slow machine they may fail a call. */
const TIMEOUTS = { connectMs: 1_000, statementMs: 700, queryMs: 1_000 };

/** Returns the error of a call, without its cause. */
const refusalOf = (call: Promise<unknown>) =>
  call.then(
    () => "it works",
    ({ wireCode, message }) => ({ wireCode, message }),
  );

const ROLE = "limited";
const PROBLEM = "The database does not answer or takes no writes; see the server's log";

describePostgres("a store", () => {
  let server: TestPostgres;
  let url: string;
  let proxy: TestProxy;
  let store: Store;
  let admin: pg.Client;
  const tickers = (function* () {
    for (let n = 0; ; n++) yield `T${n}`;
  })();
  const launch = (other: Partial<NewLaunch> = {}) =>
    newLaunch(tickers.next().value ?? "", { createdAt: store.clock.now(), ...other });
  const isStored = async (eventId: string) =>
    (await admin.query("select 1 from launches where event_id = $1", [eventId])).rows.length > 0;
  const connect = async () => {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => {});
    await client.connect();
    return client;
  };

  beforeAll(async () => {
    server = await startPostgres();
    url = await server.createDatabase();
  });
  beforeEach(async () => {
    admin = await connect();
    proxy = await startProxy(server.port);
    store = await openPostgresStore(throughPort(url, proxy.port), {
      poolSize: 3,
      timeouts: PATIENT,
    });
  });
  afterEach(async () => {
    await store.close();
    await proxy[Symbol.asyncDispose]();
    await admin.end();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const waitLess = async (timeouts: Partial<typeof TIMEOUTS> = {}) => {
    await store.close();
    const options = { poolSize: 3, timeouts: { ...TIMEOUTS, ...timeouts } };
    store = await openPostgresStore(throughPort(url, proxy.port), options);
  };
  /** Waits until a store can store a launch. */
  const stores = async (by: Store) => {
    while ((await by.launches.insert([launch()]).catch(() => [])).length === 0);
  };
  const killAll = () =>
    admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'tokend' and pid <> pg_backend_pid()`,
    );

  test("outlives connections that are ended while idle", async () => {
    await Promise.all([store.ping(), store.ping(), store.ping()]);
    await killAll();
    proxy.cut();
    expect(await store.launches.backlog()).toMatchObject({ depth: expect.any(Number) });
    expect(await store.launches.insert([launch()])).toMatchObject([{ kind: "stored" }]);
  });

  test.each([
    ["reads again", "tokens", () => store.tokens.findAny("mint"), null],
    [
      "repeats a transaction, and stores once",
      "launches in exclusive mode",
      () => store.launches.insert([launch()]),
      [{ kind: "stored" }],
    ],
  ] as const)("%s if its connection is ended before the commit", async (_, table, call, answer) => {
    const lock = await connect();
    await lock.query(`begin; lock table ${table}`);
    const answered: Promise<unknown> = call();
    await blocked();
    await killAll();
    await lock.query("rollback");
    expect(await answered).toEqual(answer);
    await lock.end();
  });

  test("does not repeat a write of one statement that may have been carried out", async () => {
    const one = launch();
    await store.launches.insert([one]);
    let leases = 0;
    proxy.set({
      toServer: (bytes, pair) => {
        if (!bytes.includes("skip locked")) return bytes;
        leases++;
        pair.client.destroy();
        return bytes;
      },
    });
    expect(await refusalOf(store.launches.lease("lost", 60_000))).toEqual(UNAVAILABLE);
    expect(leases).toBe(1);
    proxy.set({});
    await store.launches.refuse(one.wallet, "lost", "launched_today");
  });

  describe("whose connection is cut in a commit", () => {
    const cutAt = (isDelivered: boolean) =>
      proxy.set({
        toServer: (bytes, pair) => {
          if (!bytes.includes("commit\0")) return bytes;
          proxy.set({});
          pair.client.destroy();
          if (!isDelivered) pair.server.destroy();
          return isDelivered ? bytes : null;
        },
      });

    test("accepts launches if they are stored", async () => {
      const batch = [launch(), launch({ wallet: "other" })];
      cutAt(true);
      expect(await store.launches.insert(batch)).toEqual(batch.map(() => ({ kind: "stored" })));
      for (const { eventId } of batch) expect(await isStored(eventId)).toBe(true);
    });

    test("accepts launches whose commit is carried out after they are looked for", async () => {
      const one = launch();
      let held: (() => void) | null = null;
      proxy.set({
        toServer: (bytes, { client, server }) => {
          if (held === null && bytes.includes("commit\0")) {
            client.removeAllListeners("close").destroy();
            held = () => server.write(bytes);
            return null;
          }
          // It waits in the database for the end of the first transaction.
          if (held !== null && bytes.includes("pg_advisory_xact_lock")) setImmediate(held);
          return bytes;
        },
      });
      expect(await store.launches.insert([one])).toEqual([{ kind: "stored" }]);
      expect(await isStored(one.eventId)).toBe(true);
    });

    test("refuses launches if they are not", async () => {
      const one = launch();
      cutAt(false);
      expect(await refusalOf(store.launches.insert([one]))).toEqual(UNAVAILABLE);
      expect(await isStored(one.eventId)).toBe(false);
      expect(await store.launches.insert([one])).toMatchObject([{ kind: "stored" }]);
    });

    test("refuses launches if another server alone has stored one of them under its key", async () => {
      const [one, two] = [launch({ requestHash: "same" }), launch({ wallet: "other" })];
      const { promise, resolve } = Promise.withResolvers<Socket>();
      proxy.set({
        toServer: (bytes, { client, server }) => {
          if (!bytes.includes("commit\0")) return bytes;
          // The client does not see yet that its transaction is undone.
          server.removeAllListeners("close").destroy();
          resolve(client);
          return null;
        },
      });
      const refused = refusalOf(store.launches.insert([one, two]));
      const client = await promise;
      proxy.set({});
      const another = await openPostgresStore(url, { timeouts: PATIENT });
      await another.launches.insert([one]).finally(() => another.close());
      client.destroy();
      expect(await refused).toEqual(UNAVAILABLE);
      expect([await isStored(one.eventId), await isStored(two.eventId)]).toEqual([true, false]);
    });
  });

  test("does not hang on a connection that is dead without a word, nor on a new one", async () => {
    await waitLess();
    await store.ping();
    proxy.set({ toClient: () => null });
    expect(await refusalOf(store.launches.backlog())).toEqual(UNAVAILABLE);
    expect(await refusalOf(store.launches.insert([launch()]))).toEqual(UNAVAILABLE);
    expect(await store.findProblem()).toMatchObject({ text: PROBLEM });
    proxy.set({});
    proxy.cut();
    while ((await store.findProblem()) !== null);
  });

  test("refuses within its statement's time what waits for another's lock", async () => {
    await waitLess({ queryMs: PATIENT.queryMs });
    const lock = await connect();
    await lock.query("begin; lock table launches in exclusive mode");
    expect(await refusalOf(store.launches.insert([launch()]))).toEqual(UNAVAILABLE);
    // PostgreSQL itself has ended the statement: it no longer waits there.
    expect(await waiting()).toBe(0);
    await lock.query("rollback");
    await lock.end();
    await stores(store);
  });

  test("leaves no transaction open that waited too long for its turn", async () => {
    await waitLess({ queryMs: PATIENT.queryMs });
    const other = await connect();
    await other.query(`select pg_advisory_lock(${lockKey(INTAKE_LOCK)})`);
    expect(await refusalOf(store.launches.insert([launch()]))).toEqual(UNAVAILABLE);
    await store.ping();
    const open = "select 1 from pg_stat_activity where state like 'idle in transaction%'";
    expect((await admin.query(open)).rows).toEqual([]);
    await other.end();
  });

  test("refuses every call while the database is away, and works as soon as it is back", async () => {
    const one = launch();
    const stored = launch();
    await store.launches.insert([stored]);
    await admin.end();
    await server.stop("immediate");
    const calls = [
      () => store.ping(),
      () => store.launches.insert([one]),
      () => store.launches.retry({ wallet: "agent", eventId: one.eventId, address: null, now: 0 }),
      () => store.launches.find("agent", one.eventId),
      () => store.launches.lease("lease", 60_000),
      () => store.launches.spentToday(),
      () => store.launches.settle(one.eventId, "lease", 1n),
      () => store.tokens.page("agent", WHOLE_LIST),
      () => store.tokens.metadata("mint"),
      () => store.prepared.unsettled(),
      () => submit({ store }, { id: 1, kind: "claim", wallet: "agent", messageHash: "hash" }),
      () => store.chainBinding.read(),
      () => store.usedNonces.use("nonce", 2, 1),
    ];
    for (const call of calls) expect(await refusalOf(call())).toEqual(UNAVAILABLE);
    expect((await store.findProblem())?.text).toBe(PROBLEM);
    await server.start();
    admin = await connect();
    expect(await store.findProblem()).toBeNull();
    expect(await store.launches.find("agent", stored.eventId)).toMatchObject({ status: "pending" });
    expect(await store.launches.insert([one])).toMatchObject([{ kind: "stored" }]);
  });

  test("loses nothing that it accepted while the database is restarted under it", async () => {
    const accepted: string[] = [];
    let isOver = false;
    const client = async () => {
      while (!isOver) {
        const one = launch({ wallet: crypto.randomUUID() });
        const [outcome] = await store.launches.insert([one]).catch(() => []);
        if (outcome?.kind === "stored") accepted.push(one.eventId);
        else await Bun.sleep(1);
      }
    };
    const clients = Array.from({ length: 6 }, client);
    const more = async (count: number) => {
      const until = accepted.length + count;
      while (accepted.length < until) await store.ping().catch(() => Bun.sleep(1));
    };
    await more(20);
    await admin.end();
    await server.stop("immediate");
    await server.start();
    await more(20);
    isOver = true;
    await Promise.all(clients);
    admin = await connect();
    const { rows } = await admin.query("select event_id from launches");
    const stored = new Set(rows.map(({ event_id }) => event_id));
    expect(accepted.filter((eventId) => !stored.has(eventId))).toEqual([]);
  });

  test("that finds the disk full says so for a while, and refuses the launch", async () => {
    await admin.query(
      `create function full_disk() returns trigger language plpgsql as $$
         begin raise exception 'could not extend file' using errcode = '53100'; end $$;
       create trigger full_disk before insert on launches execute function full_disk()`,
    );
    expect(await store.findProblem()).toBeNull();
    expect(await refusalOf(store.launches.insert([launch()]))).toEqual(UNAVAILABLE);
    expect(await store.findProblem()).toMatchObject({
      text: PROBLEM,
      cause: { message: "Its disk was full just now" },
    });
    await admin.query("drop function full_disk cascade");
    expect(await store.launches.insert([launch()])).toMatchObject([{ kind: "stored" }]);
  });

  test("keeps its connections if PostgreSQL has room for no further one", async () => {
    const limit = (most: number) => admin.query(`alter role ${ROLE} connection limit ${most}`);
    await admin.query(`create role ${ROLE} login password '${ROLE}'`);
    await admin.query(`grant pg_read_all_data, pg_write_all_data to ${ROLE}`);
    await store.close();
    store = await openPostgresStore(url.replace(/\/\/[^@]+@/, `//${ROLE}:${ROLE}@`), {
      poolSize: 3,
    });
    await limit(1);
    const burst = await Promise.allSettled([1, 2, 3].map(() => store.launches.backlog()));
    expect(burst.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected", "rejected"]);
    expect(await store.launches.insert([launch()])).toMatchObject([{ kind: "stored" }]);
    await limit(-1);
    await Promise.all([1, 2, 3].map(() => store.launches.backlog()));
  });

  test("repeats what PostgreSQL undoes because of another transaction, and not without end", async () => {
    await admin.query(
      `create sequence undone;
       create function undo() returns trigger language plpgsql as $$
         begin
           if nextval('undone') % 4 <> 0 then
             raise exception 'lost' using errcode =
               case when currval('undone') % 2 = 0 then '40001' else '40P01' end;
           end if;
           return null;
         end $$;
       create trigger undo before insert on launches execute function undo()`,
    );
    expect(await store.launches.insert([launch()])).toMatchObject([{ kind: "stored" }]);
    expect((await admin.query("select last_value::int as n from undone")).rows).toEqual([{ n: 4 }]);
    await admin.query(
      `create or replace function undo() returns trigger language plpgsql as $$
         begin perform nextval('undone'); raise exception 'lost' using errcode = '40001'; end $$`,
    );
    expect(await refusalOf(store.launches.insert([launch()]))).toEqual(UNAVAILABLE);
    expect((await admin.query("select last_value::int as n from undone")).rows).toEqual([
      { n: 10 },
    ]);
    await admin.query("drop function undo cascade; drop sequence undone");
  });

  test("reads nothing from a host that has become a standby, through a new connection either", async () => {
    await store.ping();
    const database = new URL(url).pathname.slice(1);
    const lock = await connect();
    await lock.query("begin; lock table tokens");
    const first = store.tokens.findAny("mint");
    await blocked();
    // Only new connections notice, like those to a standby with the primary's address.
    await admin.query(`alter database ${database} set default_transaction_read_only = on`);
    expect(await refusalOf(store.launches.backlog())).toEqual(UNAVAILABLE);
    await admin.query(`alter database ${database} reset default_transaction_read_only`);
    await lock.query("rollback");
    expect(await first).toBeNull();
    await lock.end();
    expect(await store.launches.backlog()).toMatchObject({ depth: expect.any(Number) });
  });

  test("follows the host that takes writes, without a restart", async () => {
    await using first = await startProxy(server.port);
    await using second = await startProxy(server.port);
    const database = new URL(url).pathname.slice(1);
    const hosts = `127.0.0.1:${first.port},127.0.0.1:${second.port}`;
    const both = url.replace(/127\.0\.0\.1:\d+/, hosts);
    const two = await openPostgresStore(both, { timeouts: TIMEOUTS });
    const before = second.opened;
    await two.ping();
    expect(second.opened).toBe(before);
    // The first host goes silent.
    first.set({ toClient: () => null });
    first.cut();
    await stores(two);
    expect(second.opened).toBeGreaterThan(before);
    // It returns as a standby, which the store does not use.
    first.set({});
    await admin.query(`alter database ${database} set default_transaction_read_only = on`);
    await killAll();
    expect((await two.findProblem())?.text).toBe(PROBLEM);
    expect(await refusalOf(two.launches.insert([launch()]))).toEqual(UNAVAILABLE);
    await admin.query("begin read write");
    await admin.query(`alter database ${database} reset default_transaction_read_only`);
    await admin.query("commit");
    while ((await two.findProblem()) !== null);
    await stores(two);
    await two.close();
  });

  /** Returns how many of the store's statements wait for a lock. */
  async function waiting(): Promise<number> {
    const { rows } = await admin.query(
      `select 1 from pg_stat_activity
       where application_name = 'tokend' and wait_event_type = 'Lock'`,
    );
    return rows.length;
  }

  async function blocked(): Promise<void> {
    while ((await waiting()) === 0);
  }
});
