import { expect, test } from "bun:test";
import { ChainUnavailableError, WrongClusterError } from "../launchpad/errors.ts";
import { testApp } from "../testing/test-app.ts";

test("a balance is exact to the lamport", async () => {
  using at = await testApp();
  at.chain.readBalances = async () => [1_000_000_001n];
  const answer = await at.send("GET", "/api/v1/wallet");
  expect(await answer.json()).toEqual({ wallet: "agent", balanceSOL: 1.000000001 });
});

test.each([
  ["chain_unavailable", new ChainUnavailableError("No answer"), "5"],
  ["wrong_cluster", new WrongClusterError("Another cluster"), null],
] as const)("without its chain the answer is %s", async (code, fault, seconds) => {
  using at = await testApp();
  at.chain.readBalances = () => Promise.reject(fault);
  const answer = await at.send("GET", "/api/v1/wallet");
  expect(answer.headers.get("retry-after")).toBe(seconds);
  expect(await answer.json()).toMatchObject({ code, error: fault.message });
});
