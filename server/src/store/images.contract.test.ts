import { describe, expect, test } from "bun:test";
import { sharesOf } from "../domain/shares.ts";
import { FAILED_LAUNCH_IMAGE_MS, type ImageBounds, type NewImage } from "./images.ts";
import type { NewLaunch } from "./launch-row.ts";
import { describeStore } from "./testing/contract.ts";
import { DAY_MS } from "./testing/engines.ts";
import { newAttempt, newLaunch, UNBOUNDED_IMAGES } from "./testing/rows.ts";

/** The size of the other wallet's image, which the tests are not about. */
const THEIR_BYTES = 2;

describeStore("images", (at) => {
  const put = (
    hash: string,
    other: Partial<NewImage> = {},
    bounds: Partial<ImageBounds> = {},
    store = at.store,
  ) => {
    const times = { now: at.now(), expiresAt: at.now() + DAY_MS };
    const image = {
      hash,
      wallet: "agent",
      address: null,
      mediaType: "image/png",
      small: null,
      medium: null,
      bytes: Uint8Array.of(1, 0, 255),
    };
    return store.images.put({ ...image, ...times, ...other }, { ...UNBOUNDED_IMAGES, ...bounds });
  };
  const find = async (hash: string) => {
    const image = await at.store.images.find(hash);
    return image && { ...image, bytes: [...image.bytes] };
  };
  const insertOne = async (launch: NewLaunch) => (await at.launches.insert([launch]))[0];
  const sweep = () => at.store.images.deleteUnused(at.now());

  test("an image is found by its hash, byte for byte", async () => {
    expect(await put("one")).toBe("stored");
    expect(await put("two", { mediaType: "image/webp", bytes: Uint8Array.of() })).toBe("stored");
    expect(await find("one")).toEqual({ mediaType: "image/png", bytes: [1, 0, 255] });
    expect(await find("two")).toEqual({ mediaType: "image/webp", bytes: [] });
    expect(await find("three")).toBeNull();
  });

  test("its smaller pictures are stored with it, and take of the same space", async () => {
    const parts = { small: Uint8Array.of(1), medium: Uint8Array.of(2, 2) };
    const space = sharesOf(5, 5, { address: 0, network: 0 });
    expect(await put("one", parts, { space })).toBe("space_full");
    expect(await put("one", parts)).toBe("stored");
    const { bytes: small } = (await at.store.images.find("one", "small")) ?? {};
    const { bytes: medium } = (await at.store.images.find("one", "medium")) ?? {};
    expect([[...(small ?? [])], [...(medium ?? [])]]).toEqual([[1], [2, 2]]);
    await put("two");
    expect(await at.store.images.find("two", "small")).toBeNull();
    expect(await at.store.images.find("two", "medium")).toBeNull();
  });

  test("the same image is stored once, and stays for the longer of two times", async () => {
    await put("one");
    await at.advance(1_000);
    expect(await put("one", { wallet: "other" })).toBe("stored");
    expect(await put("one", { expiresAt: at.now() + 1 })).toBe("stored");
    await at.advance(DAY_MS - 1);
    expect(await sweep()).toBe(0);
    await at.advance(1);
    expect(await sweep()).toBe(1);
  });

  test("a forgotten wallet's image is gone, also if another uploaded it last, unless another's launch has it", async () => {
    const change = {
      actor: "operator",
      action: "forget",
      subject: null,
      detail: null,
      reason: null,
    };
    const forget = (wallet: string) => at.store.takedowns.forget(wallet, change);
    for (const hash of ["one", "both"]) await put(hash);
    await at.insertToken("ONE", { imageHash: "one" });
    await at.insertToken("TWO", { wallet: "second", imageHash: "both" });
    await at.insertToken("THREE", { wallet: "third", imageHash: "both" });
    for (const hash of ["one", "both"]) await put(hash, { wallet: "other" });
    await at.advance(DAY_MS);
    await sweep();
    for (const wallet of ["agent", "second"]) await forget(wallet);
    expect(await find("one")).toBeNull();
    expect(await find("both")).not.toBeNull();
    await forget("third");
    expect(await find("both")).toBeNull();
  });

  describe("bounds", () => {
    test("count an agent's images until they expire", async () => {
      const bounds = { maxOfAgent: 2 };
      expect(await put("one", {}, bounds)).toBe("stored");
      expect(await put("two", {}, bounds)).toBe("stored");
      expect(await put("three", {}, bounds)).toBe("agent_limit");
      expect(await put("two", {}, bounds)).toBe("stored");
      expect(await put("three", { wallet: "other" }, bounds)).toBe("stored");
      expect(await find("three")).not.toBeNull();
      expect(await put("three", {}, bounds)).toBe("agent_limit");
      await at.advance(DAY_MS);
      expect(await put("four", {}, bounds)).toBe("stored");
    });

    test("count the bytes of all agents' images until they expire", async () => {
      const bounds = { space: sharesOf(6 + THEIR_BYTES, 6, { address: 0, network: 0 }) };
      expect(await put("one", {}, bounds)).toBe("stored");
      expect(await put("two", { wallet: "other" }, bounds)).toBe("stored");
      expect(await put("three", { bytes: Uint8Array.of(1) }, bounds)).toBe("space_full");
      expect(await find("three")).toBeNull();
      await at.advance(DAY_MS);
      expect(await put("three", { bytes: Uint8Array.of(1) }, bounds)).toBe("stored");
    });

    test("count the bytes of an address and of its network", async () => {
      const bounds = { space: sharesOf(100, 6, { address: 6, network: 9 }) };
      const from = (address: string | null) => (hash: string) => put(hash, { address }, bounds);
      const [one, two, far] = [from("192.0.2.1"), from("192.0.2.2"), from("198.51.100.1")];
      expect(await one("1")).toBe("stored");
      expect([await one("2"), await one("3")]).toEqual(["stored", "share_used"]);
      expect([await two("4"), await two("5")]).toEqual(["stored", "share_used"]);
      expect([await far("6"), await from(null)("7")]).toEqual(["stored", "stored"]);
      await at.advance(DAY_MS);
      expect([await one("3"), await two("5")]).toEqual(["stored", "stored"]);
    });

    test("count a small image for as much as it takes of the database", async () => {
      const bounds = { space: sharesOf(100, 8, { address: 8, network: 100 }), least: 4 };
      const from = (address: string, hash: string, bytes = Uint8Array.of(1)) =>
        put(hash, { wallet: hash, address, bytes }, bounds);
      expect(await from("192.0.2.1", "1")).toBe("stored");
      expect(await from("192.0.2.1", "2")).toBe("stored");
      expect(await from("192.0.2.1", "3")).toBe("share_used");
      expect(await from("192.0.2.2", "4", new Uint8Array(5))).toBe("stored");
      expect(await from("192.0.2.2", "5")).toBe("share_used");
    });

    test("count an image for the one who uploaded it last, who keeps it from expiring", async () => {
      const bounds = { maxOfAgent: 1, space: sharesOf(100, 3, { address: 3, network: 3 }) };
      const [here, there] = [{ address: "192.0.2.1" }, { address: "198.51.100.1" }];
      await put("one", here, bounds);
      await at.advance(DAY_MS - 1);
      expect(await put("one", { wallet: "other", ...there }, bounds)).toBe("stored");
      expect(await put("two", here, bounds)).toBe("stored");
      expect(await put("two", { wallet: "other", ...there }, bounds)).toBe("agent_limit");
      expect(await put("two", { wallet: "third", ...there }, bounds)).toBe("share_used");
      await at.advance(1);
      expect(await sweep()).toBe(0);
    });

    test("hold for uploads at the same time", async () => {
      const hashes = Array.from({ length: 24 }, (_, index) => `image ${index}`);
      // Opens the store's connections, so that the uploads do not wait for them one by one.
      await Promise.all(hashes.map(find));
      const outcomes = await Promise.all(hashes.map((hash) => put(hash, {}, { maxOfAgent: 3 })));
      expect(outcomes.filter((outcome) => outcome === "stored")).toHaveLength(3);
    });
  });

  describe("an image that has expired", () => {
    test("is deleted, and others are not", async () => {
      await put("one");
      await at.advance(DAY_MS - 1);
      await put("two", { wallet: "other" });
      expect(await sweep()).toBe(0);
      await at.advance(1);
      expect(await sweep()).toBe(1);
      expect(await find("one")).toBeNull();
      expect(await find("two")).not.toBeNull();
      expect(await Promise.all(["one", "two"].map((hash) => at.store.images.has(hash)))).toEqual([
        false,
        true,
      ]);
    });

    test("is gone in spite of a launch that was refused, and a launch that names it is refused", async () => {
      await put("one");
      await at.insert("TAKEN", { wallet: "other" });
      const launch = newLaunch("TAKEN", { imageHash: "one", createdAt: at.now() });
      expect(await insertOne(launch)).toEqual({ kind: "ticker_taken" });
      await at.advance(DAY_MS);
      expect(await sweep()).toBe(1);
      expect(await insertOne({ ...launch, ticker: "FREE" })).toEqual({ kind: "image_gone" });
    });

    test("is either deleted or used, if a launch is stored while it is deleted", async () => {
      const hashes = Array.from({ length: 24 }, (_, index) => `image ${index}`);
      for (const hash of hashes) await put(hash);
      await at.advance(DAY_MS);
      const [stored] = await Promise.all([
        Promise.all(
          hashes.map((hash, index) => {
            const [ticker, createdAt] = [`T${index}`, at.now()];
            return insertOne(newLaunch(ticker, { imageHash: hash, createdAt }));
          }),
        ),
        ...hashes.map(() => sweep()),
      ]);
      const kinds = stored.map((outcome) => outcome?.kind);
      const there = await Promise.all(hashes.map((hash) => at.store.images.has(hash)));
      expect(kinds).toEqual(there.map((isThere) => (isThere ? "stored" : "image_gone")));
    });

    test("stays while its launch is pending, and permanently after that has a token", async () => {
      await put("one");
      await put("two");
      const launch = await at.take("ONE", "holder", { imageHash: "one" });
      await at.insert("TWO", { wallet: "other", imageHash: "two" });
      await at.advance(DAY_MS);
      expect(await sweep()).toBe(0);
      await at.launches.succeed(launch, { leaseId: "holder" }, newAttempt("ONE"));
      await at.advance(1_000 * DAY_MS);
      expect(await sweep()).toBe(0);
      expect(await sweep()).toBe(0);
      expect(await put("one")).toBe("stored");
      await at.advance(DAY_MS);
      expect(await sweep()).toBe(0);
      expect(await find("one")).not.toBeNull();
    });

    test("keeps no address of its upload, even if a launch uses it", async () => {
      await put("token", { address: "192.0.2.1" });
      await put("failed", { address: "192.0.2.2" });
      const launch = await at.take("ONE", "holder", { imageHash: "token" });
      await at.launches.succeed(launch, { leaseId: "holder" }, newAttempt("ONE"));
      await at.insertFailed("TWO", { imageHash: "failed" });
      await at.advance(DAY_MS);
      await sweep();
      const kept = "select hash from images where hash in ('token', 'failed')";
      expect(await at.database.select(kept)).toHaveLength(2);
      expect(
        await at.database.select(`${kept} and (address is not null or network is not null)`),
      ).toEqual([]);
    });

    test("stays for thirty days after its launch has failed", async () => {
      await put("one");
      await at.insertFailed("ONE", { imageHash: "one" });
      await at.advance(FAILED_LAUNCH_IMAGE_MS - 1);
      expect(await sweep()).toBe(0);
      await at.advance(1);
      expect(await sweep()).toBe(1);
    });
  });
});
