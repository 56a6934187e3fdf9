import { expect, test } from "bun:test";
import { networkOf } from "./clusters.ts";

test.each([
  ["5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d", "mainnet-beta"],
  ["EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG", "devnet"],
  ["4uhcVJyU9pJkvQyS88uRDiswHXSGkY3zQawwpoCCXh8x", "testnet"],
  ["11111111111111111111111111111111", "private"],
] as const)("the cluster of the genesis hash %s is called %s", (genesis, network) => {
  expect(networkOf(genesis)).toBe(network);
});
