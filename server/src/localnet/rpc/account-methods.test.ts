import { describe, expect, test } from "bun:test";
import { Keypair, PublicKey, SystemProgram } from "@solana/web3.js";
import bs58 from "bs58";
import { openTestChain, rpcRequest, SOL } from "../testing/local-chain.ts";
import { createRpcHandler } from "./handler.ts";

const program = PublicKey.unique();

/** Three accounts of one program, of 3, 3 and 5 bytes. */
function withAccounts() {
  const test = openTestChain();
  const accounts = [
    [1, 2, 3],
    [1, 9, 9],
    [7, 7, 7, 7, 7],
  ].map((data) => ({ address: PublicKey.unique(), data: Uint8Array.from(data) }));
  for (const { address, data } of accounts) {
    test.chain.setAccount(address, { lamports: SOL, owner: program, data });
  }
  const [first, second, third] = accounts.map(({ address }) => address);
  if (!first || !second || !third) throw new Error("three accounts were made");
  return { ...test, first, second, third };
}

describe("getAccountInfo", () => {
  test("returns an account, or null if it does not exist", async () => {
    const { connection, first } = withAccounts();
    expect(await connection.getAccountInfo(first)).toMatchObject({
      lamports: Number(SOL),
      owner: program,
      data: Buffer.from([1, 2, 3]),
      executable: false,
    });
    expect(await connection.getAccountInfo(PublicKey.unique())).toBeNull();
  });

  test("returns the data in base58 or base64, on request compressed or a slice of it, and not parsed", async () => {
    const { rpc, third } = withAccounts();
    const data = async (config: object) =>
      (await rpc("getAccountInfo", third.toBase58(), config)).result.value.data;
    const bytes = Buffer.from([7, 7, 7, 7, 7]);
    expect(await data({})).toBe(bs58.encode(bytes));
    expect(await data({ encoding: "base58" })).toEqual([bs58.encode(bytes), "base58"]);
    expect(await data({ encoding: "base64" })).toEqual([bytes.toString("base64"), "base64"]);
    const [zstd] = await data({ encoding: "base64+zstd" });
    expect(Bun.zstdDecompressSync(Buffer.from(zstd, "base64"))).toEqual(bytes);
    const parsed = await rpc("getAccountInfo", third.toBase58(), { encoding: "jsonParsed" });
    expect(parsed.error?.message).toContain("jsonParsed is not offered");
    const dataSlice = { offset: 1, length: 2 };
    expect(await data({ encoding: "base64", dataSlice })).toEqual([
      Buffer.from([7, 7]).toString("base64"),
      "base64",
    ]);
  });

  test("writes integers exactly, also those that a double cannot hold", async () => {
    const { chain } = openTestChain();
    const address = PublicKey.unique();
    chain.setAccount(address, { lamports: 2n ** 53n + 1n, owner: SystemProgram.programId });
    const params = [address.toBase58(), { encoding: "base64" }];
    const call = { jsonrpc: "2.0", id: 1, method: "getAccountInfo", params };
    const answer = await createRpcHandler(chain)(rpcRequest(JSON.stringify(call)));
    const text = await answer.text();
    expect(text).toContain('"lamports":9007199254740993,');
    expect(text).toContain('"rentEpoch":18446744073709551615,');
  });

  test("refuses a text that is not an address", async () => {
    const { rpc } = openTestChain();
    expect((await rpc("getAccountInfo", "nope")).error).toEqual({
      code: -32602,
      message: "Invalid param: WrongSize",
    });
    expect((await rpc("getAccountInfo", "0OIl")).error).toEqual({
      code: -32602,
      message: "Invalid param: Invalid",
    });
    expect((await rpc("getAccountInfo")).error?.code).toBe(-32602);
  });
});

describe("getMultipleAccounts", () => {
  test("returns accounts in the order of the request, and null for missing ones", async () => {
    const { connection, first, third } = withAccounts();
    const missing = PublicKey.unique();
    const found = await connection.getMultipleAccountsInfo([third, missing, first]);
    expect(found.map((account) => account?.data.length ?? null)).toEqual([5, null, 3]);
  });

  test("accepts 100 addresses and not 101", async () => {
    const { rpc } = openTestChain();
    const addresses = Array.from({ length: 101 }, () => PublicKey.unique().toBase58());
    expect((await rpc("getMultipleAccounts", addresses)).error).toEqual({
      code: -32602,
      message: "Too many inputs provided; max 100",
    });
    expect((await rpc("getMultipleAccounts", addresses.slice(1))).result.value).toHaveLength(100);
  });
});

describe("getProgramAccounts", () => {
  test("returns all accounts of a program", async () => {
    const { connection } = withAccounts();
    expect(await connection.getProgramAccounts(program)).toHaveLength(3);
    expect(await connection.getProgramAccounts(PublicKey.unique())).toEqual([]);
  });

  test("filters by size and by bytes, and slices the data", async () => {
    const { connection, rpc, first, second, third } = withAccounts();
    const bySize = await connection.getProgramAccounts(program, { filters: [{ dataSize: 5 }] });
    expect(bySize.map(({ pubkey }) => pubkey)).toEqual([third]);
    const memcmp = { offset: 0, bytes: bs58.encode([1]) };
    const byByte = await connection.getProgramAccounts(program, {
      filters: [{ memcmp }],
      dataSlice: { offset: 1, length: 1 },
    });
    expect(byByte.map(({ pubkey }) => pubkey.toBase58()).toSorted()).toEqual(
      [first, second].map((address) => address.toBase58()).toSorted(),
    );
    expect(byByte.map(({ account }) => account.data[0]).toSorted()).toEqual([2, 9]);
    const base64 = { offset: 1, bytes: Buffer.from([9, 9]).toString("base64"), encoding: "base64" };
    const { result } = await rpc("getProgramAccounts", program.toBase58(), {
      encoding: "base64",
      filters: [{ memcmp: base64 }],
      withContext: true,
    });
    expect(result.value.map(({ pubkey }: { pubkey: string }) => pubkey)).toEqual([
      second.toBase58(),
    ]);
  });

  test("refuses invalid filters", async () => {
    const { rpc } = openTestChain();
    const call = async (filters: unknown) =>
      (await rpc("getProgramAccounts", program.toBase58(), { filters })).error?.code;
    expect(await call([{ dataSize: -1 }])).toBe(-32602);
    expect(await call([{ unheard: 1 }])).toBe(-32602);
    expect(await call(Array(4).fill({ dataSize: 5 }))).toBeUndefined();
    expect(await call(Array(5).fill({ dataSize: 5 }))).toBe(-32602);
  });
});

test("getAccountInfo reads the Clock sysvar", async () => {
  const { connection } = openTestChain();
  const clock = await connection.getAccountInfo(
    new PublicKey("SysvarC1ock11111111111111111111111111111111"),
  );
  expect(clock?.data.readBigUInt64LE(0)).toBe(1_001n);
});

test("getBalance returns 0 for an address without an account", async () => {
  const { connection } = openTestChain();
  expect(await connection.getBalance(Keypair.generate().publicKey)).toBe(0);
  expect(await connection.getBalance(SystemProgram.programId)).toBe(1);
});
