import { expect, test } from "bun:test";
import { BoundedMap } from "./bounded-map.ts";

test("gives what was set", () => {
  const map = new BoundedMap<string, number>(2);
  map.set("a", 1);
  map.set("a", 2);
  expect(map.get("a")).toBe(2);
  expect(map.get("b")).toBeUndefined();
});

test("the oldest makes room, and only for a new key", () => {
  const map = new BoundedMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  map.set("b", 3);
  expect(map.get("a")).toBe(1);
  map.set("c", 4);
  expect(["a", "b", "c"].map((key) => map.get(key))).toEqual([undefined, 3, 4]);
});

test("makes what there is not, once", () => {
  const map = new BoundedMap<string, number>(1);
  expect(map.getOrMake("a", () => 1)).toBe(1);
  expect(map.getOrMake("a", () => 2)).toBe(1);
});
