import { expect, test } from "bun:test";
import { QueueRoom } from "./intake.ts";

test("pending launches are counted again only when the numbers drawn since reach the limit", () => {
  const room = new QueueRoom();
  let counted = 0;
  let drawn = 0;
  // The queue stays empty: each launch leaves at once.
  for (let i = 0; i < 10_000; i++) {
    if (!room.mustCount && room.isBelow(100, drawn + 1)) drawn++;
    else {
      counted++;
      room.counted(0, drawn++);
    }
  }
  expect(counted).toBe(100);
});

test("numbers that go backwards are not believed", () => {
  const room = new QueueRoom();
  room.counted(5, 1_000);
  expect(room.isBelow(100, 1_001)).toBe(true);
  expect(room.isBelow(100, 900)).toBe(false);
});
