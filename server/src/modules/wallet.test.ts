import { expect, test } from "bun:test";
import { ChainUnavailableError, WrongClusterError } from "../launchpad/errors.ts";
import { serviceErrorFrom } from "../testing/service-error-from.ts";
import { walletBalance } from "./wallet.ts";

test("a balance is exact to the lamport", async () => {
  const chain = { readBalances: async () => [1_000_000_001n] };
  expect(await walletBalance(chain, "agent")).toEqual({ wallet: "agent", balanceSOL: 1.000000001 });
});

test.each([
  ["chain_unavailable", new ChainUnavailableError("No answer"), 5],
  ["wrong_cluster", new WrongClusterError("Another cluster"), undefined],
] as const)("without its chain the answer is %s", async (code, fault, seconds) => {
  const chain = { readBalances: () => Promise.reject(fault) };
  const error = await serviceErrorFrom(() => walletBalance(chain, "agent"));
  expect(error).toMatchObject({ wireCode: code, message: fault.message });
  expect(error.retryAfterSeconds ?? undefined).toBe(seconds);
});
