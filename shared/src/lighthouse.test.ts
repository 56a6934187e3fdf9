import { expect, test } from "bun:test";
import { isAssertion } from "./lighthouse.ts";

test("of Lighthouse's instructions only those that read are assertions", () => {
  const tags = Array.from({ length: 256 }, (_, tag) => tag);
  const accepted = tags.filter((tag) => isAssertion(Uint8Array.of(tag, 0, 0)));
  // All but 0 and 1, MemoryWrite and MemoryClose, and 16, which calls another program.
  expect(accepted).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17]);
  expect(isAssertion(new Uint8Array())).toBe(false);
});
