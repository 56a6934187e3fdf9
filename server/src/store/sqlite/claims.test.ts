import { beforeEach, describe, expect, test } from "bun:test";
import { insertToken } from "../../testing/launches.ts";
import type { ClaimRow, PreparedClaimRow } from "../claim-store.ts";
import { storeWithOtherWallet } from "./testing/other-wallet.ts";

const temp = storeWithOtherWallet(false);
beforeEach(async () => void (await insertToken(temp, "ONE")));

const LEASE = { id: "lease", ms: 60_000 };

const paid = (lamports: bigint, at: number, signature = "signature") => ({
  signature,
  lamports,
  at,
});

async function prepare(messageHash: string, other: Partial<PreparedClaimRow> = {}): Promise<void> {
  const claim = {
    wallet: "agent",
    tokenMint: "mint-ONE",
    messageHash,
    lastValidBlockHeight: 150,
    preparedAt: 1_000,
    expiresAt: 61_000,
    ...other,
  };
  await temp.store.claims.prepare(claim);
}

/** This wallet's claims that a server would take up. */
async function unsettled(): Promise<ClaimRow[]> {
  return (await temp.store.claims.unsettled()).filter(({ wallet }) => wallet === "agent");
}

async function find(messageHash: string): Promise<ClaimRow> {
  const claim = await temp.store.claims.find("agent", "mint-ONE", messageHash);
  if (!claim) throw new Error(`no claim ${messageHash}`);
  return claim;
}

test("a claim is prepared, submitted and confirmed, and its token shows when and to whom it paid", async () => {
  await prepare("hash");
  const claim = await find("hash");
  expect(claim).toMatchObject({ status: "prepared", expiresAt: 61_000, signature: null });
  expect(await unsettled()).toEqual([]);

  await temp.store.claims.submit(claim.id, LEASE, "signature", Uint8Array.of(1, 2));
  expect(await unsettled()).toEqual([]);
  await temp.store.claims.release(claim.id, LEASE.id);
  expect(await unsettled()).toMatchObject([
    { id: claim.id, status: "submitted", signature: "signature" },
  ]);
  expect([...((await find("hash")).transaction ?? [])]).toEqual([1, 2]);
  expect((await temp.store.tokens.findAny("mint-ONE"))?.claimedAt).toBeNull();

  await temp.store.claims.confirm(claim, paid(12_345_678_901_234_567_890n, 2_000));
  expect(await find("hash")).toMatchObject({
    status: "confirmed",
    signature: "signature",
    transaction: null,
    paidLamports: 12_345_678_901_234_567_890n,
    confirmedAt: 2_000,
  });
  expect(await temp.store.tokens.findAny("mint-ONE")).toMatchObject({
    claimedAt: 2_000,
    claimedTo: "agent",
  });
  expect(await unsettled()).toEqual([]);
});

test("a claim is found only by its own wallet, token and message", async () => {
  await prepare("hash");
  expect(await temp.store.claims.find("other", "mint-ONE", "hash")).toBeNull();
  expect(await temp.store.claims.find("agent", "mint-TWO", "hash")).toBeNull();
  expect(await temp.store.claims.find("agent", "mint-ONE", "other")).toBeNull();
});

test("a later claim of the token replaces claimedAt", async () => {
  for (const [hash, now] of [
    ["first", 2_000],
    ["second", 3_000],
  ] as const) {
    await prepare(hash);
    await temp.store.claims.submit((await find(hash)).id, LEASE, hash, Uint8Array.of(1));
    await temp.store.claims.confirm(await find(hash), paid(1n, now));
  }
  expect((await temp.store.tokens.findAny("mint-ONE"))?.claimedAt).toBe(3_000);
});

test("a confirmed claim cannot be submitted, withdrawn or confirmed again", async () => {
  await prepare("hash");
  const { id } = await find("hash");
  await temp.store.claims.submit(id, LEASE, "signature", Uint8Array.of(1));
  await temp.store.claims.confirm(await find("hash"), paid(5n, 2_000));
  const confirmed = await find("hash");
  await temp.store.claims.submit(id, LEASE, "another", Uint8Array.of(2));
  await temp.store.claims.withdraw(id, LEASE.id, 2_000);
  await temp.store.claims.confirm(confirmed, paid(6n, 3_000));
  expect(await find("hash")).toEqual(confirmed);
  expect((await temp.store.tokens.findAny("mint-ONE"))?.claimedAt).toBe(2_000);
});

