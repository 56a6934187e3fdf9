import { beforeEach, describe, expect, test } from "bun:test";
import { LeaseLostError } from "../domain/journal.ts";
import { type NewPrepared, type PreparedRow, preparedJournal } from "./prepared.ts";
import { describeStore } from "./testing/contract.ts";
import { DAY_MS } from "./testing/engines.ts";
import { newPaid } from "./testing/rows.ts";

const LEASE = { id: "holder", ms: 60_000 };
const BYTES = Uint8Array.of(1, 2);

/** Returns the name of the error that refuses a claim, otherwise `leased`. */
const outcomeOf = (submission: Promise<unknown>): Promise<string> =>
  submission.then(
    () => "leased",
    (error) => error.reason ?? error.name,
  );

describeStore("claims", (at) => {
  beforeEach(async () => void (await at.insertToken("ONE")));

  const claims = () => at.store.prepared;
  const prepare = (messageHash: string, other: Partial<NewPrepared> = {}) =>
    at.handOut(messageHash, { preparedAt: 1_000, expiresAt: 61_000, ...other });
  const find = async (messageHash: string): Promise<PreparedRow> => {
    const claim = await claims().find("agent", messageHash);
    if (!claim) throw new Error(`no claim ${messageHash}`);
    return claim;
  };
  const submit = async (messageHash: string, leaseId = LEASE.id) =>
    at.submit(await find(messageHash), { leaseId });
  const confirm = async (messageHash: string, lamports: bigint, paidAt: number) =>
    claims().confirm(await find(messageHash), newPaid(`of ${messageHash}`, lamports, paidAt));
  const unsettled = async () =>
    (await claims().unsettled()).filter(({ wallet }) => wallet === "agent");
  const token = () => at.store.tokens.findAny("mint-ONE");

  test("a claim is prepared, submitted and confirmed, and its token shows when and to whom the last one paid", async () => {
    await prepare("hash");
    const claim = await find("hash");
    expect(claim).toMatchObject({
      status: "prepared",
      wallet: "agent",
      lastValidBlockHeight: 150,
      expiresAt: 61_000,
      signature: null,
      transaction: null,
      paidLamports: null,
      confirmedAt: null,
    });
    expect(await submit("hash")).toBeNull();
    expect((await find("hash")).signature).toBe("of hash");
    expect([...((await find("hash")).transaction ?? [])]).toEqual([1, 2]);
    expect(await claims().read(claim.id)).toEqual(await find("hash"));
    expect((await token())?.claimedAt).toBeNull();

    await confirm("hash", 12_345_678_901_234_567_890n, 2_000);
    expect(await find("hash")).toMatchObject({
      status: "confirmed",
      signature: "of hash",
      transaction: null,
      paidLamports: 12_345_678_901_234_567_890n,
      confirmedAt: 2_000,
    });
    expect(await token()).toMatchObject({ claimedAt: 2_000, claimedTo: "agent" });
    expect(await unsettled()).toEqual([]);

    await prepare("later");
    await submit("later");
    await confirm("later", 1n, 3_000);
    expect((await token())?.claimedAt).toBe(3_000);
  });

  test("a claim with receivers says them, and on the token the first of them", async () => {
    const receivers = [
      { address: "vault", lamports: "12345678901234567890" },
      { address: "agent", lamports: "1" },
    ];
    await prepare("hash", { receivers });
    await submit("hash");
    await confirm("hash", 5n, 2_000);
    expect(await find("hash")).toMatchObject({ receivers });
    expect(await token()).toMatchObject({ claimedAt: 2_000, claimedTo: "vault" });
    const whole = { tokenMint: null, limit: null, before: null };
    expect((await claims().history("agent", whole)).rows).toMatchObject([{ receivers }]);
  });

  test("a claim is found only by its own wallet and message", async () => {
    await prepare("hash");
    expect(await claims().find("other", "hash")).toBeNull();
    expect(await claims().find("agent", "other")).toBeNull();
    expect(await claims().read(1_000_000)).toBeNull();
  });

  test("a confirmed claim is not sent, withdrawn or confirmed again", async () => {
    await prepare("hash");
    await submit("hash");
    await confirm("hash", 5n, 2_000);
    const confirmed = await find("hash");
    await expect(submit("hash", "another")).rejects.toThrow(LeaseLostError);
    await claims().withdraw(confirmed.id, LEASE.id, { at: 2_000, reason: "refused" });
    expect(await claims().renew(confirmed.id, LEASE)).toBe(false);
    await confirm("hash", 6n, 3_000);
    expect(await find("hash")).toEqual(confirmed);
    expect((await token())?.claimedAt).toBe(2_000);
  });

  // A server that stopped before it sent a claim may go on after another one gave it up.
  test("a claim that landed after it was taken back is still recorded", async () => {
    await prepare("hash");
    await prepare("untouched");
    await submit("hash");
    const { id } = await find("hash");
    await claims().withdraw(id, LEASE.id, { at: 1_500, reason: "refused" });
    await confirm("hash", 5n, 2_000);
    expect(await find("hash")).toMatchObject({
      status: "confirmed",
      signature: "of hash",
      paidLamports: 5n,
    });
    expect(await token()).toMatchObject({ claimedAt: 2_000, claimedTo: "agent" });
    expect((await find("untouched")).status).toBe("prepared");
  });

  test("a claim that was withdrawn can be submitted again, with another signature", async () => {
    await prepare("hash");
    const row = await find("hash");
    await submit("hash");
    await claims().withdraw(row.id, LEASE.id, { at: 2_000, reason: "refused" });
    expect(await find("hash")).toMatchObject({
      status: "prepared",
      signature: null,
      transaction: null,
    });
    const again = { signature: "again", transaction: BYTES };
    expect(await claims().submit(row, LEASE, again)).toBeNull();
    expect((await find("hash")).signature).toBe("again");
  });

  test("a claim that expired unsigned is deleted a minute later, a submitted one never", async () => {
    for (const forget of [
      (now: number) => prepare("new", { preparedAt: now, expiresAt: now + 60_000 }),
      (now: number) => claims().forgetExpired(now),
    ]) {
      await prepare("old", { expiresAt: 10_000 });
      await prepare("sent", { expiresAt: 10_000 });
      await prepare("edge", { expiresAt: 20_000 });
      await submit("sent");
      await forget(80_000);
      expect(await claims().find("agent", "old")).toBeNull();
      for (const hash of ["sent", "edge"]) expect(await find(hash)).toBeDefined();
    }
    expect(await find("new")).toBeDefined();
  });

  test("a wallet's sixteen newest unsigned claims of a token are kept, and all submitted ones", async () => {
    await at.insertToken("TWO", { wallet: "other" });
    await prepare("two", { tokenMint: "mint-TWO" });
    await prepare("of another", { wallet: "newCreator" });
    await prepare("sent");
    await submit("sent");
    for (let n = 0; n < 20; n++) await prepare(`n${n}`);
    const kept: string[] = [];
    for (let n = 0; n < 20; n++) {
      if (await claims().find("agent", `n${n}`)) kept.push(`n${n}`);
    }
    expect(kept).toEqual(Array.from({ length: 16 }, (_, n) => `n${4 + n}`));
    expect((await find("sent")).status).toBe("submitted");
    expect(await claims().find("agent", "two")).not.toBeNull();
    expect(await claims().find("newCreator", "of another")).not.toBeNull();
  });

  describe("a lease", () => {
    const second = () => outcomeOf(submit("hash", "other"));
    beforeEach(async () => {
      await prepare("hash");
      await submit("hash");
    });

    test("lets one server at a time send a claim, its holder again, and keeps the first transaction", async () => {
      const row = await find("hash");
      const other = { id: "other", ms: 60_000 };
      const signed = { signature: "second", transaction: Uint8Array.of(9) };
      expect(await outcomeOf(claims().submit(row, other, signed))).toBe("LeaseLostError");
      expect(await submit("hash")).toMatchObject({ signature: "of hash" });
      await claims().release(row.id, LEASE.id);
      expect(await claims().submit(row, other, signed)).toMatchObject({ signature: "of hash" });
      expect([...((await find("hash")).transaction ?? [])]).toEqual([1, 2]);
    });

    test("that has run out, renewed or not, passes to another server, and its holder changes nothing more", async () => {
      const { id } = await find("hash");
      await at.advance(50_000);
      expect(await claims().renew(id, LEASE)).toBe(true);
      await at.advance(59_999);
      expect(await second()).toBe("LeaseLostError");
      expect(await unsettled()).toEqual([]);
      await at.advance(1);
      expect((await unsettled()).map((claim) => claim.id)).toEqual([id]);
      expect(await second()).toBe("leased");
      const taken = await find("hash");
      expect(await claims().renew(id, LEASE)).toBe(false);
      await claims().release(id, LEASE.id);
      await claims().withdraw(id, LEASE.id, { at: 2_000, reason: "refused" });
      expect(await find("hash")).toEqual(taken);
      expect(await outcomeOf(submit("hash"))).toBe("LeaseLostError");
    });
  });

  test("claims that no server holds are unsettled, and those that are not sent are not", async () => {
    for (const hash of ["prepared", "held", "given", "paid"]) await prepare(hash);
    for (const hash of ["held", "given", "paid"]) await submit(hash);
    await claims().release((await find("given")).id, LEASE.id);
    await confirm("paid", 1n, 2_000);
    expect((await unsettled()).map(({ messageHash }) => messageHash)).toEqual(["given"]);
    await at.advance(-3_600_000);
    const hashes = (await unsettled()).map(({ messageHash }) => messageHash);
    expect(hashes.toSorted()).toEqual(["given", "held"]);
  });

  test("a claim of several tokens marks each of them, and no other", async () => {
    for (const ticker of ["TWO", "THREE"]) {
      await at.advance(DAY_MS);
      await at.insertToken(ticker);
    }
    await prepare("single");
    await prepare("both", { otherMints: ["mint-TWO"] });
    expect((await find("single")).otherMints).toEqual([]);
    const claim = await claims().find("agent", "both");
    expect(claim).toEqual(await find("both"));
    expect(claim?.otherMints).toEqual(["mint-TWO"]);
    await submit("both");
    const payouts = ["mint-ONE", "mint-TWO"].map((tokenMint) => ({
      ...{ tokenMint, bondingCurve: 0n, liquidityPool: 7n },
    }));
    const paid = { signature: "of both", paidLamports: 14n, payouts, at: 2_000 };
    await claims().confirm(await find("both"), paid);
    const claimedAt = async (mint: string) => (await at.store.tokens.findAny(mint))?.claimedAt;
    expect(await Promise.all(["mint-ONE", "mint-TWO", "mint-THREE"].map(claimedAt))).toEqual([
      2_000,
      2_000,
      null,
    ]);
  });

  describe("sponsored claims that have not succeeded", () => {
    const sponsor = async (hash: string, maxAtRisk?: number, wallet = "agent", mint = "ONE") => {
      const row = await at.handOut(hash, { wallet, tokenMint: `mint-${mint}` });
      return await outcomeOf(at.submit(row, { leaseId: hash, maxAtRisk }));
    };
    const withdraw = async (hash: string) =>
      claims().withdraw((await find(hash)).id, hash, { at: at.now(), reason: "refused" });
    const atRisk = async (wallet = "agent") => (await claims().sponsoredAtRisk(wallet)).length;

    test("are bounded in a day, those in flight and those that failed together", async () => {
      expect(await sponsor("own")).toBe("leased");
      expect(await atRisk()).toBe(0);
      expect(await sponsor("one", 2)).toBe("leased");
      expect(await sponsor("two", 2)).toBe("leased");
      expect((await find("two")).sponsoredDay).toBe(new Date(at.now()).toISOString().slice(0, 10));
      expect(await atRisk()).toBe(2);
      expect(await sponsor("three", 2)).toBe("sponsor_spent");
      expect(await find("three")).toMatchObject({ status: "prepared", sponsoredDay: null });
      await withdraw("one");
      expect(await sponsor("three", 2)).toBe("sponsor_spent");
      // The same bytes cost no second fee.
      expect(await sponsor("one", 2)).toBe("leased");
      // A claim that landed cost nothing.
      await confirm("two", 1n, 2_000);
      expect(await atRisk()).toBe(1);
      expect(await sponsor("three", 2)).toBe("leased");
      // An agent's own claims have no such limit.
      expect(await sponsor("another own")).toBe("leased");
    });

    test("release their place once they can no longer cost anything, and not while in flight", async () => {
      expect(await sponsor("expired", 1)).toBe("leased");
      const { id } = await find("expired");
      await claims().clearRisk(id);
      expect(await atRisk()).toBe(1);
      await withdraw("expired");
      // The signed transaction is kept: only it can lead to the outcome.
      const [kept] = await claims().sponsoredAtRisk("agent");
      expect(kept).toMatchObject({ id, status: "prepared", signature: "of expired" });
      expect(Buffer.from(kept?.transaction ?? [])).toEqual(Buffer.from(BYTES));
      await claims().clearRisk(id);
      expect(await atRisk()).toBe(0);
      expect(await sponsor("next", 1)).toBe("leased");
      expect(await sponsor("expired", 1)).toBe("sponsor_spent");
    });

    test("are sent with the bytes that were stored first, also after they were withdrawn", async () => {
      expect(await sponsor("twice", 1)).toBe("leased");
      await withdraw("twice");
      const record = async (transaction: Uint8Array, id: string) => {
        const journal = preparedJournal(
          claims(),
          { ...(await find("twice")), lease: { id, ms: 60_000 } },
          { maxAtRisk: 1 },
        );
        const signed = { signature: "of twice", transaction, lastValidBlockHeight: 150 };
        const earlier = await journal.record(signed);
        await claims().withdraw((await find("twice")).id, id, { at: at.now(), reason: "refused" });
        return earlier && [...earlier.transaction];
      };
      expect(await record(BYTES, "same")).toBeNull();
      expect(await record(Uint8Array.of(3), "another signature of the agent")).toEqual([...BYTES]);
    });

    test("are remembered until the day is over, whatever else the agent asks for", async () => {
      expect(await sponsor("lost", 1)).toBe("leased");
      await withdraw("lost");
      await at.advance(3_600_000);
      for (let n = 0; n < 20; n++) {
        await prepare(`other ${n}`, { preparedAt: at.now(), expiresAt: at.now() });
      }
      await claims().forgetExpired(at.now());
      expect(await atRisk()).toBe(1);
      expect(await sponsor("next", 1)).toBe("sponsor_spent");
      await at.advance(DAY_MS);
      expect(await atRisk()).toBe(0);
      await claims().forgetExpired(at.now());
      expect(await claims().find("agent", "lost")).toBeNull();
      expect(await sponsor("next", 1)).toBe("leased");
    });
  });
});
