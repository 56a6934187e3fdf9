import { expect, test } from "bun:test";
import { NOT_PAUSED } from "../../http/endpoint.ts";
import { type TempStore, tempStore } from "../../testing/temp-store.ts";
import { LaunchGate } from "./refusals.ts";
import { LaunchService } from "./service.ts";

const request = { name: "A token", ticker: "ONE" };

/** A gate for wallets that hold these lamports and must hold 20,000,000. */
function gateFor(balances: Record<string, bigint>, reads: string[][] = []) {
  return new LaunchGate(NOT_PAUSED, {
    minLamports: 20_000_000n,
    read: async (wallets) => {
      reads.push([...wallets]);
      return wallets.map((wallet) => balances[wallet] ?? 0n);
    },
  });
}

function serviceWith({ store }: TempStore, gate: LaunchGate): LaunchService {
  return new LaunchService(store, () => {}, { gate });
}

test("a wallet that holds too little is refused and told how much is missing", async () => {
  using temp = tempStore();
  const gate = gateFor({ rich: 20_000_000n, poor: 19_999_999n });
  const service = serviceWith(temp, gate);
  expect(await service.register("rich", request)).toMatchObject({ success: true });
  await expect(service.register("poor", { ...request, ticker: "TWO" })).rejects.toMatchObject({
    wireCode: "agent_balance_low",
    facts: { requiredSOL: 0.02, balanceSOL: 0.019999999 },
    advice: expect.stringContaining("0.000000001 SOL to poor"),
  });
});

test("launches that arrive together cost one read of all their wallets", async () => {
  const reads: string[][] = [];
  const gate = gateFor({}, reads);
  await Promise.all(["a", "b", "c"].map((wallet) => gate.objection(wallet)));
  expect(reads).toEqual([["a", "b", "c"]]);
});

test("a balance that cannot be read is no objection: the worker looks again", async () => {
  const read = () => Promise.reject(new Error("no node answers"));
  const gate = new LaunchGate(NOT_PAUSED, { minLamports: 1n, read });
  expect(await gate.objection("agent")).toBeNull();
});

test("all objections are named at once, as launches are refused for them one after another", async () => {
  const gate = new LaunchGate(() => "maintenance", {
    minLamports: 1n,
    read: async ([wallet]) => [wallet === "rich" ? 1n : 0n],
  });
  const objections = async (wallet: string) =>
    (await gate.objections(wallet)).map(({ code }) => code);
  expect(await objections("agent")).toEqual(["paused", "agent_balance_low"]);
  expect(await objections("rich")).toEqual(["paused"]);
});
