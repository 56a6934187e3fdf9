import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import pg from "pg";
import { UNBOUNDED } from "../../domain/intake-limits.ts";
import { sharesOf } from "../../domain/shares.ts";
import { describePostgres } from "../../testing/describe-postgres.ts";
import { handOut, insertToken, submit } from "../../testing/launches.ts";
import { PATIENT, sharedPostgres } from "../../testing/postgres.ts";
import type { LaunchRow, NewLaunch } from "../launch-row.ts";
import { inviteHash } from "../operator.ts";
import type { ClaimPayment, PreparedRow } from "../prepared.ts";
import type { Store } from "../store.ts";
import { newAttempt, newLaunch, newPaid } from "../testing/rows.ts";
import { lockAll } from "./database.ts";
import { openPostgresStore } from "./store.ts";

const SERVERS = 3;

const nameOf = (error: Error & { readonly reason?: string }) => error.reason ?? error.name;

describePostgres("servers that share a database", () => {
  let url: string;
  let stores: Store[];
  let admin: pg.Client;
  beforeAll(async () => {
    url = await (await sharedPostgres()).createDatabase();
    // At the same time, so that they also race to create the tables.
    stores = await Promise.all(
      Array.from({ length: SERVERS }, () =>
        openPostgresStore(url, { poolSize: 6, timeouts: PATIENT }),
      ),
    );
    admin = new pg.Client({ connectionString: url });
    await admin.connect();
  });
  beforeEach(async () => {
    for (const table of [
      "payouts",
      "prepared",
      "tokens",
      "launches",
      "daily_launches",
      "spending",
    ]) {
      await admin.query(`delete from ${table}`);
    }
  });
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await admin.end();
    await (await sharedPostgres()).dropDatabase(url);
  });

  /** Runs `act` many times at once on all servers. Returns how often each outcome came. */
  const race = async (times: number, act: (store: Store, n: number) => Promise<unknown>) => {
    const outcomes = await Promise.all(
      Array.from({ length: times }, (_, n) => act(stores[n % SERVERS] as Store, n)),
    );
    const counts: Record<string, number> = {};
    for (const outcome of outcomes) counts[String(outcome)] = (counts[String(outcome)] ?? 0) + 1;
    return counts;
  };
  const first = () => stores[0] as Store;
  const at = (store = first()) => ({ store, clock: store.clock });
  const launch = (ticker: string, other: Partial<NewLaunch> = {}) =>
    newLaunch(ticker, { createdAt: first().clock.now(), ...other });
  const insert = async (store: Store, one: NewLaunch, limits = {}) =>
    (await store.launches.insert([one], { ...UNBOUNDED, ...limits }))[0]?.kind;
  const lease = (store: Store, id: string) => store.launches.lease(id, 60_000);
  const waiting = async () => {
    const { rows } = await admin.query(
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return rows.length;
  };
  /** Runs `act` behind an open transaction, which commits once `count` statements wait for it. */
  const behind = async <T>(statements: string, count: number, act: () => Promise<T>) => {
    const blocker = new pg.Client({ connectionString: url });
    await blocker.connect();
    await blocker.query(`begin; ${statements}`);
    const acting = act();
    while ((await waiting()) < count);
    await blocker.query("commit");
    await blocker.end();
    return await acting;
  };

  test("take the same locks in the same order, so that none waits for one that waits for it", () => {
    const names = ["a", "b", "c", "d"];
    expect(lockAll([...names, "a"].reverse())).toBe(lockAll(names));
  });

  test("give a ticker to one of sixty launches", async () => {
    const counts = await race(60, (store, n) => insert(store, launch("SAME", { wallet: `w${n}` })));
    expect(counts).toEqual({ stored: 1, ticker_taken: 59 });
  });

  test("cancel a launch or sign it, and never both, in either order", async () => {
    const rounds = 40;
    const outcomes = new Set<string>();
    for (let round = 0; round < rounds; round++) {
      const { eventId } = launch(`C${round}`);
      await insert(first(), launch(`C${round}`, { eventId, wallet: `w${round}` }));
      const { ticker } = (await lease(first(), `lease ${round}`)) as LaunchRow;
      expect(ticker).toBe(`C${round}`);
      const cost = { lamports: 9n, walletLamports: 1_000n, minWalletLamports: 0n };
      const [signer, canceller] = [stores[1], stores[2]] as [Store, Store];
      const sign = async () => {
        await signer.launches.reserve(eventId, `lease ${round}`, {
          ...cost,
          maxDailyLamports: null,
        });
        await signer.launches.recordAttempt(eventId, `lease ${round}`, newAttempt(ticker));
        return "recorded";
      };
      // A little later in each round, so that it meets each step of the worker.
      const cancel = async () => {
        for (let turn = 0; turn < round; turn++) await signer.launches.spentToday();
        return (await canceller.launches.cancel(`w${round}`, eventId, "Cancelled")).kind;
      };
      const [signed, cancelled] = await Promise.all([sign().catch(nameOf), cancel()]);
      outcomes.add(`${signed} ${cancelled}`);
      const taken = await insert(stores[0] as Store, launch(ticker, { wallet: "next" }));
      expect(taken).toBe(cancelled === "cancelled" ? "stored" : "ticker_taken");
      await admin.query("update launches set status = 'failed', lease_id = null");
    }
    expect([...outcomes].sort()).toEqual(["LeaseLostError cancelled", "recorded signed"]);
    const { rows } = await admin.query(
      "select count(*)::int as signed from launches where signature is not null",
    );
    // What cancelled launches had set aside was returned.
    expect(await first().launches.spentToday()).toBe(9n * BigInt(rows[0].signed));
  });

  test("store one of fifty requests under one key, and answer all with it", async () => {
    const known = { eventId: "by the key", requestHash: "hash" };
    const kinds = await race(50, async (store, n) => {
      const request = launch(`T${n}`, known);
      const [outcome] = await store.launches.insert([request]);
      return outcome?.kind;
    });
    expect(kinds).toEqual({ stored: 1, replayed: 49 });
    expect((await first().launches.backlog()).depth).toBe(1);
  });

  test("hold the limits of queue, agents and addresses exactly", async () => {
    const limits = { maxPending: 50, maxOfAgent: 7, maxOfAddress: 9 };
    const counts = await race(120, async (store, n) => {
      const wallet = `w${n % 10}`;
      const address = `192.0.2.${n % 12}`;
      return insert(store, launch(`T${n}`, { wallet, address }), limits);
    });
    expect(counts.stored).toBe(50);
    const perAgent = await race(60, (store, n) =>
      insert(store, launch(`A${n}`, { wallet: "agent" }), { maxOfAgent: 7 }),
    );
    expect(perAgent).toEqual({ stored: 7, agent_launch_limit: 53 });
    const perAddress = await race(60, (store, n) =>
      insert(store, launch(`B${n}`, { wallet: `b${n}`, address: "192.0.2.99" }), {
        maxOfAddress: 9,
      }),
    );
    expect(perAddress).toEqual({ stored: 9, address_launch_limit: 51 });
    const share = await race(60, (store, n) =>
      insert(store, launch(`C${n}`, { wallet: `c${n}`, address: `198.51.100.${n}` }), {
        maxPending: 800,
        shares: { address: 0, network: 1 },
      }),
    );
    expect(share).toEqual({ stored: 8, queue_share_used: 52 });
  });

  test("commit no more than the day's budget, and no more of a network than its share", async () => {
    const budget = { maxDailyLamports: 205n, launchLamports: 10n };
    const limits = { ...UNBOUNDED, shares: { address: 1, network: 20 }, budget };
    const ask = (address: (n: number) => string) => async (store: Store, n: number) => {
      const asked = launch(crypto.randomUUID().slice(0, 10), {
        wallet: address(n),
        address: address(n),
      });
      return (await store.launches.insert([asked], limits))[0]?.kind;
    };
    const ofNetwork = await race(
      60,
      ask((n) => `192.0.2.${n}`),
    );
    expect(ofNetwork).toEqual({ stored: 4, budget_share_used: 56 });
    const ofAll = await race(
      60,
      ask((n) => `10.0.${n}.1`),
    );
    expect(ofAll).toEqual({ stored: 16, daily_budget_spent: 44 });
  });

  test("lease each launch once, and those of a wallet one at a time and in order", async () => {
    const WALLETS = 6;
    for (let n = 0; n < 60; n++) {
      await insert(first(), launch(`T${n}`, { wallet: `w${n % WALLETS}` }));
    }
    const held = new Set<string>();
    const order = new Map<string, number[]>();
    const work = async (store: Store, worker: number) => {
      for (let idle = 0; idle < 3; ) {
        const id = `${worker} ${crypto.randomUUID()}`;
        const row = await lease(store, id);
        if (!row) {
          idle++;
          continue;
        }
        expect(held.has(row.wallet)).toBe(false);
        held.add(row.wallet);
        order.set(row.wallet, [...(order.get(row.wallet) ?? []), Number(row.ticker.slice(1))]);
        const kept = await store.launches.renew(row.eventId, id, 60_000);
        expect(kept).toBe(true);
        held.delete(row.wallet);
        expect(await store.launches.fail(row.eventId, id, { message: "refused" })).toBe(true);
      }
    };
    await Promise.all(Array.from({ length: 9 }, (_, n) => work(stores[n % SERVERS] as Store, n)));
    expect((await first().launches.backlog()).depth).toBe(0);
    for (const [wallet, tickers] of order) {
      expect(tickers).toEqual(tickers.toSorted((a, b) => a - b));
      expect(tickers).toHaveLength(60 / WALLETS);
      expect(tickers[0]).toBe(Number(wallet.slice(1)));
    }
    expect(order.size).toBe(WALLETS);
  });

  test("lease no launch of a wallet while another server is leasing a second one of it", async () => {
    for (const ticker of ["OLD", "NEW"]) await insert(first(), launch(ticker, { wallet: "w" }));
    const newer =
      "update launches set lease_id = 'other', lease_until = 1e15::bigint where ticker = 'NEW'";
    expect(await behind(newer, 1, () => lease(first(), "ours"))).toBeNull();
  });

  test("sign one launch of a wallet a day, even if several of its launches were leased", async () => {
    const launches = Array.from({ length: 12 }, (_, n) => launch(`T${n}`, { wallet: `w${n % 2}` }));
    await first().launches.insert(launches);
    const leaseAll = "update launches set lease_id = event_id, lease_until = 1e15::bigint";
    await expect(admin.query(leaseAll)).rejects.toThrow('unique constraint "launches_leased"');
    await admin.query("drop index launches_leased");
    await admin.query(leaseAll);
    const counts = await race(12, async (store, n) => {
      const { eventId, ticker, wallet } = launches[n] as NewLaunch;
      const recording = store.launches.recordAttempt(eventId, eventId, newAttempt(ticker));
      return `${wallet} ${await recording.then(() => "recorded", nameOf)}`;
    });
    expect(counts).toEqual({
      "w0 recorded": 1,
      "w0 another_undecided": 5,
      "w1 recorded": 1,
      "w1 another_undecided": 5,
    });
    await admin.query("delete from launches");
    await admin.query(
      `create unique index launches_leased on launches (wallet)
       where status = 'pending' and lease_id is not null`,
    );
  });

  test("set aside no more than the day and the wallet allow", async () => {
    for (let n = 0; n < 20; n++) await insert(first(), launch(`T${n}`, { wallet: `w${n}` }));
    const rows = await Promise.all(
      Array.from({ length: 20 }, (_, n) => lease(stores[n % SERVERS] as Store, `${n}`)),
    );
    const cost = { lamports: 10n, walletLamports: 1_000n, minWalletLamports: 0n };
    const counts = await race(20, async (store, n) => {
      const day = { ...cost, maxDailyLamports: 70n };
      return (await store.launches.reserve(rows[n]?.eventId ?? "", `${n}`, day)).kind;
    });
    expect(counts).toEqual({ reserved: 7, day_spent: 13 });
    expect(await first().launches.spentToday()).toBe(70n);
    await race(20, (store, n) => store.launches.settle(rows[n]?.eventId ?? "", `${n}`, 4n));
    expect(await first().launches.spentToday()).toBe(28n);
    const wallet = await race(20, async (store, n) => {
      const short = { ...cost, walletLamports: 60n, minWalletLamports: 15n };
      return (
        await store.launches.reserve(rows[n]?.eventId ?? "", `${n}`, {
          ...short,
          maxDailyLamports: null,
        })
      ).kind;
    });
    expect(wallet).toEqual({ reserved: 4, wallet_short: 16 });
  });

  test("use each of two nonces once in fifty tries", async () => {
    const now = first().clock.now();
    const uses = race(50, async (store, n) => {
      const id = n % 2 === 0 ? "one" : "two";
      return `${id} ${await store.usedNonces.use(id, now + 1_000, now)}`;
    });
    expect(await uses).toEqual({ "one true": 1, "one false": 24, "two true": 1, "two false": 24 });
  });

  test("send a claim at one server at a time, with one signature", async () => {
    await insertToken(at(), "ONE");
    await race(12, (store) => handOut(at(store), "hash"));
    const row = await handOut(at(), "hash");
    const counts = await race(30, (store, n) =>
      submit({ store }, row, { leaseId: `${n}` }).then(() => "leased", nameOf),
    );
    expect(counts).toEqual({ leased: 1, LeaseLostError: 29 });
    await race(9, (store) => store.prepared.confirm(row, newPaid("s", 5n, 1)));
    expect((await first().tokens.findAny("mint-ONE"))?.claimedAt).toBe(1);
  });

  test("sponsor three claims of each of two agents, of fifteen that each sends at once", async () => {
    for (const wallet of ["agent", "other"]) {
      await insertToken(at(), wallet.toUpperCase(), { wallet });
    }
    const rows = await Promise.all(
      Array.from({ length: 30 }, (_, n) => {
        const wallet = n % 2 === 0 ? "agent" : "other";
        return handOut(at(), `${n}`, { wallet, tokenMint: `mint-${wallet.toUpperCase()}` });
      }),
    );
    const counts = await race(30, async (store, n) => {
      const row = rows[n] as PreparedRow;
      const submission = submit({ store }, row, { leaseId: `${n}`, maxAtRisk: 3 });
      return `${row.wallet} ${await submission.then(() => "leased", nameOf)}`;
    });
    expect(counts).toEqual({
      "agent leased": 3,
      "agent sponsor_spent": 12,
      "other leased": 3,
      "other sponsor_spent": 12,
    });
    expect(await first().prepared.sponsoredAtRisk("agent")).toHaveLength(3);
  });

  test("put a claim that commits late before those that were read already", async () => {
    const owners = { ONE: "agent", TWO: "agent", THEIRS: "other" };
    for (const [ticker, wallet] of Object.entries(owners)) {
      await insertToken(at(), ticker, { wallet });
      await admin.query("update launches set day = '2026-01-01' where ticker = 'ONE'");
    }
    const prepare = (ticker: keyof typeof owners) =>
      handOut(at(), ticker, { wallet: owners[ticker], tokenMint: `mint-${ticker}` });
    const paid = (signature: string, ticker: keyof typeof owners): ClaimPayment => ({
      ...newPaid(signature, 1n, 1),
      payouts: [{ tokenMint: `mint-${ticker}`, bondingCurve: 1n, liquidityPool: 0n }],
    });
    const read = async () => {
      const whole = { tokenMint: null, limit: null, before: null };
      const { rows } = await first().prepared.history("agent", whole);
      return rows.map(({ signature }) => signature);
    };
    const [one, two, theirs] = [
      await prepare("ONE"),
      await prepare("TWO"),
      await prepare("THEIRS"),
    ];

    // The first one has its place, but cannot commit yet.
    const blocker = new pg.Client({ connectionString: url });
    await blocker.connect();
    await blocker.query("begin; select 1 from tokens where token_mint = 'mint-ONE' for update");
    const slow = first().prepared.confirm(one, paid("slow", "ONE"));
    while ((await waiting()) < 1);
    let isDone = false;
    const fast = (stores[1] as Store).prepared.confirm(two, paid("fast", "TWO")).then(() => {
      isDone = true;
    });
    while (!isDone && (await waiting()) < 2);
    await (stores[2] as Store).prepared.confirm(theirs, paid("theirs", "THEIRS"));
    const before = await read();
    await blocker.query("commit");
    await blocker.end();
    await Promise.all([slow, fast]);
    expect(await read()).toEqual(["fast", "slow"]);
    expect(before).toEqual([]);
  });

  test("use up one invite of a wallet that redeems two at two servers at once", async () => {
    const codes = ["K7QF2MNP9XTA44HW", "K7QF2MNP9XTA44HX"].map(inviteHash);
    const created = codes.map((codeHash) => ({
      ...{ codeHash, note: null, maxUses: 2, expiresAt: null },
    }));
    const change = { actor: "test", action: "invite", subject: null, detail: null, reason: null };
    await first().operator.createInvites(created, change);
    const outcomes = await behind("select 1 from invites for update", 2, () =>
      Promise.all(codes.map((code, n) => (stores[n] as Store).operator.redeem("invited", code))),
    );
    expect(outcomes.toSorted()).toEqual(["known", "redeemed"]);
    const uses = (await first().operator.invites()).map((invite) => invite.uses);
    expect(uses.toSorted()).toEqual([0, 1]);
  });

  test("leave an image to the token that it is kept for, though it is uploaded at this moment", async () => {
    const image = { hash: "kept", wallet: "owner", address: null, mediaType: "image/png" };
    const bytes = { small: null, medium: null, bytes: new Uint8Array(1) };
    const times = { ...bytes, now: 1, expiresAt: 2 };
    const bounds = { maxOfAgent: 1, space: sharesOf(9, 9, UNBOUNDED.shares) };
    const put = (wallet: string) => first().images.put({ ...image, ...times, wallet }, bounds);
    await put("owner");
    expect(await behind("update images set expires_at = null", 1, () => put("another"))).toBe(
      "stored",
    );
    const { rows } = await admin.query("select wallet, expires_at from images");
    expect(rows).toEqual([{ wallet: "owner", expires_at: null }]);
  });
});
