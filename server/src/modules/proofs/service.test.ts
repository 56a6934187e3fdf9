import { afterEach, beforeEach, expect, test } from "bun:test";
import { Keypair } from "@solana/web3.js";
import type { TokenProof } from "@tokenctl/shared/types";
import { ServiceError } from "../../base/service-error.ts";
import type { TokenMetadata, TokenWithLaunch } from "../../store/tokens.ts";
import { insertToken } from "../../testing/launches.ts";
import { type TempStore, tempStore } from "../../testing/temp-store.ts";
import { TokenProofs, tokenVerifier } from "./service.ts";

const MINUTE_MS = 60_000;

let at: TempStore;
let asked: string[];
let answer: () => Promise<void>;
let proofs: TokenProofs;
beforeEach(async () => {
  at = tempStore();
  asked = [];
  answer = async () => {};
  proofs = new TokenProofs(at.store, verify, { address: 1, network: 10 });
  await insertTokens(1, 8);
});
afterEach(() => at[Symbol.dispose]());

async function insertTokens(first: number, last: number): Promise<void> {
  for (let n = first; n <= last; n++) await insertToken(at, `T${n}`, { wallet: `w${n}` });
}

async function verify({ tokenMint }: { readonly tokenMint: string }): Promise<TokenProof> {
  asked.push(tokenMint);
  await answer();
  const addresses = { poolAddress: null, config: null, creator: null, liquidityPoolAddress: null };
  const named = { tokenMint, name: "Coin", symbol: "COIN" };
  return { ...named, passed: true, facts: [], ...addresses, metadataSha256: null };
}

const read = (count: number, address: string | null = null) =>
  proofs.read(`mint-T${count}`, address);

test("a token is checked once for all who ask at a time, and again after five minutes", async () => {
  const [first, second] = await Promise.all([read(1), read(1)]);
  expect(first).toEqual(second);
  expect(first.checkedAt).toBe(new Date(at.clock.now()).toISOString());
  at.clock.advance(5 * MINUTE_MS - 1);
  expect(await read(1)).toEqual(first);
  expect(asked).toHaveLength(1);
  at.clock.advance(1);
  expect((await read(1)).checkedAt).not.toBe(first.checkedAt);
  expect(asked).toHaveLength(2);
});

test("a token that could not be checked is left alone for a while, and the cause is not shown", async () => {
  answer = () => Promise.reject(new Error("https://node.example/?key=secret"));
  for (let times = 0; times < 2; times++) {
    const error = await read(1).catch((thrown) => thrown);
    expect(error).toMatchObject({ wireCode: "chain_unavailable", retryAfterSeconds: 15 });
    expect(error.message).not.toContain("secret");
  }
  expect(asked).toHaveLength(1);
  answer = () => Promise.reject(new ServiceError("database_unavailable"));
  at.clock.advance(15_000);
  await expect(read(1)).rejects.toMatchObject({ wireCode: "database_unavailable" });
  answer = async () => {};
  at.clock.advance(15_000);
  expect(await read(1)).toMatchObject({ proof: { passed: true } });
});

test("an address has two tokens checked in half a minute, reads what is new, and takes no other's share", async () => {
  const network = ["192.0.2.1", "192.0.2.2"] as const;
  for (let count = 1; count <= 2; count++) await read(count, network[0]);
  await read(1, network[0]);
  for (const address of network) {
    await expect(read(7, address)).rejects.toMatchObject({ wireCode: "share_used" });
  }
  await read(7, "198.51.100.1");
  at.clock.advance(30_000);
  await read(8, network[0]);
});

test("60 requests from 10 networks use up all places for half a minute", async () => {
  // They once used up the places for five minutes.
  await insertTokens(9, 59);
  let checked = 0;
  for (let count = 1; count <= 59; count++) {
    const answer = read(count, `10.0.${count % 10}.${count}`);
    checked += await answer.then(
      () => 1,
      () => 0,
    );
  }
  expect(checked).toBe(20);
  await expect(read(59, "203.0.113.1")).rejects.toMatchObject({ wireCode: "too_many_requests" });
  at.clock.advance(30_000);
  await read(59, "203.0.113.1");
});

test("a check that hangs holds up no place of others", async () => {
  const hanging = Promise.withResolvers<void>();
  answer = () => hanging.promise;
  const waiting = read(1, "198.51.100.1");
  answer = async () => {};
  for (let count = 2; count <= 3; count++) await read(count, "192.0.2.1");
  at.clock.advance(30_000);
  await read(8, "192.0.2.1");
  hanging.resolve();
  await waiting;
});

test("a check that hangs keeps its place, and a token that is not of the service gets none", async () => {
  const hanging = Promise.withResolvers<void>();
  answer = () => hanging.promise;
  const waiting = read(1, "192.0.2.1");
  at.clock.advance(10 * MINUTE_MS);
  const later = read(1, "192.0.2.1");
  hanging.resolve();
  expect(await later).toEqual(await waiting);
  expect(asked).toHaveLength(1);
  await expect(proofs.read("mint-NONE", null)).rejects.toMatchObject({
    wireCode: "token_not_found",
  });
});

const ownUrl = "https://tokens.example";
const mint = Keypair.generate().publicKey;

const text = (value: string) => [value.length, 0, 0, 0, ...Buffer.from(value)];

const mintAccount = Buffer.alloc(82);
mintAccount[45] = 1;
const own = `${ownUrl}/metadata/${mint}.json`;
const metadataAccount = (uri: string) =>
  Buffer.from([
    ...[4, ...Buffer.alloc(32), ...mint.toBytes()],
    ...["Coin", "COIN", uri].flatMap(text),
    ...[0, 0, 0, 0, 0],
  ]);

const account = (owner: string, data: Buffer) => ({
  lamports: 1,
  owner,
  data: [data.toString("base64"), "base64"],
});

/** Verifies a token whose pool the chain does not show. */
async function verdictOf(metadata: () => Promise<TokenMetadata | null>, uri = own) {
  const shown = [
    account("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", mintAccount),
    account("metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s", metadataAccount(uri)),
  ];
  const verifier = tokenVerifier({
    askRpc: async (_, [addresses]) => ({
      value: (addresses as string[]).map((_, index) => shown[index] ?? null),
    }),
    tokens: { metadata },
    ownUrl,
  });
  const token = { tokenMint: String(mint), poolAddress: String(mint), poolTerms: null };
  const { facts } = await verifier(token as TokenWithLaunch);
  return facts.find(({ name }) => name === "metadata");
}

test("a document fails if the service has none, but not while its database does not answer", async () => {
  expect(await verdictOf(async () => null)).toMatchObject({ verdict: "wrong" });
  const down = () => Promise.reject(new ServiceError("database_unavailable"));
  await expect(verdictOf(down)).rejects.toMatchObject({ wireCode: "database_unavailable" });
});

test("a document at any other address is not taken for the service's own", async () => {
  const metadata = async () => ({ name: "Coin", ticker: "COIN" }) as TokenMetadata;
  expect(await verdictOf(metadata)).toMatchObject({ verdict: "safe" });
  for (const uri of [
    `${own}?v=2`,
    own.replace(String(mint), "other"),
    own.replace("https:", "http:"),
    own.replace(".example", ".example.org"),
    own.replace("tokens.", "tokens.example@"),
    `https://elsewhere.example/${own}`,
  ]) {
    expect(await verdictOf(metadata, uri)).toMatchObject({ verdict: "unknown" });
  }
});
