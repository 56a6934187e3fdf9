import { expect, test } from "bun:test";
import type { LaunchStatus } from "@tokenctl/sdk";
import { afterClaims, afterLaunch } from "./next-steps.ts";

const MINT = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU";
const launch = (ticker: string): LaunchStatus => ({
  eventId: "e",
  ticker,
  processedAt: "now",
  error: null,
  status: "success",
  tokenMint: MINT,
  poolAddress: MINT,
});

test("what a server says of a ticker does not become a part of a command", () => {
  expect(afterLaunch("sandbox", launch("WIF")).join()).toContain("`tokenctl claim WIF`");
  const [line = ""] = afterLaunch("sandbox", launch("A`; rm -rf ~; `"));
  expect(line).toContain(`\`tokenctl claim ${MINT}\``);
});

test("a launch without a token has no next step", () => {
  expect(
    afterLaunch("devnet", {
      ...launch("WIF"),
      status: "failed",
      tokenMint: null,
      poolAddress: null,
    }),
  ).toEqual([]);
});

test("claims that share a transaction have one link, and claims that paid nothing none", () => {
  const lines = afterClaims("mainnet-beta", ["one", "two", "one"]);
  expect(lines.filter((line) => line.startsWith("See "))).toEqual([
    "See https://explorer.solana.com/tx/one",
    "See https://explorer.solana.com/tx/two",
  ]);
  expect(afterClaims("mainnet-beta", [])).toEqual([]);
});
