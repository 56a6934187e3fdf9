import { expect, test } from "bun:test";
import { nextTurn } from "./clock.ts";

test("callers that wait together continue in order, each in its own turn", async () => {
  let turns = 0;
  const count = () => {
    turns += 1;
    if (turns < 100) setImmediate(count);
  };
  setImmediate(count);
  const order: number[] = [];
  const seen = await Promise.all(
    [1, 2, 3].map(async (number) => {
      await nextTurn();
      order.push(number);
      return turns;
    }),
  );
  expect(order).toEqual([1, 2, 3]);
  expect(new Set(seen).size).toBe(3);
});
