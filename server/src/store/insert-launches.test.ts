import { expect, test } from "bun:test";
import { insertLaunch, insertToken, lease, newLaunch } from "../testing/launches.ts";
import { openStore } from "./store.ts";
import { storeWithOtherWallet } from "./testing/other-wallet.ts";

const temp = storeWithOtherWallet(false);

const withKey = (requestHash: string) => ({ idempotency: { key: "key", requestHash } });

test("a new launch is pending and has no token", () => {
  const launch = newLaunch("ALPHA", { wallet: "agent" });
  expect(temp.store.launches.insert([launch])).toEqual([
    { kind: "stored", eventId: launch.eventId },
  ]);
  expect(temp.store.launches.find("agent", launch.eventId)).toEqual({
    eventId: launch.eventId,
    ticker: "ALPHA",
    status: "pending",
    processedAt: null,
    error: null,
    tokenMint: null,
    poolAddress: null,
  });
});

test("a launch of another wallet does not exist", () => {
  const eventId = insertLaunch(temp, "ALPHA", { wallet: "agent" });
  expect(temp.store.launches.find("other", eventId)).toBeNull();
  expect(temp.store.launches.find("agent", crypto.randomUUID())).toBeNull();
});

test("texts with any characters are read as they were written", () => {
  const text = "🚀 Ünïcode\u0000 '; drop table launches; --";
  insertLaunch(temp, "ALPHA", { name: text, description: text, imageUrl: text });
  expect(lease(temp, "a")).toMatchObject({ name: text, description: text, imageUrl: text });
});

test("a ticker is taken for every wallet, whether its launch succeeded or failed", () => {
  insertToken(temp, "DONE");
  const eventId = insertLaunch(temp, "GONE", { wallet: "other" });
  lease(temp, "a");
  temp.store.launches.fail(eventId, "a", "refused", temp.clock.now());
  for (const ticker of ["DONE", "GONE"]) {
    expect(temp.store.launches.insert([newLaunch(ticker, { wallet: "third" })])).toEqual([
      { kind: "ticker_taken" },
    ]);
  }
});

test("a ticker that is taken within a batch does not stop the rest of the batch", () => {
  const batch = ["ONE", "SAME", "SAME", "TWO"].map((ticker) => newLaunch(ticker));
  expect(temp.store.launches.insert(batch).map(({ kind }) => kind)).toEqual([
    "stored",
    "stored",
    "ticker_taken",
    "stored",
  ]);
  expect(temp.store.launches.backlog().depth).toBe(3);
});

test("the same request under the same key is stored once, in a batch and later", () => {
  const launches = [1, 2, 3].map(() => newLaunch("ALPHA", withKey("hash")));
  const [first] = launches;
  if (!first) throw new Error("no launch");
  expect(temp.store.launches.insert(launches.slice(0, 2))).toEqual([
    { kind: "stored", eventId: first.eventId },
    { kind: "replayed", eventId: first.eventId },
  ]);
  expect(temp.store.launches.insert(launches.slice(2))).toEqual([
    { kind: "replayed", eventId: first.eventId },
  ]);
  expect(temp.store.launches.backlog().depth).toBe(1);
});

test("another request under a used key is refused, and another wallet may use the same key", () => {
  insertLaunch(temp, "ALPHA", withKey("hash"));
  expect(
    temp.store.launches.insert([
      newLaunch("BETA", withKey("other")),
      newLaunch("BETA", { ...withKey("other"), wallet: "other" }),
    ]),
  ).toMatchObject([{ kind: "key_reused" }, { kind: "stored" }]);
});

test("each key of a wallet names a request of its own", () => {
  const [first, second] = ["first", "second"].map((key) =>
    newLaunch(key.toUpperCase(), { idempotency: { key, requestHash: key } }),
  );
  if (!first || !second) throw new Error("there are two");
  const kinds = () => temp.store.launches.insert([first, second]).map(({ kind }) => kind);
  expect(kinds()).toEqual(["stored", "stored"]);
  expect(kinds()).toEqual(["replayed", "replayed"]);
});

test("a request that was refused does not use up its key", () => {
  insertLaunch(temp, "ALPHA", { wallet: "other" });
  expect(
    temp.store.launches.insert([
      newLaunch("ALPHA", withKey("first")),
      newLaunch("BETA", withKey("second")),
    ]),
  ).toMatchObject([{ kind: "ticker_taken" }, { kind: "stored" }]);
});

test("a batch that cannot be written leaves nothing behind", () => {
  const eventId = insertLaunch(temp, "ALPHA");
  const batch = [newLaunch("BETA"), newLaunch("GAMMA", { eventId })];
  expect(() => temp.store.launches.insert(batch)).toThrow("UNIQUE");
  expect(temp.store.launches.backlog().depth).toBe(1);
  expect(temp.store.launches.insert([newLaunch("BETA")])).toMatchObject([{ kind: "stored" }]);
});

test("another connection sees a launch as soon as it is inserted", () => {
  const eventId = insertLaunch(temp, "ALPHA");
  const other = openStore(temp.path, temp.clock);
  expect(other.launches.find("agent", eventId)?.status).toBe("pending");
  other.close();
});
