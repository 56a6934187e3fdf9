import { expect, test } from "bun:test";
import fc from "fast-check";
import { ServiceError } from "../base/service-error.ts";
import { encodeCursor, PAGE, readParameters } from "./parameters.ts";

const parsePage = (query: Record<string, string | undefined>) =>
  readParameters(PAGE, (name) => query[name]);

/** Returns the field that the error for this query names, if there is one. */
function field(query: Record<string, string | undefined>): string | undefined {
  try {
    parsePage(query);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return error.details?.[0]?.field;
  }
  return undefined;
}

test("a list is whole unless a limit is given", () => {
  expect(parsePage({})).toEqual({ limit: null, before: null });
  expect(parsePage({ other: "x" })).toEqual({ limit: null, before: null });
  expect(parsePage({ limit: "1" })).toEqual({ limit: 1, before: null });
  expect(parsePage({ limit: "1000" })).toEqual({ limit: 1000, before: null });
});

test("a cursor is decoded to the id that it was made from, but only with a limit", () => {
  expect(field({ cursor: encodeCursor(5) })).toBe("cursor");
  fc.assert(
    fc.property(fc.nat({ max: 2 ** 49 }), (id) => {
      expect(parsePage({ limit: "5", cursor: encodeCursor(id) })).toEqual({ limit: 5, before: id });
    }),
  );
});

test.each(["", "0", "1001", "-1", "1.5", "1e2", " 1", "0x1", "ten", "99999999999999999999"])(
  "the limit %j is refused",
  (limit) => expect(field({ limit })).toBe("limit"),
);

test.each(["", "x", "aWQ6", "aWQ6LTE", "aWQ6MS41", "A".repeat(10_000), "%00"])(
  "the cursor %j is refused",
  (cursor) => expect(field({ limit: "1", cursor })).toBe("cursor"),
);
