import { expect, test } from "bun:test";
import { insertLaunch, insertToken, lease, newLaunch } from "../../testing/launches.ts";
import { openSqliteStore } from "./store.ts";
import { storeWithOtherWallet } from "./testing/other-wallet.ts";

const temp = storeWithOtherWallet(false);

const withKey = (requestHash: string) => ({ idempotency: { key: "key", requestHash } });

test("a new launch is pending and has no token", async () => {
  const launch = newLaunch("ALPHA", { wallet: "agent" });
  expect(await temp.store.launches.insert([launch])).toEqual([
    { kind: "stored", eventId: launch.eventId },
  ]);
  expect(await temp.store.launches.find("agent", launch.eventId)).toEqual({
    eventId: launch.eventId,
    ticker: "ALPHA",
    status: "pending",
    createdAt: launch.createdAt,
    processedAt: null,
    error: null,
    tokenMint: null,
    poolAddress: null,
    wait: { reason: "queue", since: launch.createdAt, place: 1 },
  });
});

test("a launch of another wallet does not exist", async () => {
  const eventId = await insertLaunch(temp, "ALPHA", { wallet: "agent" });
  expect(await temp.store.launches.find("other", eventId)).toBeNull();
  expect(await temp.store.launches.find("agent", crypto.randomUUID())).toBeNull();
});

test("texts with any characters are read as they were written", async () => {
  const text = "🚀 Ünïcode\u0000 '; drop table launches; --";
  await insertLaunch(temp, "ALPHA", { name: text, description: text, imageUrl: text });
  expect(await lease(temp, "a")).toMatchObject({ name: text, description: text, imageUrl: text });
});

test("a ticker is taken for every wallet, whether its launch succeeded or failed", async () => {
  await insertToken(temp, "DONE");
  const eventId = await insertLaunch(temp, "GONE", { wallet: "other" });
  await lease(temp, "a");
  await temp.store.launches.fail(eventId, "a", "refused");
  for (const ticker of ["DONE", "GONE"]) {
    expect(await temp.store.launches.insert([newLaunch(ticker, { wallet: "third" })])).toEqual([
      { kind: "ticker_taken" },
    ]);
  }
});

test("a ticker that is taken within a batch does not stop the rest of the batch", async () => {
  const batch = ["ONE", "SAME", "SAME", "TWO"].map((ticker) => newLaunch(ticker));
  expect((await temp.store.launches.insert(batch)).map(({ kind }) => kind)).toEqual([
    "stored",
    "stored",
    "ticker_taken",
    "stored",
  ]);
  expect((await temp.store.launches.backlog()).depth).toBe(3);
});

test("the same request under the same key is stored once, in a batch and later", async () => {
  const launches = [1, 2, 3].map(() => newLaunch("ALPHA", withKey("hash")));
  const [first] = launches;
  if (!first) throw new Error("no launch");
  expect(await temp.store.launches.insert(launches.slice(0, 2))).toEqual([
    { kind: "stored", eventId: first.eventId },
    { kind: "replayed", eventId: first.eventId },
  ]);
  expect(await temp.store.launches.insert(launches.slice(2))).toEqual([
    { kind: "replayed", eventId: first.eventId },
  ]);
  expect((await temp.store.launches.backlog()).depth).toBe(1);
});

test("another request under a used key is refused, and another wallet may use the same key", async () => {
  await insertLaunch(temp, "ALPHA", withKey("hash"));
  expect(
    await temp.store.launches.insert([
      newLaunch("BETA", withKey("other")),
      newLaunch("BETA", { ...withKey("other"), wallet: "other" }),
    ]),
  ).toMatchObject([{ kind: "key_reused" }, { kind: "stored" }]);
});

test("each key of a wallet names a request of its own", async () => {
  const [first, second] = ["first", "second"].map((key) =>
    newLaunch(key.toUpperCase(), { idempotency: { key, requestHash: key } }),
  );
  if (!first || !second) throw new Error("there are two");
  const kinds = async () =>
    (await temp.store.launches.insert([first, second])).map(({ kind }) => kind);
  expect(await kinds()).toEqual(["stored", "stored"]);
  expect(await kinds()).toEqual(["replayed", "replayed"]);
});

test("a request that was refused does not use up its key", async () => {
  await insertLaunch(temp, "ALPHA", { wallet: "other" });
  expect(
    await temp.store.launches.insert([
      newLaunch("ALPHA", withKey("first")),
      newLaunch("BETA", withKey("second")),
    ]),
  ).toMatchObject([{ kind: "ticker_taken" }, { kind: "stored" }]);
});

test("a batch that cannot be written leaves nothing behind", async () => {
  const eventId = await insertLaunch(temp, "ALPHA");
  const batch = [newLaunch("BETA"), newLaunch("GAMMA", { eventId })];
  await expect(temp.store.launches.insert(batch)).rejects.toThrow("UNIQUE");
  expect((await temp.store.launches.backlog()).depth).toBe(1);
  expect(await temp.store.launches.insert([newLaunch("BETA")])).toMatchObject([{ kind: "stored" }]);
});

test("another connection sees a launch as soon as it is inserted", async () => {
  const eventId = await insertLaunch(temp, "ALPHA");
  const other = openSqliteStore(temp.path, { clock: temp.clock });
  expect((await other.launches.find("agent", eventId))?.status).toBe("pending");
  await other.close();
});
