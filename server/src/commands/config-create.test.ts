import { expect, test } from "bun:test";
import { DEFAULT_CONFIG_TERMS } from "../launchpad/meteora/config-terms.ts";
import { explainTerms } from "./config-create.ts";

test("config create explains who earns what before and after migration", () => {
  const shared = { ...DEFAULT_CONFIG_TERMS, feeBps: 2_000, creatorShare: 80 };
  expect(explainTerms(shared, "WALLET").split("\n")).toEqual([
    "Of each trade of 100 SOL, in SOL:",
    "                 fee  agent  this wallet  Meteora",
    "on the curve      20   12.8          3.2        4",
    "after migration   10    6.4          1.6        2",
    "`tokend collect` takes what this wallet WALLET earns.",
    "After migration the liquidity stays locked permanently and earns these shares. A config cannot be changed.",
    "",
  ]);
  expect(explainTerms({ ...shared, creationLamports: 20_000_000n }, "WALLET")).toContain(
    "Each launch pays 0.02 SOL for its pool; this wallet earns 0.018 of it.\n`tokend collect`",
  );
  expect(explainTerms(DEFAULT_CONFIG_TERMS, "WALLET")).toContain(
    [
      "on the curve       1    0.8            0      0.2",
      "after migration    1    0.8            0      0.2",
      "With --creator-share below 100 this wallet gets the rest.",
    ].join("\n"),
  );
});
