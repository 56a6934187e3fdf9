import { expect, test } from "bun:test";
import { BoundedMap } from "./bounded-map.ts";

test("a map returns the last value that was set", () => {
  const map = new BoundedMap<string, number>(2);
  map.set("a", 1);
  map.set("a", 2);
  expect(map.get("a")).toBe(2);
  expect(map.get("b")).toBeUndefined();
});

test("a full map forgets its oldest entry for a new key, and none for a known key", () => {
  const map = new BoundedMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  map.set("b", 3);
  expect(map.get("a")).toBe(1);
  map.set("c", 4);
  expect(["a", "b", "c"].map((key) => map.get(key))).toEqual([undefined, 3, 4]);
});

test("a missing value is made once", () => {
  const map = new BoundedMap<string, number>(1);
  expect(map.getOrMake("a", () => 1)).toBe(1);
  expect(map.getOrMake("a", () => 2)).toBe(1);
});
