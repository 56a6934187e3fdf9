import { expect, test } from "bun:test";
import { QueueRoom } from "./intake.ts";

test("pending launches are counted again only when the numbers drawn since reach the limit", () => {
  const room = new QueueRoom();
  const most = { depth: 100, ofAgents: null };
  let counted = 0;
  let drawn = 0;
  // The queue stays empty: each launch leaves at once.
  for (let i = 0; i < 10_000; i++) {
    if (!room.mustCount && room.isBelow(most, drawn + 1)) drawn++;
    else {
      counted++;
      room.counted({ depth: 0, ofAgents: 99, drawn: drawn++ });
    }
  }
  expect(counted).toBe(100);
});

test("only what is asked about must have room", () => {
  const room = new QueueRoom();
  room.counted({ depth: 99, ofAgents: 0, drawn: 1_000 });
  expect(room.isBelow({ depth: 100, ofAgents: null }, 1_001)).toBe(true);
  expect(room.isBelow({ depth: 100, ofAgents: null }, 1_002)).toBe(false);
  expect(room.isBelow({ depth: null, ofAgents: 100 }, 1_002)).toBe(true);
  expect(room.isBelow({ depth: 100, ofAgents: 100 }, 1_002)).toBe(false);
});

test("numbers that go backwards are not believed", () => {
  const room = new QueueRoom();
  room.counted({ depth: 5, ofAgents: 5, drawn: 1_000 });
  const most = { depth: 100, ofAgents: 100 };
  expect(room.isBelow(most, 1_001)).toBe(true);
  expect(room.isBelow(most, 900)).toBe(false);
});
