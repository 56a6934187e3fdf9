import { expect, test } from "bun:test";
import { ClaimRefusedError } from "../errors.ts";
import { sentBefore, unsent } from "./testing/journal.ts";
import { never, signClaim } from "./testing/test-launchpad.ts";
import { FEE, tokenWithFees } from "./testing/token-with-fees.ts";

/** A claim that failed on chain: another claim took the fees, and it was sent without preflight. */
async function failedOnChain() {
  const made = await tokenWithFees();
  const { launchpad, chain, agent, token, build } = made;
  const [first, second] = [await build(), await build()];
  const claim = signClaim(second, agent, token);
  await launchpad.submitClaim(signClaim(first, agent, token), unsent, never);
  chain.sendTransaction(claim.transaction, { skipPreflight: true });
  expect(chain.getTransaction(claim.signature)?.error).not.toBeNull();
  made.rpc.calls.length = 0;
  return { ...made, claim };
}

test("a claim that failed on chain is refused, and neither sent nor read again", async () => {
  const { launchpad, rpc, claim } = await failedOnChain();
  const submitted = launchpad.submitClaim(claim, sentBefore(claim), never);
  await expect(submitted).rejects.toBeInstanceOf(ClaimRefusedError);
  // The token's accounts say why it failed.
  expect(rpc.calls).toEqual(["getSignatureStatuses", "getMultipleAccounts"]);
});

test("a claim that failed on chain is refused even if the node forgot its status", async () => {
  const { launchpad, rpc, clock, claim } = await failedOnChain();
  clock.advance(10 * 60_000);
  rpc.rewrite("getSignatureStatuses", (answer) => {
    answer.result.value = answer.result.value.map(() => null);
    return answer;
  });
  const submitted = launchpad.submitClaim(claim, sentBefore(claim), never);
  await expect(submitted).rejects.toBeInstanceOf(ClaimRefusedError);
});

test("a stop does not wait for a transaction that cannot be read yet", async () => {
  const { launchpad, restart, agent, token, build, rpc } = await tokenWithFees();
  const claim = signClaim(await build(), agent, token);
  const stop = new AbortController();
  rpc.rewrite("getTransaction", (answer) => {
    stop.abort();
    return { ...answer, result: null };
  });
  await expect(launchpad.submitClaim(claim, unsent, stop.signal)).rejects.toThrow("stopping");
  expect(rpc.count("getTransaction")).toBe(1);
  rpc.calm();
  const resumed = restart().submitClaim(claim, sentBefore(claim), never);
  expect((await resumed).paidLamports).toBe(FEE);
});
