import { expect, test } from "bun:test";
import { UNSTEERED } from "../domain/steering.ts";
import { linkHash, type ServerReport } from "./operator.ts";
import { LAUNCHES_LOOKED_AT, type LaunchFilter } from "./operator-reads.ts";
import { describeStore } from "./testing/contract.ts";
import { DAY_MS } from "./testing/engines.ts";
import { newAttempt } from "./testing/rows.ts";

const change = (action: string, reason: string | null = null) => ({
  ...{ actor: "uid 0 (root)", action, subject: "subject", detail: null, reason },
});
const server = (id: string, steeringVersion = 0): ServerReport => ({
  ...{ id, host: "host", pid: 7, url: "http://a", version: "1.2.3" },
  ...{ startedAt: 5, steeringVersion },
});

describeStore("what the operator does", (at) => {
  const operator = () => at.store.operator;

  test("every change has one entry with its time and reason, newest first; what changes nothing has none", async () => {
    const { allow, block, steer, record } = {
      allow: () =>
        operator().setRule(
          "agent",
          { list: "allowed", isOn: true },
          change("allow", "a friend 🚀"),
        ),
      block: () => operator().setRule("agent", { list: "blocked", isOn: true }, change("block")),
      steer: () => operator().steer({ logLevel: "debug" }, change("log-level")),
      record: () => operator().record(change("retry")),
    };
    await allow();
    await allow();
    await at.advance(5);
    await block();
    await steer();
    await record();
    const entries = await operator().audit(10);
    expect(entries.map(({ action }) => action)).toEqual(["retry", "log-level", "block", "allow"]);
    expect(entries[3]).toMatchObject({
      ...change("allow", "a friend 🚀"),
      at: at.now() - 5,
    });
    expect(entries[2]?.at).toBe(at.now());
    expect(await operator().audit(1)).toHaveLength(1);
  });

  test("settings grow by what is changed, and each server learns of their version", async () => {
    const seen: number[] = [];
    operator().onSteering((version) => seen.push(version));
    expect(await operator().steering()).toEqual(UNSTEERED);
    await operator().steer(
      { pauses: { launches: "new keys", claims: "new keys" } },
      change("pause"),
    );
    await operator().steer({ pauses: { claims: null }, dbcConfig: "config" }, change("resume"));
    const another = at.store.isShared ? await at.database.openAnother() : at.store;
    const steered = { version: 2, pauses: { launches: "new keys" }, logLevel: null };
    expect(await another.operator.steering()).toEqual({ ...steered, dbcConfig: "config" });
    await another.operator.steer({ logLevel: "debug", dbcConfig: null }, change("log-level"));
    await at.store.ping();
    expect(await operator().steering()).toEqual({
      ...{ ...steered, version: 3, logLevel: "debug", dbcConfig: null },
    });
    expect(seen.at(-1)).toBe(3);
  });

  test("two servers that change settings at once lose neither change", async () => {
    const another = at.store.isShared ? await at.database.openAnother() : at.store;
    await Promise.all([
      operator().steer({ pauses: { launches: "one" } }, change("pause")),
      another.operator.steer({ pauses: { claims: "two" } }, change("pause")),
      operator().steer({ logLevel: "warn" }, change("log-level")),
    ]);
    expect(await operator().steering()).toEqual({
      ...{ version: 3, pauses: { launches: "one", claims: "two" } },
      ...{ logLevel: "warn", dbcConfig: null },
    });
  });

  test("servers are listed while they report themselves, and forgotten when they stop", async () => {
    expect(await operator().report(server("a"), 0)).toBe(0);
    expect(await operator().report(server("b"), 0)).toBe(1);
    await at.advance(10);
    expect(await operator().report(server("a", 3), at.now() - 10)).toBe(0);
    expect(await operator().servers(at.now() - 10)).toEqual([
      { ...server("a", 3), seenAt: at.now() },
    ]);
    await operator().forget("a");
    expect((await operator().servers(0)).map(({ id }) => id)).toEqual(["b"]);
    await at.advance(DAY_MS + 1);
    await operator().forget("c");
    expect(await operator().servers(0)).toEqual([]);
  });

  test("launches are listed newest first, by status, wallet and time", async () => {
    const failed = await at.insertFailed("FAILED");
    await at.advance(10);
    const waiting = await at.insert("WAITS");
    const theirs = await at.insert("THEIRS", { wallet: "other" });
    const listed = async (filter: LaunchFilter & { limit?: number; isUnsigned?: boolean }) =>
      (await operator().launches({ limit: 100, isUnsigned: false, ...filter })).map(
        ({ eventId }) => eventId,
      );
    expect((await listed({})).slice(0, 3)).toEqual([theirs, waiting, failed]);
    expect(await listed({ limit: 1 })).toEqual([theirs]);
    expect(await listed({ wallet: "agent" })).toEqual([waiting, failed]);
    expect(await listed({ status: "failed", wallet: "agent" })).toEqual([failed]);
    expect(await listed({ since: at.now() })).toEqual([theirs, waiting]);
    expect(await operator().acceptedSince(at.now() - 10)).toEqual({
      ...{ pending: 2, success: 0, failed: 1, rate_limited: 0 },
    });
    const near = await at.insert("NEAR", { wallet: "third", address: "192.0.2.7" });
    expect(await listed({ address: "192.0.2.7" })).toEqual([near]);
    expect(await listed({ network: "192.0.2.0/24", isUnsigned: true })).toEqual([near]);
    expect(await listed({ network: "192.0.3.0/24" })).toEqual([]);
  });

  test("a launch shows the latest transaction that was signed for it, and what it waits for", async () => {
    const { eventId } = await at.take("ALPHA");
    for (const name of ["FIRST", "SECOND"]) {
      await at.launches.recordAttempt(eventId, "holder", newAttempt(name));
      await at.launches.postpone(eventId, "holder", { delayMs: 0, reason: "chain_unavailable" });
      await at.launches.lease("holder", 60_000);
    }
    await at.launches.postpone(eventId, "holder", { delayMs: 0 });
    expect(await operator().launch(eventId)).toMatchObject({
      ...{ eventId, wallet: "agent", ticker: "ALPHA", status: "pending", attempts: 3 },
      ...{ waitingFor: "chain_unavailable", waitingSince: at.now() },
      signature: "signature-SECOND",
    });
    await at.launches.lease("holder", 60_000);
    await at.launches.fail(eventId, "holder", { message: "refused" });
    await at.retry(eventId);
    expect((await operator().launch(eventId))?.signature).toBeNull();
    for (const id of [crypto.randomUUID(), ""]) expect(await operator().launch(id)).toBeNull();
  });

  test("agents are those of the latest launches and those on a list", async () => {
    await at.insertToken("DONE");
    await at.insert("WAITS", { wallet: "other", createdAt: at.now() + 5 });
    await operator().setRule("stranger", { list: "blocked", isOn: true }, change("block"));
    await operator().setRule("agent", { list: "allowed", isOn: true }, change("allow"));
    const standing = { isBlocked: false, isAllowed: false, isInvited: false };
    const agents = await operator().agents(LAUNCHES_LOOKED_AT);
    expect(agents.filter(({ wallet }) => wallet !== "unrelated")).toEqual([
      {
        ...{ wallet: "other", launches: 1, pending: 1, tokens: 0, ...standing },
        lastLaunchAt: at.now() + 5,
      },
      {
        ...{ wallet: "agent", launches: 1, pending: 0, tokens: 1, ...standing },
        ...{ isAllowed: true, lastLaunchAt: at.now() },
      },
      {
        ...{ wallet: "stranger", launches: 0, pending: 0, tokens: 0, ...standing },
        ...{ isBlocked: true, lastLaunchAt: null },
      },
    ]);
  });
});

