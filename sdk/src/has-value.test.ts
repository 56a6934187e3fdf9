import { expect, test } from "bun:test";
import { build, localClaim, meteoraClaims } from "../test/claim-transactions.ts";
import { TokenctlClient } from "./client.ts";

const MAINNET = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d";
const marked = Buffer.from(build(localClaim())).toString("base64");
const real = meteoraClaims.curve;

/** Returns a client of a server with this network, and of a node with this genesis hash, if any. */
function clientOf(network: string, genesis?: string, rpcUrl = "http://127.0.0.1:8899") {
  const [apiUrl, own] = rpcUrl.split("/dev/rpc");
  return new TokenctlClient({
    apiUrl: own === undefined ? "https://tokens.example" : apiUrl,
    ...(genesis !== undefined && { rpcUrl }),
    fetch: async (url) =>
      Response.json(
        url.startsWith(rpcUrl)
          ? { result: genesis }
          : { ok: true, db: "connected", timestamp: "now", network },
      ),
  });
}

test.each<[string, string, string | undefined, boolean, boolean]>([
  ["without a node its bytes decide", "sandbox", undefined, true, false],
  ["without a node it never is by the server's word", "localnet", undefined, true, false],
  ["with a node of mainnet it has one", "localnet", MAINNET, true, false],
  [
    "with a node of no public cluster on this machine it has none",
    "mainnet-beta",
    "x",
    false,
    false,
  ],
])("whether SOL has a value: %s", async (_, network, genesis, ofReal, ofMarked) => {
  const client = clientOf(network, genesis);
  expect(await client.hasValue(real)).toBe(ofReal);
  expect(await client.hasValue(marked)).toBe(ofMarked);
});

test("a node elsewhere with a genesis hash of its own is a private chain, whose SOL may have a value", async () => {
  const client = clientOf("sandbox", "x", "https://node.example");
  expect(await client.network()).toBe("private");
  expect(await client.hasValue(real)).toBe(true);
});

test("the server's own node says no more than the server", async () => {
  for (const server of ["https://tokens.example", "http://127.0.0.1:8787"]) {
    const client = clientOf("sandbox", "x", `${server}/dev/rpc`);
    expect(await client.hasValue(real)).toBe(true);
  }
});

test("the chain is named by the node, and without one by the server", async () => {
  expect(await clientOf("sandbox", MAINNET).network()).toBe("mainnet-beta");
  expect(await clientOf("sandbox").network()).toBe("sandbox");
});
