import { afterEach, beforeEach, expect, test } from "bun:test";
import { decodeCursor } from "../../http/parameters.ts";
import { ChainUnavailableError } from "../../launchpad/errors.ts";
import type { FeeTotals, TokenFees } from "../../launchpad/pool-program.ts";
import { WHOLE_LIST } from "../../store/testing/rows.ts";
import { insertToken } from "../../testing/launches.ts";
import { ScriptedLaunchpad } from "../../testing/scripted-launchpad.ts";
import { type TempStore, tempStore } from "../../testing/temp-store.ts";
import { listClaims } from "./list.ts";

let temp: TempStore;
let chain: ScriptedLaunchpad;
beforeEach(async () => {
  temp = tempStore();
  chain = new ScriptedLaunchpad();
  const { clock } = temp;
  for (const ticker of ["ONE", "TWO", "THREE"]) {
    await insertToken(temp, ticker);
    clock.advance(86_400_000);
  }
});
afterEach(() => temp[Symbol.dispose]());

const list = (...asked: [wallet: string, page: Parameters<typeof listClaims>[2]]) =>
  listClaims({ store: temp.store, chain }, ...asked);

const totals = (claimable: bigint, claimed: bigint): FeeTotals => ({
  claimable,
  claimed,
  total: claimable + claimed,
});

const fees = (lamports: bigint): TokenFees => ({
  bondingCurve: totals(lamports, 1n),
  liquidityPool: totals(2n, 3_000_000n),
  isMigrated: lamports > 1n,
});

test("the list has the fees of every token in SOL, newest first", async () => {
  const known = new Map([
    ["mint-ONE", fees(1n)],
    ["mint-TWO", fees(2_000_000_000n)],
    ["mint-THREE", fees(0n)],
  ]);
  chain.readFees = async (agent, tokens) => {
    expect(agent).toBe("agent");
    return tokens.map(({ tokenMint }) => known.get(tokenMint) ?? fees(99n));
  };
  const { claims } = await list("agent", WHOLE_LIST);
  expect(claims.map(({ tokenMint }) => tokenMint)).toEqual(["mint-THREE", "mint-TWO", "mint-ONE"]);
  expect(claims[1]).toEqual({
    tokenMint: "mint-TWO",
    poolAddress: "pool-TWO",
    ticker: "TWO",
    claimableSOL: 2.000000002,
    dbcClaimableFees: 2,
    dbcTotalFees: 2.000000001,
    dbcClaimedFees: 0.000000001,
    lpClaimableFees: 0.000000002,
    lpTotalFees: 0.003000002,
    lpClaimedFees: 0.003,
    claimedElsewhere: 0.003000001,
    isMigrated: true,
  });
  expect(claims[2]).toMatchObject({ dbcClaimableFees: 1e-9, isMigrated: false });
});

test("a token that cannot be read hides no other token, in the list and on pages, which read their own tokens", async () => {
  const reason = "The pool pool-TWO was not found";
  const asked: number[] = [];
  chain.readFees = async (_, tokens) => {
    asked.push(tokens.length);
    return tokens.map(({ tokenMint }) =>
      tokenMint === "mint-TWO" ? { unreadable: reason } : fees(BigInt(tokenMint.length)),
    );
  };
  const unreadable = [{ tokenMint: "mint-TWO", ticker: "TWO", error: reason }];
  const whole = await list("agent", WHOLE_LIST);
  expect(whole.claims.map(({ ticker, dbcClaimableFees }) => [ticker, dbcClaimableFees])).toEqual([
    ["THREE", 1e-8],
    ["ONE", 8e-9],
  ]);
  expect(whole.unreadable).toEqual(unreadable);
  const pages = [];
  let cursor: string | undefined;
  do {
    const page = await list("agent", {
      limit: 1,
      before: decodeCursor(cursor ?? "") ?? null,
    });
    pages.push([page.claims.map(({ ticker }) => ticker), page.unreadable]);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  expect(pages).toEqual([
    [["THREE"], undefined],
    [[], unreadable],
    [["ONE"], undefined],
  ]);
  expect(asked).toEqual([3, 1, 1, 1]);
});

test("the list is unavailable while the chain is", async () => {
  chain.readFees = () => Promise.reject(new ChainUnavailableError("No answer"));
  await expect(list("agent", WHOLE_LIST)).rejects.toMatchObject({
    wireCode: "chain_unavailable",
    message: "No answer",
    retryAfterSeconds: 5,
  });
});