const CHANGE = { actor: "ops", action: "console-link", subject: "viewer", detail: null } as const;

describeStore("links to the operator's view", (at) => {
  const create = async (secret: string, mayControl = 0) => {
    const link = { secretHash: linkHash(secret), mayControl, expiresAt: at.now() + 1_000 };
    await at.store.operator.createLink(link, { ...CHANGE, reason: secret });
  };

  test("open once, at any server of the database, and are in the audit table", async () => {
    await create("secret", 1);
    const other = await at.database.openAnother();
    const stores = [at.store, other, at.store];
    const uses = await Promise.all(
      stores.map(({ operator }) => operator.useLink(linkHash("secret"))),
    );
    expect(uses.filter((use) => use !== null)).toEqual([{ mayControl: true }]);
    expect(await at.store.operator.audit(1)).toMatchObject([{ ...CHANGE, reason: "secret" }]);
    await create("viewer");
    expect(await other.operator.useLink(linkHash("viewer"))).toEqual({ mayControl: false });
  });

  test("are known by nothing but their secret, and only in time", async () => {
    await create("late");
    expect(await at.store.operator.useLink("late")).toBeNull();
    expect(await at.store.operator.useLink(linkHash("LATE"))).toBeNull();
    await at.advance(1_000);
    expect(await at.store.operator.useLink(linkHash("late"))).toBeNull();
  });
});
