import { describe, expect, test } from "bun:test";
import {
  clientOf,
  networkOf,
  RPC_WINDOW_MS,
  RpcShares,
  type SharePlace,
  SharePool,
  sharesOf,
  usedUpShare,
} from "./shares.ts";

const NONE = Number.POSITIVE_INFINITY;
const DEFAULTS = { address: 1, network: 10 };

test.each([
  ["192.0.2.7", "192.0.2.0/24"],
  ["192.0.2.255", "192.0.2.0/24"],
  ["2001:db8:0:7::/64", "2001:db8:0::/48"],
  ["0:0:0:0::/64", "0:0:0::/48"],
])("the network of %s is %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test.each([
  ["an address has 1 % and a network 10 %", 10_000, NONE, DEFAULTS, [100, 1_000]],
  ["no share is below one", 5, NONE, DEFAULTS, [1, 1]],
  ["an address may hold what one agent may hold", 100, 8, DEFAULTS, [8, 10]],
  ["a network may hold what one address may hold", 20, 8, DEFAULTS, [8, 8]],
  ["nothing may hold more than the total", 4, 8, DEFAULTS, [4, 4]],
  ["without a total there are none", NONE, 8, DEFAULTS, [NONE, NONE]],
  ["a percentage of 0 is no limit", 1_000, 2, { address: 0, network: 0 }, [1_000, 1_000]],
  [
    "a network has its own if an address has none",
    1_000,
    2,
    { address: 0, network: 10 },
    [1_000, 100],
  ],
] as const)("of the shares of a total %s", (_, total, ofAgent, percents, [address, network]) => {
  const shares = sharesOf(total, ofAgent, percents);
  expect(shares).toEqual({ total, agent: Math.min(total, ofAgent), address, network });
});

test("the level that is used up is named, the narrowest first", () => {
  const shares = { agent: 1, address: 2, network: 3, total: 4 };
  const used = { agent: 1, address: 2, network: 3, total: 4 };
  expect(usedUpShare(used, shares)).toBe("agent");
  expect(usedUpShare({ ...used, agent: 0 }, shares)).toBe("address");
  expect(usedUpShare({ network: 3, total: 4 }, shares)).toBe("network");
  expect(usedUpShare({ network: 2, total: 4 }, shares)).toBe("total");
  expect(usedUpShare({ network: 2, total: 3 }, shares)).toBe(null);
  expect(usedUpShare({ network: 2, total: 3 }, shares, 2)).toBe("network");
});

describe("a pool", () => {
  const shares = sharesOf(20, 2, { address: 10, network: 20 });

  function taken(pool: SharePool, agent: string, address: string | null, amount = 1): SharePlace {
    const place = pool.take(clientOf(agent, address), amount);
    if (typeof place === "string") throw new Error(`no room: ${place}`);
    return place;
  }

  test("refuses what an agent, an address, a network or all together may not hold", () => {
    const pool = new SharePool(shares);
    for (const address of ["192.0.2.1", "198.51.100.1"]) taken(pool, "greedy", address);
    expect(pool.take(clientOf("greedy", "203.0.113.1"))).toBe("agent");
    taken(pool, "other", "192.0.2.1");
    expect(pool.take(clientOf("third", "192.0.2.1"))).toBe("address");
    taken(pool, "third", "192.0.2.2", 2);
    expect(pool.take(clientOf("fourth", "192.0.2.3"))).toBe("network");
    for (let n = 0; pool.total < 20; n++) taken(pool, `agent ${n}`, null);
    for (const address of ["203.0.113.1", null]) {
      expect(pool.take(clientOf("last", address))).toBe("total");
    }
  });

  test("what was refused holds nothing, and a place that grew is given back whole, and once", () => {
    const pool = new SharePool(shares);
    const client = clientOf("agent", "192.0.2.1");
    expect(pool.take(client, 3)).toBe("agent");
    expect(pool.used(client)).toEqual({ agent: 0, address: 0, network: 0, total: 0 });
    const place = taken(pool, "agent", "192.0.2.1");
    expect(place.grow(1)).toBe(null);
    expect(place.grow(1)).toBe("agent");
    expect(pool.used(client)).toEqual({ agent: 2, address: 2, network: 2, total: 2 });
    place[Symbol.dispose]();
    place[Symbol.dispose]();
    expect(pool.used(client)).toEqual({ agent: 0, address: 0, network: 0, total: 0 });
  });
});

const SECOND_MS = 1_000;

/** Clients that ask as fast as they get answers. Each request causes eight RPC requests. */
function flood(clients: readonly { readonly wallet: string; readonly address: string }[]) {
  let [now, refused] = [0, 0];
  const shares = new RpcShares({ address: 1, network: 10 }, () => now);
  const asked: number[] = [];
  for (; now < 60 * SECOND_MS; now += 100) {
    for (const { wallet, address } of clients) {
      const client = clientOf(wallet, address);
      if (shares.usedUp(client) !== null) {
        refused++;
        continue;
      }
      shares.answering(client, () => {
        for (let times = 0; times < 8; times++) {
          shares.count();
          asked.push(now);
        }
      });
    }
  }
  return { shares, perSecond: asked.length / 60, refused };
}

const wallets = Array.from({ length: 12 }, (_, index) => `w${index}`);

test("twelve wallets of one address cause at most 30 RPC requests a second, and others are served", () => {
  // Without shares, they caused 568.
  const { shares, perSecond, refused } = flood(
    wallets.map((wallet) => ({ wallet, address: "192.0.2.1" })),
  );
  expect(perSecond).toBeLessThan(31);
  expect(refused).toBeGreaterThan(0);
  expect(shares.usedUp(clientOf("other", "198.51.100.7"))).toBeNull();
});

test("a network of many addresses gets no more than one of its addresses", () => {
  const { perSecond } = flood(
    wallets.map((wallet, index) => ({ wallet, address: `192.0.2.${index}` })),
  );
  expect(perSecond).toBeLessThan(40);
});

test("a share is free again after ten seconds, and the service's own work counts for no one", async () => {
  let now = 0;
  const shares = new RpcShares({ address: 1, network: 10 }, () => now);
  const client = clientOf("w", "192.0.2.1");
  for (let times = 0; times < 5_000; times++) shares.count();
  expect(shares.usedUp(client)).toBeNull();
  await shares.answering(client, async () => {
    // RPC requests after a wait count too.
    await Promise.resolve();
    for (let times = 0; times < 300; times++) shares.count();
  });
  expect(shares.usedUp(client)).toBe("agent");
  now = RPC_WINDOW_MS;
  expect(shares.usedUp(client)).toBeNull();
});
