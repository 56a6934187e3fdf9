import { expect, test } from "bun:test";
import { clientOf, RPC_WINDOW_MS, RpcShares } from "./shares.ts";

const SECOND_MS = 1_000;

/** Clients that ask as fast as they are answered; each of their requests makes eight of the RPC. */
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
  // Before there were shares, they caused 568.
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
    // What is asked after a wait counts too.
    await Promise.resolve();
    for (let times = 0; times < 300; times++) shares.count();
  });
  expect(shares.usedUp(client)).toBe("agent");
  now = RPC_WINDOW_MS;
  expect(shares.usedUp(client)).toBeNull();
});
