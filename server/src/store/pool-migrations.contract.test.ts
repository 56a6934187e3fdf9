import { beforeEach, expect, test } from "bun:test";
import { DAY_MS } from "../base/clock.ts";
import { LeaseLostError } from "../domain/journal.ts";
import { LEASE_MS } from "../testing/launches.ts";
import { describeStore } from "./testing/contract.ts";

const LEASE = { id: "lease", ms: LEASE_MS };
const OTHER = { id: "other", ms: LEASE_MS };
const ATTEMPT = {
  signature: "signature",
  transaction: Uint8Array.of(1, 2),
  lastValidBlockHeight: 150,
  tipLamports: 7n,
};
const COST = {
  lamports: 32n,
  walletLamports: 1_000n,
  minWalletLamports: 0n,
  maxDailyLamports: null,
};

describeStore("migrations of pools", (at) => {
  const migrations = () => at.store.poolMigrations;
  const row = async (mint = "mint-ONE") =>
    (await at.database.select(`select * from pool_migrations where token_mint = '${mint}'`))[0];

  beforeEach(async () => {
    await at.insertToken("ONE");
    await at.insertToken("TWO", { wallet: "another agent" });
    await migrations().lease("mint-TWO", OTHER);
    await migrations().reserve("mint-TWO", "other", COST);
    await migrations().record("mint-TWO", "other", ATTEMPT);
  });

  test("one server at a time holds a migration", async () => {
    expect(await migrations().lease("mint-ONE", LEASE)).toEqual({
      ...{ tokenMint: "mint-ONE", poolAddress: "pool-ONE", attempts: 1, latest: null },
    });
    const another = await at.database.openAnother();
    expect(await another.poolMigrations.lease("mint-ONE", OTHER)).toBeNull();
    await at.advance(LEASE_MS - 1);
    expect(await migrations().renew("mint-ONE", LEASE)).toBe(true);
    await at.advance(LEASE_MS - 1);
    expect(await another.poolMigrations.lease("mint-ONE", OTHER)).toBeNull();
    await at.advance(1);
    expect(await migrations().open()).toContain("mint-ONE");
    await at.advance(-DAY_MS);
    expect(await another.poolMigrations.lease("mint-ONE", OTHER)).toMatchObject({ attempts: 2 });
    expect(await migrations().renew("mint-ONE", LEASE)).toBe(false);
    await expect(migrations().record("mint-ONE", "lease", ATTEMPT)).rejects.toThrow(LeaseLostError);
    expect(await migrations().lease("mint-NONE", LEASE)).toBeNull();
  });

  test("what was signed stays until it is discarded", async () => {
    await migrations().lease("mint-ONE", LEASE);
    await migrations().record("mint-ONE", "lease", ATTEMPT);
    // An hour, by a clock that is ahead.
    await migrations().release("mint-ONE", "lease", at.now() + 3_605_000);
    expect(await row()).toMatchObject({ status: "submitted" });
    expect(await migrations().lease("mint-ONE", LEASE)).toBeNull();
    await at.advance(3_605_000);
    const again = await migrations().lease("mint-ONE", LEASE);
    expect(again?.latest).toMatchObject({ signature: "signature", lastValidBlockHeight: 150 });
    expect([...(again?.latest?.transaction ?? [])]).toEqual([1, 2]);
    await migrations().discard("mint-ONE", "lease");
    await migrations().release("mint-ONE", "lease", at.now());
    expect(await migrations().lease("mint-ONE", LEASE)).toMatchObject({ latest: null });
    expect(await row("mint-TWO")).toMatchObject({ status: "submitted", lease_id: "other" });
  });

  test("a migration that is done stays done", async () => {
    await migrations().lease("mint-ONE", LEASE);
    await migrations().reserve("mint-ONE", "lease", COST);
    await migrations().record("mint-ONE", "lease", ATTEMPT);
    await migrations().finish("mint-ONE", "other");
    expect(await row()).toMatchObject({ status: "submitted" });
    await migrations().finish("mint-ONE", "lease");
    await at.advance(10 * LEASE_MS);
    expect(await migrations().lease("mint-ONE", OTHER)).toBeNull();
    expect(await row()).toMatchObject({
      ...{ status: "done", transaction: null, reserved_lamports: "32", lease_id: null },
    });
    expect(await migrations().open()).toEqual(["mint-TWO"]);
    // The other migration's transaction failed, so its tip was not paid.
    await migrations().discard("mint-TWO", "other");
    await migrations().finish("mint-TWO", "other");
    const all = await at.store.tokens.after(0, 9);
    const tips = all.map(({ tokenMint, migrationTip }) => [tokenMint, migrationTip]);
    expect(Object.fromEntries(tips)).toMatchObject({ "mint-ONE": 7n, "mint-TWO": null });
    // Both migrations count, with what was set aside for each.
    expect(await at.launches.spentToday()).toBe(64n);
  });

  test("migrations and launches set aside lamports in the same sums", async () => {
    const launch = await at.take("THREE", "holder");
    const cost = { ...COST, walletLamports: 100n };
    expect(await at.launches.reserve(launch.eventId, "holder", cost)).toEqual({
      ...{ kind: "reserved", reserved: 32n },
    });
    await migrations().lease("mint-ONE", LEASE);
    const reserve = (other: Partial<typeof COST> | { readonly maxDailyLamports: bigint } = {}) =>
      migrations().reserve("mint-ONE", "lease", { ...cost, ...other });
    expect(await reserve({ lamports: 37n })).toEqual({ kind: "wallet_short", reserved: 64n });
    expect(await reserve({ maxDailyLamports: 95n })).toEqual({ kind: "day_spent", spent: 64n });
    await expect(migrations().reserve("mint-ONE", "lost", cost)).rejects.toThrow(LeaseLostError);
    expect((await reserve()).kind).toBe("reserved");
    expect(await at.launches.spentToday()).toBe(96n);
    await migrations().settle("mint-ONE", "lease", 5n);
    expect(await at.launches.spentToday()).toBe(69n);
    await at.launches.settle(launch.eventId, "holder", 0n);
    expect(await at.launches.spentToday()).toBe(37n);
    expect(Number((await row("mint-TWO"))?.reserved_lamports)).toBe(32);
  });

  test("after a start no lease of an earlier process holds a migration, unless servers share the database", async () => {
    await migrations().recover();
    const isFree = (await migrations().open()).includes("mint-TWO");
    expect(isFree).toBe(!at.store.isShared);
    await at.advance(LEASE_MS);
    expect(await migrations().open()).toEqual(["mint-TWO"]);
  });
});
