import { expect, test } from "bun:test";
import type { Sandbox, SandboxOrder } from "../launchpad/local/sandbox.ts";
import { takeLaunch } from "../testing/launches.ts";
import { NO_SANDBOX, testApp } from "../testing/test-app.ts";

const TOKEN = { tokenMint: "So11111111111111111111111111111111111111112", poolAddress: "pool" };

test("a trade is reported in SOL and whole base units", async () => {
  const orders: SandboxOrder[] = [];
  const trade = {
    signature: "signature",
    tokens: 2n ** 60n,
    creatorFeeLamports: 5_000n,
    isMigrated: false,
  };
  const sandbox: Sandbox = {
    ...NO_SANDBOX,
    trade: async (order) => {
      orders.push(order);
      return trade;
    },
    graduate: async () => ({ ...trade, isMigrated: true }),
  };
  using at = await testApp(sandbox);
  const leaseId = "lease";
  const launch = await takeLaunch(at, "ONE", { leaseId });
  await at.store.launches.succeed(launch, { leaseId }, TOKEN);
  const send = async (path: string, json: object) =>
    (await at.send("POST", path, { json: { tokenMint: TOKEN.tokenMint, ...json } })).json();
  expect(await send("/dev/trade", { side: "buy", sol: 0.25 })).toEqual({
    success: true,
    signature: "signature",
    side: "buy",
    sol: 0.25,
    tokens: "1152921504606846976",
    creatorFeeSOL: 0.000005,
    isMigrated: false,
  });
  expect(orders).toEqual([{ ...TOKEN, side: "buy", lamports: 250_000_000n }]);
  expect(await send("/dev/graduate", {})).toEqual({
    success: true,
    signature: "signature",
    isMigrated: true,
  });
});