test("a claim that was withdrawn can be submitted again", async () => {
  await prepare("hash");
  const { id } = await find("hash");
  await temp.store.claims.submit(id, LEASE, "signature", Uint8Array.of(1));
  await temp.store.claims.withdraw(id, LEASE.id, 2_000);
  expect(await find("hash")).toMatchObject({
    status: "prepared",
    signature: null,
    transaction: null,
  });
  await temp.store.claims.submit(id, LEASE, "again", Uint8Array.of(1));
  expect(await find("hash")).toMatchObject({ status: "submitted", signature: "again" });
});

test("a message that is prepared twice is one claim", async () => {
  await prepare("hash");
  const { id } = await find("hash");
  await prepare("hash", { preparedAt: 2_000, expiresAt: 62_000 });
  expect((await find("hash")).id).toBe(id);
});

test("a claim that expired unsigned is deleted a minute later, a submitted one never", async () => {
  for (const forget of [
    (now: number) => prepare("new", { preparedAt: now, expiresAt: now + 60_000 }),
    (now: number) => temp.store.claims.forgetExpired(now),
  ]) {
    await prepare("old", { expiresAt: 10_000 });
    await prepare("sent", { expiresAt: 10_000 });
    await prepare("edge", { expiresAt: 20_000 });
    await temp.store.claims.submit((await find("sent")).id, LEASE, "signature", Uint8Array.of(1));
    await forget(80_000);
    expect(await temp.store.claims.find("agent", "mint-ONE", "old")).toBeNull();
    for (const hash of ["sent", "edge"]) expect(await find(hash)).toBeDefined();
  }
  expect(await find("new")).toBeDefined();
});

test("the sixteen newest unsigned claims of a token are kept, and all submitted ones", async () => {
  temp.clock.advance(86_400_000);
  await insertToken(temp, "TWO");
  await prepare("two", { tokenMint: "mint-TWO" });
  await prepare("sent");
  await temp.store.claims.submit((await find("sent")).id, LEASE, "signature", Uint8Array.of(1));
  for (let n = 0; n < 100; n++) await prepare(`n${n}`);
  const remembered: string[] = [];
  for (let n = 0; n < 100; n++) {
    if (await temp.store.claims.find("agent", "mint-ONE", `n${n}`)) remembered.push(`n${n}`);
  }
  expect(remembered).toEqual(Array.from({ length: 16 }, (_, n) => `n${84 + n}`));
  expect((await find("sent")).status).toBe("submitted");
  expect(await temp.store.claims.find("agent", "mint-TWO", "two")).not.toBeNull();
});

test("a claim that was deleted meanwhile cannot be submitted", async () => {
  await prepare("hash");
  const { id } = await find("hash");
  const submit = (which: number) =>
    temp.store.claims.submit(which, LEASE, "signature", Uint8Array.of(1));
  expect((await submit(id)).kind).toBe("leased");
  expect(await submit(id + 1)).toEqual({ kind: "gone" });
});

test("to submit, to withdraw and to confirm a claim does not change the others of its token", async () => {
  const others = ["first", "last"];
  await prepare("first");
  await prepare("hash");
  await prepare("last");
  const rows = () => Promise.all(others.map(find));
  const prepared = await rows();
  const { submit, withdraw, confirm } = {
    submit: async (hash: string) =>
      temp.store.claims.submit((await find(hash)).id, LEASE, hash, Uint8Array.of(1)),
    withdraw: async (hash: string) =>
      temp.store.claims.withdraw((await find(hash)).id, LEASE.id, 2_000),
    confirm: async (hash: string) => temp.store.claims.confirm(await find(hash), paid(5n, 2_000)),
  };
  await submit("hash");
  expect(await rows()).toEqual(prepared);
  for (const other of others) await submit(other);
  const sent = await rows();
  await withdraw("hash");
  expect(await rows()).toEqual(sent);
  await submit("hash");
  await confirm("hash");
  expect(await rows()).toEqual(sent);
  expect((await find("hash")).status).toBe("confirmed");
});

