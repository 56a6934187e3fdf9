import { describe, expect, test } from "bun:test";
import { agent, build, localClaim, mint, pool } from "../../test/claim-transactions.ts";
import { receipt } from "../../test/client-fixtures.ts";
import { checkClaimTransaction } from "../check-transaction.ts";
import type { ClaimCost, HandOverCost } from "../claim-check/terms.ts";
import { ClaimReceiptError, OverLimitError } from "../claim-errors.ts";
import type { LaunchApproval } from "../options.ts";
import { keypairSigner } from "../signer.ts";
import { toApiError } from "./api-error.ts";
import { approvedOffer, covers, hasUnknownOutcome, signAndSubmit } from "./sign-and-submit.ts";

const account = { address: "account", lamports: 2_039_280n };
const claim: ClaimCost = {
  tokenMints: ["mint", "another"],
  networkFeeLamports: 25_000n,
  rentLamports: 2_039_280n,
  createdAccounts: [account],
  sponsor: { address: "sponsor", repaidLamports: 2_049_280n, account },
  receivers: [{ address: "vault", lamports: 7n }],
};
const handOver: HandOverCost = {
  networkFeeLamports: 5_000n,
  rentLamports: 2_074_080n,
  createdAccounts: [account],
  givesRole: true,
  givesPosition: true,
  positionNfts: ["nft"],
  poolAddresses: ["curve", "pool"],
};
const launch: LaunchApproval = {
  tokenMint: "mint",
  poolAddress: "pool",
  tokenStandard: "spl",
  config: "config",
  metadataUri: "https://tokens.example/metadata/mint.json",
  firstBuyMinUnits: 7n,
  costSOL: { total: 1.05, rent: 0.02, networkFee: 0.01, creationFee: 0.02, firstBuy: 1 },
  creatorSharePercent: 99,
};

function leavesOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([key, of]) => leavesOf(of, [...path, key]));
}

function changed(
  value: unknown,
  path: readonly string[],
  change: (leaf: unknown) => unknown,
): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return change(value);
  const copy: object = Array.isArray(value) ? [...value] : { ...(value as object) };
  Reflect.set(copy, key, changed(Reflect.get(copy, key), rest, change));
  return copy;
}

const plus = (of: 1 | -1) => (leaf: unknown) =>
  typeof leaf === "bigint" ? leaf + BigInt(of) : (leaf as number) + of;

describe.each(Object.entries({ claim, handOver, launch }))("an approval of a %s", (_, approval) => {
  test("covers the same again", () => {
    expect(covers(approval, structuredClone(approval))).toBe(true);
  });

  test.each(leavesOf(approval).map((path) => [path.join("."), path] as const))(
    "covers no other %s",
    (name, path) => {
      const at = (change: (leaf: unknown) => unknown) =>
        covers(approval, changed(approval, path, change));
      expect(at(() => undefined)).toBe(false);
      expect(at(() => "other")).toBe(false);
      const leaf = path.reduce<unknown>((of, key) => Reflect.get(of as object, key), approval);
      if (typeof leaf === "boolean") expect(at(() => !leaf)).toBe(false);
      if (typeof leaf !== "bigint" && typeof leaf !== "number") return;
      const isCost = /fee|rent|repaid|account|cost/i.test(name);
      expect([at(plus(-1)), at(plus(1))]).toEqual([isCost, name.startsWith("receivers")]);
    },
  );

  test.each(Object.keys(approval))(
    "covers none without %s, with more of it, or beside more",
    (key) => {
      const { [key]: value, ...others } = approval as unknown as Record<string, unknown>;
      expect(covers(approval, others)).toBe(false);
      expect(covers(others, approval)).toBe(false);
      if (!Array.isArray(value)) return;
      expect(covers(approval, { ...others, [key]: [...value, value[0]] })).toBe(false);
      expect(covers(approval, { ...others, [key]: value.slice(1) })).toBe(false);
    },
  );
});

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
  const wrong = new ClaimReceiptError("receipt_mismatch", "wrong", {
    transactionHash: "hash",
    receipt: receipt as never,
    cause: limit,
  });
  expect(JSON.parse(JSON.stringify(wrong))).toMatchObject({ cause: message, receipt });
});

test("only a 502 with a code says that the chain refused: a gateway may answer in JSON without one", () => {
  const unknown = (status: number, body: unknown) =>
    hasUnknownOutcome(toApiError({ status, body, requestId: null, retryAfter: null }));
  expect(unknown(502, { error: "No", code: "hand_over_refused" })).toBe(false);
  expect(unknown(502, { error: "Bad Gateway" })).toBe(true);
  expect(unknown(502, "<html>")).toBe(true);
  expect(unknown(503, { error: "No", code: "draining" })).toBe(true);
  expect(unknown(409, { error: "No" })).toBe(false);
});

test("an earlier approval covers no higher cost, and no second signature", async () => {
  let fee = 2n;
  const asked: bigint[] = [];
  const approve = ({ networkFeeLamports }: { networkFeeLamports: bigint }) =>
    void asked.push(networkFeeLamports);
  const transaction = Buffer.from(build(localClaim())).toString("base64");
  const refused = { status: 409, body: { error: "late", code: "claim_expired" } };
  const order = {
    ...({ what: "claim", signer: keypairSigner(agent), outdated: ["claim_expired"] } as const),
    prepare: async () => ({ transaction, expiresInSeconds: 60 }),
    check: async () => ({ networkFeeLamports: fee }),
    submit: () => Promise.reject(toApiError({ ...refused, requestId: null, retryAfter: null })),
  };
  const before = await approvedOffer(order, {});
  await expect(signAndSubmit(order, { approve }, before)).rejects.toThrow("late");
  expect(asked).toEqual([2n]);
  fee = 3n;
  await approvedOffer(order, { approve }, before);
  expect(asked).toEqual([2n, 3n]);
});
