import { afterEach, beforeEach, expect, test } from "bun:test";
import { insertToken } from "../testing/launches.ts";
import { type TempStore, tempStore } from "../testing/temp-store.ts";
import type { ClaimRow, PreparedClaimRow } from "./claims.ts";

let temp: TempStore;
beforeEach(() => {
  temp = tempStore();
  insertToken(temp, "ONE");
});
afterEach(() => temp[Symbol.dispose]());

function prepare(messageHash: string, other: Partial<PreparedClaimRow> = {}, forget = 0): void {
  const claim = {
    wallet: "agent",
    tokenMint: "mint-ONE",
    messageHash,
    lastValidBlockHeight: 150,
    preparedAt: 1_000,
    expiresAt: 61_000,
    ...other,
  };
  temp.store.claims.prepare(claim, forget);
}

function find(messageHash: string): ClaimRow {
  const claim = temp.store.claims.find("agent", "mint-ONE", messageHash);
  if (!claim) throw new Error(`no claim ${messageHash}`);
  return claim;
}

test("default: prepared, submitted, confirmed, and told on its token", () => {
  prepare("hash");
  const claim = find("hash");
  expect(claim).toMatchObject({ status: "prepared", expiresAt: 61_000, signature: null });
  expect(temp.store.claims.submitted()).toEqual([]);

  temp.store.claims.submit(claim.id, "signature", Uint8Array.of(1, 2));
  expect(temp.store.claims.submitted()).toMatchObject([
    { id: claim.id, status: "submitted", signature: "signature" },
  ]);
  expect([...(find("hash").transaction ?? [])]).toEqual([1, 2]);
  expect(temp.store.tokens.findAny("mint-ONE")?.claimedAt).toBeNull();

  temp.store.claims.confirm(claim, 12_345_678_901_234_567_890n, 2_000);
  expect(find("hash")).toMatchObject({
    status: "confirmed",
    signature: "signature",
    transaction: null,
    paidLamports: 12_345_678_901_234_567_890n,
    confirmedAt: 2_000,
  });
  expect(temp.store.tokens.findAny("mint-ONE")).toMatchObject({
    claimedAt: 2_000,
    claimedTo: "agent",
  });
  expect(temp.store.claims.submitted()).toEqual([]);
});

test("behavior: it is found by its own wallet, token and message only", () => {
  prepare("hash");
  expect(temp.store.claims.find("other", "mint-ONE", "hash")).toBeNull();
  expect(temp.store.claims.find("agent", "mint-TWO", "hash")).toBeNull();
  expect(temp.store.claims.find("agent", "mint-ONE", "other")).toBeNull();
});

test("behavior: a later claim moves claimedAt on", () => {
  for (const [hash, now] of [
    ["first", 2_000],
    ["second", 3_000],
  ] as const) {
    prepare(hash);
    temp.store.claims.submit(find(hash).id, hash, Uint8Array.of(1));
    temp.store.claims.confirm(find(hash), 1n, now);
  }
  expect(temp.store.tokens.findAny("mint-ONE")?.claimedAt).toBe(3_000);
});

test("behavior: what was confirmed can neither be sent, taken back nor confirmed again", () => {
  prepare("hash");
  const { id } = find("hash");
  temp.store.claims.submit(id, "signature", Uint8Array.of(1));
  temp.store.claims.confirm(find("hash"), 5n, 2_000);
  const confirmed = find("hash");
  temp.store.claims.submit(id, "another", Uint8Array.of(2));
  temp.store.claims.withdraw(id);
  temp.store.claims.confirm(confirmed, 6n, 3_000);
  expect(find("hash")).toEqual(confirmed);
  expect(temp.store.tokens.findAny("mint-ONE")?.claimedAt).toBe(2_000);
});

test("behavior: what was not sent cannot be confirmed", () => {
  prepare("hash");
  temp.store.claims.confirm(find("hash"), 5n, 2_000);
  expect(find("hash").status).toBe("prepared");
  expect(temp.store.tokens.findAny("mint-ONE")?.claimedAt).toBeNull();
});

test("behavior: what is taken back can be sent again", () => {
  prepare("hash");
  const { id } = find("hash");
  temp.store.claims.submit(id, "signature", Uint8Array.of(1));
  temp.store.claims.withdraw(id);
  expect(find("hash")).toMatchObject({ status: "prepared", signature: null, transaction: null });
  temp.store.claims.submit(id, "again", Uint8Array.of(1));
  expect(find("hash")).toMatchObject({ status: "submitted", signature: "again" });
});

test("behavior: the same message prepared again is one claim", () => {
  prepare("hash");
  const { id } = find("hash");
  prepare("hash", { preparedAt: 2_000, expiresAt: 62_000 });
  expect(find("hash").id).toBe(id);
});

test("behavior: what expired unsigned is forgotten, what was sent never", () => {
  prepare("old", { expiresAt: 10_000 });
  prepare("sent", { expiresAt: 10_000 });
  prepare("edge", { expiresAt: 20_000 });
  temp.store.claims.submit(find("sent").id, "signature", Uint8Array.of(1));
  prepare("new", { expiresAt: 90_000 }, 20_000);
  expect(temp.store.claims.find("agent", "mint-ONE", "old")).toBeNull();
  for (const hash of ["sent", "edge", "new"]) expect(find(hash)).toBeDefined();
});

test("behavior: a claim belongs to a token that there is", () => {
  expect(() => prepare("hash", { tokenMint: "mint-NONE" })).toThrow("FOREIGN KEY");
});
