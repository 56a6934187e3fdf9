import { expect, test } from "bun:test";
import { clockProblem } from "./health.ts";

test("clocks may differ by five seconds", () => {
  expect(clockProblem(1_005_000, 1_000)).toBeNull();
  expect(clockProblem(995_000, 1_000)).toBeNull();
  expect(clockProblem(1_006_000, 1_000)).toStartWith(
    "This machine's clock is 6 s ahead of the cluster's: set it by NTP",
  );
  expect(clockProblem(994_000, 1_000)).toStartWith(
    "This machine's clock is 6 s behind the cluster's",
  );
});
