import { expect, test } from "bun:test";
import { UNSTEERED } from "../domain/steering.ts";
import type { LaunchFilter } from "./launch-queue.ts";
import type { ServerReport } from "./operator.ts";
import { describeStore } from "./testing/contract.ts";
import { DAY_MS } from "./testing/engines.ts";
import { newAttempt } from "./testing/rows.ts";

const change = (action: string, reason: string | null = null) => ({
  ...{ actor: "uid 0 (root)", action, subject: "subject", detail: null, reason },
});
const server = (id: string, steeringVersion = 0): ServerReport => ({
  ...{ id, host: "host", pid: 7, url: "http://a", version: "1.2.3" },
  ...{ startedAt: 5, steeringVersion, settings: { JWT_SECRET: id } },
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
      steer: () => operator().steer({ pauses: { claims: "new keys" } }, change("pause")),
      record: () => operator().record(change("retry")),
    };
    await allow();
    await allow();
    await at.advance(5);
    await block();
    await steer();
    await record();
    const entries = await operator().audit(10);
    expect(entries.map(({ action }) => action)).toEqual(["retry", "pause", "block", "allow"]);
    expect(entries[3]).toMatchObject({
      ...change("allow", "a friend 🚀"),
      at: at.now() - 5,
    });
    expect(entries[2]?.at).toBe(at.now());
    expect(await operator().audit(1)).toHaveLength(1);
  });

  test("settings grow by what is changed, and each server learns of their version", async () => {
    const seen: number[] = [];
    operator().saw = (version) => seen.push(version);
    expect(await operator().steering()).toEqual(UNSTEERED);
    await operator().steer(
      { pauses: { launches: "new keys", claims: "new keys" } },
      change("pause"),
    );
    await operator().steer({ pauses: { claims: null } }, change("resume"));
    const another = at.store.isShared ? await at.database.openAnother() : at.store;
    const pauses = { launches: "new keys" };
    expect(await another.operator.steering()).toEqual({ version: 2, pauses });
    await another.operator.steer({ pauses: { "sign-ins": "moving" } }, change("pause"));
    await at.store.ping();
    expect(await operator().steering()).toEqual({
      version: 3,
      pauses: { ...pauses, "sign-ins": "moving" },
    });
    expect(seen.at(-1)).toBe(3);
  });

  test("two servers that change settings at once lose neither change", async () => {
    const another = at.store.isShared ? await at.database.openAnother() : at.store;
    await Promise.all([
      operator().steer({ pauses: { launches: "one" } }, change("pause")),
      another.operator.steer({ pauses: { claims: "two" } }, change("pause")),
    ]);
    expect(await operator().steering()).toEqual({
      version: 2,
      pauses: { launches: "one", claims: "two" },
    });
  });

  test("servers are listed while they report themselves, and forgotten when they stop", async () => {
    expect(await operator().report(server("a"), 0)).toEqual([]);
    expect(await operator().report(server("b"), 0)).toMatchObject([server("a")]);
    await at.advance(10);
    expect(await operator().report(server("a", 3), at.now() - 10)).toEqual([]);
    expect(await operator().servers(at.now() - 10)).toEqual([
      { ...server("a", 3), seenAt: at.now() },
    ]);
    await operator().forget("a");
    expect((await operator().servers(0)).map(({ id }) => id)).toEqual(["b"]);
    await at.advance(DAY_MS + 1);
    await operator().forget("c");
    expect(await operator().servers(0)).toEqual([]);
  });

  test("launches are listed newest first, by status, wallet and network", async () => {
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
    const near = await at.insert("NEAR", { wallet: "third", address: "192.0.2.7" });
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
});
