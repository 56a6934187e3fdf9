import { expect, test } from "bun:test";
import { QueueRoom } from "./queue-room.ts";

test("pending launches are counted only when the upper bound reaches the limit", () => {
  let counted = 0;
  let pending = 0;
  const room = new QueueRoom(() => {
    counted++;
    return pending;
  });
  // The queue stays empty: each launch leaves at once.
  for (let i = 0; i < 10_000; i++) {
    expect(room.pending(100)).toBeLessThan(100);
    room.add();
  }
  expect(counted).toBe(100);
  pending = 100;
  expect(room.pending(100)).toBe(100);
  pending = 99;
  expect(room.pending(100)).toBe(99);
  room.add();
  pending = 100;
  expect(room.pending(100)).toBe(100);
});
