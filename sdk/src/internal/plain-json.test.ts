import { expect, test } from "bun:test";
import { agent, build, localClaim, mint, pool } from "../../test/claim-transactions.ts";
import { receipt } from "../../test/client-fixtures.ts";
import { checkClaimTransaction } from "../check-transaction.ts";
import { ClaimReceiptError, OverLimitError } from "../claim-errors.ts";
import { covers } from "./sign-and-submit.ts";

test("the cost of a claim is JSON with its lamports in digits, and is still compared by what it is", async () => {
  const cost = await checkClaimTransaction(build(localClaim()), {
    agent: agent.publicKey.toBase58(),
    tokenMint: mint.toBase58(),
    sandboxPool: pool.toBase58(),
    maxNetworkFeeLamports: 100_000n,
  });
  expect(JSON.parse(JSON.stringify([cost]))).toMatchObject([
    { networkFeeLamports: cost.networkFeeLamports.toString(), tokenMints: cost.tokenMints },
  ]);
  expect(covers(cost, { ...cost })).toBeTrue();
});

test("an error is JSON with its message, its fields and the message of its cause", () => {
  const limit = new OverLimitError("maxCostSOL", { needed: 2n, allowed: 1n });
  const { message, hint } = limit;
  expect(JSON.parse(JSON.stringify(limit))).toEqual({
    ...{ name: "OverLimitError", code: "over_limit", message, hint },
    ...{ limit: "maxCostSOL", neededLamports: "2", allowedLamports: "1" },
  });
  const wrong = new ClaimReceiptError("wrong", {
    transactionHash: "hash",
    receipt: receipt as never,
    cause: limit,
  });
  expect(JSON.parse(JSON.stringify(wrong))).toMatchObject({ cause: message, receipt });
});