test("a claim that is withdrawn after it expired is kept for a minute from then", async () => {
  await prepare("late", { expiresAt: 10_000 });
  await temp.store.claims.submit((await find("late")).id, LEASE, "signature", Uint8Array.of(1));
  await temp.store.claims.withdraw((await find("late")).id, LEASE.id, 500_000);
  expect((await find("late")).expiresAt).toBe(500_000);
  await prepare("early", { expiresAt: 900_000 });
  await temp.store.claims.submit((await find("early")).id, LEASE, "signature", Uint8Array.of(1));
  await temp.store.claims.withdraw((await find("early")).id, LEASE.id, 500_000);
  expect((await find("early")).expiresAt).toBe(900_000);
});

test("a claim of an unknown token is refused", async () => {
  await expect(prepare("hash", { tokenMint: "mint-NONE" })).rejects.toThrow("FOREIGN KEY");
});

describe("a claim's lease", () => {
  const OTHER = { id: "other", ms: 60_000 };
  const BYTES = Uint8Array.of(1);

  /** Prepares a claim that {@link LEASE} holds, beside one that another lease holds. */
  async function held(): Promise<{ id: number; beside: number }> {
    await prepare("hash");
    await prepare("beside");
    const { claims } = temp.store;
    const [{ id }, { id: beside }] = [await find("hash"), await find("beside")];
    const outcome = await claims.submit(id, LEASE, "signature", BYTES);
    expect(outcome).toMatchObject({ kind: "leased", signature: "signature", mayBeUnderWay: false });
    await claims.submit(beside, { id: "beside", ms: 120_000 }, "beside", BYTES);
    return { id, beside };
  }

  const take = (id: number, lease = OTHER) =>
    temp.store.claims.submit(id, lease, "another", Uint8Array.of(9));

  test("lets no other server send it until it runs out, and then the same bytes", async () => {
    const { id } = await held();
    temp.clock.advance(59_999);
    expect(await take(id)).toEqual({ kind: "held" });
    temp.clock.advance(1);
    expect((await unsettled()).map((claim) => claim.id)).toEqual([id]);
    const taken = { kind: "leased", signature: "signature", mayBeUnderWay: true };
    expect(await take(id)).toEqual({ ...taken, transaction: Buffer.from(BYTES) } as never);
    expect(await take(id, LEASE)).toEqual({ kind: "held" });
  });

  test("lasts longer once it is renewed, and only for its holder", async () => {
    const { id } = await held();
    const { claims } = temp.store;
    temp.clock.advance(50_000);
    expect(await claims.renew(id, OTHER)).toBe(false);
    expect(await claims.renew(id, LEASE)).toBe(true);
    temp.clock.advance(59_999);
    expect(await take(id)).toEqual({ kind: "held" });
  });

  test("that was lost gives nothing back and takes nothing back", async () => {
    const { id } = await held();
    const { claims } = temp.store;
    await claims.release(id, OTHER.id);
    await claims.withdraw(id, OTHER.id, 2_000);
    expect(await find("hash")).toMatchObject({ status: "submitted", signature: "signature" });
    expect(await take(id)).toEqual({ kind: "held" });
    await claims.release(id, LEASE.id);
    expect((await take(id)).kind).toBe("leased");
  });

  test("ends with the claim: a confirmed one gives its first answer to every server", async () => {
    const { id, beside } = await held();
    const { claims } = temp.store;
    await claims.confirm(await find("hash"), paid(5n, 2_000));
    expect(await take(id)).toEqual({
      kind: "confirmed",
      signature: "signature",
      paidLamports: 5n,
    });
    expect(await claims.renew(id, LEASE)).toBe(false);
    expect(await take(beside)).toEqual({ kind: "held" });
    expect((await claims.read(id))?.status).toBe("confirmed");
    expect(await claims.read(beside + 1)).toBeNull();
  });

  test("of an earlier process is freed by recover", async () => {
    const { id } = await held();
    await temp.store.claims.recover();
    expect((await unsettled()).map((claim) => claim.id)).toContain(id);
  });

  test("that seems to last too long was given before the clock stepped back", async () => {
    const { id } = await held();
    temp.clock.advance(-60_000);
    expect(await take(id)).toEqual({ kind: "held" });
    temp.clock.advance(-1);
    expect((await take(id)).kind).toBe("leased");
  });
});
