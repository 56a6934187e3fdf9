import { beforeEach, expect, test } from "bun:test";
import { insertToken } from "../testing/launches.ts";
import type { ClaimRow, PreparedClaimRow } from "./claims.ts";
import { storeWithOtherWallet } from "./testing/other-wallet.ts";

const temp = storeWithOtherWallet(false);
beforeEach(() => void insertToken(temp, "ONE"));

function prepare(messageHash: string, other: Partial<PreparedClaimRow> = {}): void {
  const claim = {
    wallet: "agent",
    tokenMint: "mint-ONE",
    messageHash,
    lastValidBlockHeight: 150,
    preparedAt: 1_000,
    expiresAt: 61_000,
    ...other,
  };
  temp.store.claims.prepare(claim);
}

const submitted = () => temp.store.claims.submitted().filter(({ wallet }) => wallet === "agent");

function find(messageHash: string): ClaimRow {
  const claim = temp.store.claims.find("agent", "mint-ONE", messageHash);
  if (!claim) throw new Error(`no claim ${messageHash}`);
  return claim;
}

test("a claim is prepared, submitted and confirmed, and its token shows when and to whom it paid", () => {
  prepare("hash");
  const claim = find("hash");
  expect(claim).toMatchObject({ status: "prepared", expiresAt: 61_000, signature: null });
  expect(submitted()).toEqual([]);

  temp.store.claims.submit(claim.id, "signature", Uint8Array.of(1, 2));
  expect(submitted()).toMatchObject([
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
  expect(submitted()).toEqual([]);
});

test("a claim is found only by its own wallet, token and message", () => {
  prepare("hash");
  expect(temp.store.claims.find("other", "mint-ONE", "hash")).toBeNull();
  expect(temp.store.claims.find("agent", "mint-TWO", "hash")).toBeNull();
  expect(temp.store.claims.find("agent", "mint-ONE", "other")).toBeNull();
});

test("a later claim of the token replaces claimedAt", () => {
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

test("a confirmed claim cannot be submitted, withdrawn or confirmed again", () => {
  prepare("hash");
  const { id } = find("hash");
  temp.store.claims.submit(id, "signature", Uint8Array.of(1));
  temp.store.claims.confirm(find("hash"), 5n, 2_000);
  const confirmed = find("hash");
  temp.store.claims.submit(id, "another", Uint8Array.of(2));
  temp.store.claims.withdraw(id, 2_000);
  temp.store.claims.confirm(confirmed, 6n, 3_000);
  expect(find("hash")).toEqual(confirmed);
  expect(temp.store.tokens.findAny("mint-ONE")?.claimedAt).toBe(2_000);
});

test("a claim that was not submitted cannot be confirmed", () => {
  prepare("hash");
  temp.store.claims.confirm(find("hash"), 5n, 2_000);
  expect(find("hash").status).toBe("prepared");
  expect(temp.store.tokens.findAny("mint-ONE")?.claimedAt).toBeNull();
});

test("a claim that was withdrawn can be submitted again", () => {
  prepare("hash");
  const { id } = find("hash");
  temp.store.claims.submit(id, "signature", Uint8Array.of(1));
  temp.store.claims.withdraw(id, 2_000);
  expect(find("hash")).toMatchObject({ status: "prepared", signature: null, transaction: null });
  temp.store.claims.submit(id, "again", Uint8Array.of(1));
  expect(find("hash")).toMatchObject({ status: "submitted", signature: "again" });
});

test("a message that is prepared twice is one claim", () => {
  prepare("hash");
  const { id } = find("hash");
  prepare("hash", { preparedAt: 2_000, expiresAt: 62_000 });
  expect(find("hash").id).toBe(id);
});

test("a claim that expired unsigned is deleted a minute later, a submitted one never", () => {
  for (const forget of [
    (now: number) => prepare("new", { preparedAt: now, expiresAt: now + 60_000 }),
    (now: number) => temp.store.claims.forgetExpired(now),
  ]) {
    prepare("old", { expiresAt: 10_000 });
    prepare("sent", { expiresAt: 10_000 });
    prepare("edge", { expiresAt: 20_000 });
    temp.store.claims.submit(find("sent").id, "signature", Uint8Array.of(1));
    forget(80_000);
    expect(temp.store.claims.find("agent", "mint-ONE", "old")).toBeNull();
    for (const hash of ["sent", "edge"]) expect(find(hash)).toBeDefined();
  }
  expect(find("new")).toBeDefined();
});

test("the sixteen newest unsigned claims of a token are kept, and all submitted ones", () => {
  temp.clock.advance(86_400_000);
  insertToken(temp, "TWO");
  prepare("two", { tokenMint: "mint-TWO" });
  prepare("sent");
  temp.store.claims.submit(find("sent").id, "signature", Uint8Array.of(1));
  for (let n = 0; n < 100; n++) prepare(`n${n}`);
  const remembered = Array.from({ length: 100 }, (_, n) => `n${n}`).filter(
    (hash) => temp.store.claims.find("agent", "mint-ONE", hash) !== null,
  );
  expect(remembered).toEqual(Array.from({ length: 16 }, (_, n) => `n${84 + n}`));
  expect(find("sent").status).toBe("submitted");
  expect(temp.store.claims.find("agent", "mint-TWO", "two")).not.toBeNull();
});

test("a claim that was deleted meanwhile cannot be submitted", () => {
  prepare("hash");
  const { id } = find("hash");
  expect(temp.store.claims.submit(id, "signature", Uint8Array.of(1))).toBeTrue();
  expect(temp.store.claims.submit(id + 1, "signature", Uint8Array.of(1))).toBeFalse();
});

test("to submit, to withdraw and to confirm a claim does not change the others of its token", () => {
  const others = ["first", "last"];
  prepare("first");
  prepare("hash");
  prepare("last");
  const rows = () => others.map(find);
  const prepared = rows();
  const { submit, withdraw, confirm } = {
    submit: (hash: string) => temp.store.claims.submit(find(hash).id, hash, Uint8Array.of(1)),
    withdraw: (hash: string) => temp.store.claims.withdraw(find(hash).id, 2_000),
    confirm: (hash: string) => temp.store.claims.confirm(find(hash), 5n, 2_000),
  };
  submit("hash");
  expect(rows()).toEqual(prepared);
  others.forEach(submit);
  const sent = rows();
  withdraw("hash");
  expect(rows()).toEqual(sent);
  submit("hash");
  confirm("hash");
  expect(rows()).toEqual(sent);
  expect(find("hash").status).toBe("confirmed");
});

test("a claim that is withdrawn after it expired is kept for a minute from then", () => {
  prepare("late", { expiresAt: 10_000 });
  temp.store.claims.submit(find("late").id, "signature", Uint8Array.of(1));
  temp.store.claims.withdraw(find("late").id, 500_000);
  expect(find("late").expiresAt).toBe(500_000);
  prepare("early", { expiresAt: 900_000 });
  temp.store.claims.submit(find("early").id, "signature", Uint8Array.of(1));
  temp.store.claims.withdraw(find("early").id, 500_000);
  expect(find("early").expiresAt).toBe(900_000);
});

test("a claim of an unknown token is refused", () => {
  expect(() => prepare("hash", { tokenMint: "mint-NONE" })).toThrow("FOREIGN KEY");
});
