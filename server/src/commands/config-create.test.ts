import { expect, test } from "bun:test";
import { DEFAULT_CONFIG_TERMS, PRESETS } from "../launchpad/meteora/config-terms.ts";
import { feesUnder } from "../launchpad/meteora/create-config.ts";
import { earningsUnder } from "../launchpad/meteora/pool-terms.ts";
import { explainEarnings, explainTerms } from "./config-create.ts";

test("config create explains who earns what before and after migration", () => {
  const shared = { ...DEFAULT_CONFIG_TERMS, feeBps: 2_000, creatorShare: 80 };
  expect(explainTerms(shared).split("\n")).toEqual([
    "Of each trade of 100 SOL, in SOL:",
    "                 fee  agent  this wallet  Meteora",
    "on the curve      20   12.8          3.2        4",
    "after migration   10    6.4          1.6        2",
    "After migration the liquidity stays locked permanently and earns these shares.",
    "`tokend collect` takes what this wallet earns.",
    "A config cannot be changed.",
    "",
  ]);
  expect(explainTerms({ ...shared, creationLamports: 20_000_000n })).toContain(
    "Each launch pays 0.02 SOL for its pool; this wallet earns 0.018 SOL of it.\n",
  );
  expect(explainTerms(DEFAULT_CONFIG_TERMS)).toContain(
    [
      "on the curve       1    0.8            0      0.2",
      "after migration    1    0.8            0      0.2",
      "After migration the liquidity stays locked permanently and earns these shares.",
      "With --creator-share below 100 this wallet gets the rest.",
    ].join("\n"),
  );
});

test("config create shows what a fee that falls does over the first hour, to the agent's own buy too", () => {
  const patient = { ...DEFAULT_CONFIG_TERMS, ...PRESETS.patient, creatorShare: 80 };
  const lines = explainTerms({ ...patient, vestingShare: 20 }).split("\n");
  expect(lines.slice(1, 11)).toEqual([
    "                              fee    agent  this wallet  Meteora",
    "the agent's, in its launch      1     0.64         0.16      0.2",
    "in the first second            25       16            4        5",
    "after 10 s                     25       16            4        5",
    "after 60 s                  24.76  15.8464       3.9616    4.952",
    "after 5 min                 23.08  14.7712       3.6928    4.616",
    "after 10 min                21.16  13.5424       3.3856    4.232",
    "after 30 min                   13     8.32         2.08      2.6",
    "after 60 min                    1     0.64         0.16      0.2",
    "after migration                 1     0.64         0.16      0.2",
  ]);
  expect(lines).toContain(
    "While the price moves, up to 0.199892 more, shared alike; none of the agent's own in its launch.",
  );
  expect(lines.join()).toContain(
    "80 % of the liquidity stays locked permanently; the agent can withdraw 20 % of it, part by part for 180 days.",
  );
});

test("what others' configs let be withdrawn is not called locked", () => {
  const fees = {
    ...feesUnder({ ...DEFAULT_CONFIG_TERMS, creatorShare: 80 }),
    creatorPermanentLockedLiquidityPercentage: 30,
    creatorLiquidityPercentage: 50,
  };
  expect(explainEarnings(earningsUnder(fees), "partner")).toContain(
    "After migration 50 % of the liquidity stays locked permanently; the agent or partner can withdraw 50 %. ",
  );
});
