import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Sandbox, SandboxOrder } from "../launchpad/local/sandbox.ts";
import { insertToken } from "../testing/launches.ts";
import { type TempStore, tempStore } from "../testing/temp-store.ts";
import { devMarket } from "./dev.ts";

let temp: TempStore;
let airdrops: bigint[];
let orders: SandboxOrder[];
let sandbox: Sandbox;
let dev: ReturnType<typeof devMarket>;
beforeEach(async () => {
  temp = tempStore();
  await insertToken(temp, "ONE", { wallet: "agent" });
  airdrops = [];
  orders = [];
  const trade = {
    signature: "signature",
    tokens: 2n ** 60n,
    creatorFeeLamports: 5_000n,
    isMigrated: false,
  };
  sandbox = {
    airdrop: async (_, lamports) => {
      airdrops.push(lamports);
      return "signature";
    },
    trade: async (order) => {
      orders.push(order);
      return trade;
    },
    graduate: async () => ({ ...trade, isMigrated: true }),
    rpc: async () => new Response(),
  };
  dev = devMarket(sandbox, temp.store.tokens);
});
afterEach(() => temp[Symbol.dispose]());

describe("amounts", () => {
  test.each([
    [1, 1_000_000_000n],
    [0.1, 100_000_000n],
    ["0.000000001", 1n],
    [100_000, 100_000_000_000_000n],
    ["1.5", 1_500_000_000n],
  ])("%j SOL are %p lamports", async (sol, lamports) => {
    expect(await dev.airdrop("wallet", sol)).toEqual({
      success: true,
      signature: "signature",
      wallet: "wallet",
      sol: Number(sol),
    });
    expect(airdrops).toEqual([lamports]);
  });

  test.each([
    0,
    -1,
    100_000.1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1e21,
    "",
    "1e3",
    "0",
    "x",
    "1.0000000001",
    1e-10,
  ])("the amount %j is refused", async (sol) => {
    await expect(dev.airdrop("wallet", sol)).rejects.toMatchObject({
      wireCode: "validation_failed",
      details: [
        {
          field: "sol",
          message: "must be more than 0 and at most 100000, with at most 9 decimals",
        },
      ],
    });
    expect(airdrops).toEqual([]);
  });
});

test("a trade is reported in SOL and whole base units", async () => {
  expect(await dev.trade("mint-ONE", "buy", 0.25)).toEqual({
    success: true,
    signature: "signature",
    side: "buy",
    sol: 0.25,
    tokens: "1152921504606846976",
    creatorFeeSOL: 0.000005,
    isMigrated: false,
  });
  expect(orders).toEqual([
    { tokenMint: "mint-ONE", poolAddress: "pool-ONE", side: "buy", lamports: 250_000_000n },
  ]);
  expect(await dev.graduate("mint-ONE")).toEqual({
    success: true,
    signature: "signature",
    isMigrated: true,
  });
});
