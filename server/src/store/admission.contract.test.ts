import { describe, expect, test } from "bun:test";
import { HOUR_MS } from "../base/clock.ts";
import { type IntakeLimits, UNBOUNDED } from "../domain/intake-limits.ts";
import type { LaunchRow, NewLaunch } from "./launch-row.ts";
import type { StateQuery } from "./launches.ts";
import { inviteHash } from "./operator.ts";
import { describeStore } from "./testing/contract.ts";
import { newAttempt, newLaunch, UNBOUNDED_IMAGES } from "./testing/rows.ts";

const CHANGE = { actor: "ops", action: "change", subject: null, detail: null, reason: null };
const CODE = "K7QF-2MNP-9XTA-44HW";
const HASH = inviteHash(CODE);

describeStore("admission", (at) => {
  const operator = () => at.store.operator;
  /** Stores one launch of each wallet, and returns each outcome. */
  const insert = async (
    wallets: readonly string[],
    limits: Partial<IntakeLimits>,
    other: Partial<NewLaunch> = {},
    store = at.store,
  ) => {
    const batch = wallets.map((wallet, index) =>
      newLaunch(`${wallet}${index}${at.now()}`.toUpperCase(), {
        wallet,
        createdAt: at.now(),
        ...other,
      }),
    );
    const outcomes = await store.launches.insert(batch, { ...UNBOUNDED, ...limits });
    return outcomes.map(({ kind }) => kind);
  };
  const invite = (maxUses: number, expiresAt: number | null = null) =>
    operator().createInvites([{ codeHash: HASH, note: "for friends", maxUses, expiresAt }], CHANGE);

  const stateOf = (wallet: string, other: Partial<StateQuery>) =>
    at.launches.intakeState({ wallet, now: at.now(), ...other });
  const places = async (wallet: string, address: string | null) =>
    (await stateOf(wallet, { address, readsPlaces: true })).places;

  const rule = (wallet: string, list: "allowed" | "blocked", isOn: boolean) =>
    operator().setRule(wallet, { list, isOn }, CHANGE);

  test("a wallet that is blocked is refused in every mode, its retries too, until it is unblocked", async () => {
    const eventId = await at.insertFailed("FAILED");
    await rule("agent", "allowed", true);
    expect(await rule("agent", "blocked", true)).toBe(true);
    for (const admission of ["open", "invite", "allowlist"] as const) {
      expect(await insert(["agent"], { admission })).toEqual(["wallet_blocked"]);
    }
    expect(await at.retry(eventId)).toBe("wallet_blocked");
    expect(await insert(["other", "agent"], {})).toEqual(["stored", "wallet_blocked"]);
    expect(await rule("agent", "blocked", false)).toBe(true);
    expect(await rule("agent", "blocked", false)).toBe(false);
    expect(await insert(["agent"], { admission: "allowlist" })).toEqual(["stored"]);
  });

  test("the allowlist admits its wallets alone, and an invite does not replace it", async () => {
    await rule("agent", "allowed", true);
    await invite(1);
    expect(await operator().redeem("other", HASH)).toBe("redeemed");
    const limits = { admission: "allowlist" } as const;
    expect(await insert(["agent", "other"], limits)).toEqual(["stored", "not_on_allowlist"]);
    await rule("agent", "allowed", false);
    expect(await insert(["agent"], limits)).toEqual(["not_on_allowlist"]);
    const standing = { isBlocked: false, isAllowed: false, isInvited: true };
    expect((await stateOf("other", {})).standing).toEqual(standing);
  });

  describe("an invite", () => {
    test("admits as many wallets as it has uses, each once, whatever they redeem again", async () => {
      await invite(2);
      expect(await insert(["agent"], { admission: "invite" })).toEqual(["invite_required"]);
      expect(await operator().redeem("agent", HASH)).toBe("redeemed");
      expect(await operator().redeem("agent", HASH)).toBe("known");
      expect(await operator().redeem("other", inviteHash("k7qf 2mnp9xta-44hw"))).toBe("redeemed");
      expect(await operator().redeem("third", HASH)).toBe("invalid");
      expect(await insert(["agent", "other", "third"], { admission: "invite" })).toEqual([
        "stored",
        "stored",
        "invite_required",
      ]);
      expect(await operator().invites()).toMatchObject([{ uses: 2, maxUses: 2 }]);
    });

    test("ends when it expires or is revoked; who has redeemed it stays", async () => {
      const [made] = await invite(9, at.now() + 10);
      await operator().redeem("agent", HASH);
      await at.advance(10);
      expect(await operator().redeem("other", HASH)).toBe("invalid");
      const later = { codeHash: inviteHash("later"), note: null, maxUses: 1, expiresAt: null };
      const [second] = await operator().createInvites([later], CHANGE);
      expect(await operator().revokeInvite(second?.id ?? 0, CHANGE)).toBe(true);
      expect(await operator().revokeInvite(second?.id ?? 0, CHANGE)).toBe(false);
      expect(await operator().redeem("other", later.codeHash)).toBe("invalid");
      expect((await operator().invites()).map(({ id }) => id)).toEqual([
        second?.id ?? 0,
        made?.id ?? 0,
      ]);
      expect(await insert(["agent"], { admission: "invite" })).toEqual(["stored"]);
    });

    test("is never redeemed more often than it may be, at two servers at once", async () => {
      await invite(3);
      const other = at.store.isShared ? await at.database.openAnother() : at.store;
      const outcomes = await Promise.all(
        ["a", "b", "c", "d", "e", "f"].map((wallet, index) =>
          (index % 2 === 0 ? at.store : other).operator.redeem(wallet, HASH),
        ),
      );
      expect(outcomes.filter((outcome) => outcome === "redeemed")).toHaveLength(3);
      expect(outcomes.filter((outcome) => outcome === "invalid")).toHaveLength(3);
      expect(await operator().invites()).toMatchObject([{ uses: 3 }]);
    });
  });

  test("an objection from outside refuses a new request, and not one that is known", async () => {
    const known = newLaunch("ALPHA", { requestHash: "hash" });
    await at.launches.insert([known]);
    const again = { ...known, objection: "paused" } as const;
    const fresh = newLaunch("BETA", { objection: "agent_balance_low" });
    expect(await at.launches.insert([again, fresh])).toEqual([
      { kind: "replayed" },
      { kind: "agent_balance_low" },
    ]);
  });

  describe("a limit of launches in an hour", () => {
    const TWO = { maxPerHour: 2 };
    const lease = (leaseId: string, store = at.store) =>
      store.launches.lease(leaseId, 2 * HOUR_MS, TWO);

    test("accepts up to its number of agents, and any number of their launches", async () => {
      expect(await insert(["agent", "agent", "other", "third", "agent"], TWO)).toEqual([
        "stored",
        "stored",
        "stored",
        "launch_rate_limit",
        "stored",
      ]);
      expect(await places("agent", null)).toEqual({ isAmong: true, used: { total: 2 } });
      expect(await places("third", null)).toMatchObject({ isAmong: false });
    });

    test("keeps no address of a wallet that the operator forgets, nor does its image", async () => {
      const address = "192.0.2.7";
      const eventId = await at.insert("ALPHA", { address });
      await lease("holder");
      await at.launches.recordAttempt(eventId, "holder", newAttempt("ALPHA"));
      const launch = await at.launches.read("agent", eventId);
      const token = { tokenMint: "mint", poolAddress: "pool" };
      expect(launch && (await at.launches.succeed(launch, { leaseId: "holder" }, token))).toBe(
        true,
      );
      const image = { hash: "both", wallet: "agent", address, mediaType: "image/png" as const };
      const bytes = { bytes: new Uint8Array(3), small: null, medium: null };
      const times = { now: at.now(), expiresAt: at.now() + HOUR_MS };
      await at.store.images.put({ ...image, ...bytes, ...times }, UNBOUNDED_IMAGES);
      await at.insertToken("TWO", { wallet: "second", imageHash: "both" });
      expect(await at.store.takedowns.forget("agent", CHANGE)).toMatchObject({ launches: 1 });
      const kept = { address: null, network: null };
      for (const table of ["launches", "launch_starts", "images"]) {
        const rows = `select address, network from ${table} where wallet = 'agent'`;
        expect(await at.database.select(rows)).toEqual([kept]);
      }
    });

    test("lets all servers together accept and start no more at once, and the next when the first is an hour old", async () => {
      const stores = [at.store];
      for (let n = 0; at.store.isShared && n < 2; n++) stores.push(await at.database.openAnother());
      const storeOf = (n: number) => stores[n % stores.length] ?? at.store;
      const many = Array.from({ length: 15 }, (_, n) => n);
      const accepted = await Promise.all(many.map((n) => insert([`w${n}`], TWO, {}, storeOf(n))));
      expect(accepted.flat().filter((kind) => kind === "stored")).toHaveLength(2);
      await insert(
        many.map((n) => `more${n}`),
        {},
      );
      const leased = await Promise.all(many.map((n) => lease(`lease ${n}`, storeOf(n))));
      const started = leased.filter((launch) => launch !== null);
      expect(started).toHaveLength(2);
      await at.advance(HOUR_MS - 1);
      expect(await lease("none")).toBeNull();
      await at.advance(1);
      const next = (await lease("next")) as LaunchRow;
      expect(next).not.toBeNull();
      expect(started.map(({ wallet }) => wallet)).not.toContain(next.wallet);
    });

    test("counts no start from before the clock was set back by a day", async () => {
      await insert(["agent", "other"], TWO);
      for (const leaseId of ["one", "two"]) {
        const { eventId } = (await lease(leaseId)) as LaunchRow;
        await at.launches.recordAttempt(eventId, leaseId, newAttempt(leaseId));
        await at.launches.fail(eventId, leaseId, { message: "refused on chain" });
      }
      expect(await insert(["third"], TWO)).toEqual(["launch_rate_limit"]);
      await at.advance(-24 * HOUR_MS);
      expect(await insert(["third"], TWO)).toEqual(["stored"]);
      expect((await lease("third"))?.wallet).toBe("third");
    });

    test("gives an agent one place at most, however many of its launches wait and fail", async () => {
      await insert(["agent", "agent", "agent", "agent"], TWO);
      const first = await lease("first");
      if (first === null) throw new Error("it is due");
      await at.launches.recordAttempt(first.eventId, "first", newAttempt("FIRST"));
      await at.launches.fail(first.eventId, "first", { message: "refused on chain" });
      expect(await lease("none")).toBeNull();
      expect(await insert(["other"], TWO)).toEqual(["stored"]);
      expect((await lease("other"))?.wallet).toBe("other");
    });

    test("counts an agent's place for each address that it launches from, whatever came first", async () => {
      const [one, two] = ["192.0.2.1", "198.51.100.1"];
      await insert(["agent"], {}, { address: one });
      const { eventId = "" } = (await lease("started")) ?? {};
      await at.launches.recordAttempt(eventId, "started", newAttempt("STARTED"));
      await at.launches.fail(eventId, "started", { message: "refused on chain" });
      await at.advance(HOUR_MS - 1);
      await insert(["agent"], {}, { address: two });
      for (const address of [one, two]) {
        const { used } = await places("other", address);
        expect(used).toMatchObject({ address: 1, network: 1 });
      }
    });

    test("does not count a launch that ends without a transaction, and counts a retry again", async () => {
      await insert(["agent", "agent"], TWO);
      for (const leaseId of ["first", "second"]) {
        const launch = await lease(leaseId);
        expect(launch?.wallet).toBe("agent");
        if (leaseId === "first")
          await at.launches.fail(launch?.eventId ?? "", leaseId, { message: "refused" });
        else {
          const { eventId } = launch ?? { eventId: "" };
          await at.launches.recordAttempt(eventId, leaseId, newAttempt("SECOND"));
          await at.launches.fail(eventId, leaseId, { message: "refused on chain" });
          expect(await at.retry(eventId)).toBe("stored");
        }
      }
      expect(await lease("none")).toBeNull();
      await at.advance(HOUR_MS);
      expect((await lease("later"))?.wallet).toBe("agent");
    });

    test("does not hold back a launch that was started, nor one that only has to end", async () => {
      const done = await at.insertToken("DONE", { wallet: "done" });
      await insert(["one", "two", "done"], {});
      const one = await lease("one");
      await lease("two");
      expect((await lease("end"))?.wallet).toBe(done.wallet);
      await at.launches.refuse(done.wallet, "end", "launched_today");
      await at.launches.postpone(one?.eventId ?? "", "one", {
        delayMs: 0,
        reason: "chain_unavailable",
      });
      expect((await lease("again"))?.eventId).toBe(one?.eventId ?? "");
    });
  });

  test("while launches are paused only those with a transaction are leased", async () => {
    const { eventId } = await at.take("SIGNED");
    await at.launches.recordAttempt(eventId, "holder", newAttempt("SIGNED"));
    await at.launches.postpone(eventId, "holder", { delayMs: 0 });
    await at.insert("WAITS", { wallet: "other" });
    const paused = (leaseId: string) => at.launches.lease(leaseId, 60_000, { isPaused: true });
    expect((await paused("first"))?.ticker).toBe("SIGNED");
    expect(await paused("second")).toBeNull();
    expect((await at.lease("third"))?.ticker).toBe("WAITS");
  });
});
