import { expect, test } from "bun:test";
import { networkOf } from "@tokenctl/shared/clusters";
import { orLocalnet } from "./health.ts";

test.each([
  ["5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d", "mainnet-beta"],
  ["EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG", "devnet"],
  ["4uhcVJyU9pJkvQyS88uRDiswHXSGkY3zQawwpoCCXh8x", "testnet"],
  ["11111111111111111111111111111111", "private"],
] as const)("the cluster of the genesis hash %s is called %s", (genesis, network) => {
  expect(networkOf(genesis)).toBe(network);
});

test("a private network is a localnet if all of its nodes are on this machine", () => {
  const here = ["http://127.0.0.1:8899", "http://[::1]:8899", "http://localhost:8899"];
  expect(orLocalnet("private", here)).toBe("localnet");
  expect(orLocalnet("private", [...here, "https://rpc.example"])).toBe("private");
  expect(orLocalnet("mainnet-beta", here)).toBe("mainnet-beta");
  expect(orLocalnet(null, here)).toBe(null);
});
