import { describe, expect, spyOn, test } from "bun:test";
import { PublicKey } from "@solana/web3.js";
import { openTestChain, rpcRequest, SOL } from "../testing/local-chain.ts";
import { createRpcHandler } from "./handler.ts";
import { Allowance } from "./method.ts";

const MIB = 1_024 * 1_024;
/** The account with the binary of the SPL Token program, 100 KB. */
const TOKEN_BINARY = "3gvYRKWyXRR9xKWe1ZjPhLY5ZJRN7KDB4rFZFGoJfFk2";
const BASE64 = { encoding: "base64" };

const { chain } = openTestChain();
const handle = createRpcHandler(chain);

interface Reply {
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string };
}

const call = (method: string, ...params: unknown[]) => ({ jsonrpc: "2.0", id: 1, method, params });

async function post(body: unknown): Promise<{ bytes: number; answer: Reply & Reply[] }> {
  const text = await (await handle(rpcRequest(JSON.stringify(body)))).text();
  return { bytes: text.length, answer: JSON.parse(text) };
}

function fill(count: number, bytes: number): PublicKey {
  const owner = PublicKey.unique();
  for (let index = 0; index < count; index++) {
    const data = new Uint8Array(bytes).fill(index);
    chain.setAccount(PublicKey.unique(), { lamports: SOL, owner, data });
  }
  return owner;
}

describe("a request", () => {
  test("of 43 KB for 900 copies of a program gets at most 16 MiB, and the reason", async () => {
    const addresses = Array.from({ length: 100 }, () => TOKEN_BINARY);
    const batch = Array.from({ length: 9 }, () => call("getMultipleAccounts", addresses, BASE64));
    expect(JSON.stringify(batch).length).toBeGreaterThan(42_000);
    const { bytes, answer } = await post(batch);
    expect(bytes).toBeLessThan(17 * MIB);
    expect(answer).toHaveLength(9);
    expect(answer.at(-1)?.error).toEqual({
      code: -32600,
      message: "The answer would be larger than 16777216 bytes: request less at a time",
    });
  });

  test("for less than 16 MiB in all is answered completely", async () => {
    const asked = Array.from({ length: 10 }, () => TOKEN_BINARY);
    const { answer } = await post(call("getMultipleAccounts", asked, BASE64));
    expect(answer.result.value).toHaveLength(10);
  });

  test("for the largest possible account is answered", async () => {
    const owner = fill(1, 10 * MIB);
    const { answer } = await post(call("getProgramAccounts", owner.toBase58(), BASE64));
    expect(answer.result).toHaveLength(1);
    expect(answer.result[0].account.space).toBe(10 * MIB);
  });

  test("for too many bytes of a program's accounts is refused, for fewer answered", async () => {
    const owner = fill(7, 2 * MIB).toBase58();
    const { bytes, answer } = await post(call("getProgramAccounts", owner, BASE64));
    expect(answer.error?.message).toContain("request less at a time");
    expect(bytes).toBeLessThan(1_000);
    // Data that is read counts, also if the slice leaves it out.
    const slice = { ...BASE64, dataSlice: { offset: 0, length: 0 } };
    const sliced = await post(call("getProgramAccounts", owner, slice));
    expect(sliced.answer.error?.message).toContain("request less at a time");
    const filters = [{ memcmp: { offset: 0, bytes: "3" } }];
    const some = await post(call("getProgramAccounts", owner, { ...BASE64, filters }));
    expect(some.answer.result).toHaveLength(1);
  });

  test("names at most 1,000 addresses and signatures in all its lists", async () => {
    const named = Array.from({ length: 100 }, () => PublicKey.default.toBase58());
    const calls = Array.from({ length: 10 }, () =>
      call("getMultipleAccounts", named.slice(0, 97), BASE64),
    );
    const signature = "1".repeat(64);
    const statuses = (count: number) =>
      call(
        "getSignatureStatuses",
        Array.from({ length: count }, () => signature),
      );
    const { answer } = await post([...calls, statuses(30), statuses(1)]);
    expect(answer.slice(0, 11).filter(({ error }) => error)).toEqual([]);
    expect(answer[11]?.error).toEqual({
      code: -32600,
      message: "The request names more than 1000 addresses or signatures: split it",
    });
  });

  test("holds at most 100 calls", async () => {
    const calls = Array.from({ length: 101 }, () => call("getHealth"));
    expect((await post(calls.slice(1))).answer).toHaveLength(100);
    expect((await post(calls)).answer).toMatchObject({ error: { code: -32600 }, id: null });
  });

  test("of many calls lets other requests be answered in between", async () => {
    let time = 0;
    using _clock = spyOn(performance, "now").mockImplementation(() => time++);
    const drop = call("requestAirdrop", PublicKey.unique().toBase58(), 1_000_000_000);
    const before = chain.transactions.count();
    const [many, one] = await Promise.all([
      post(Array.from({ length: 100 }, () => drop)),
      post(call("getEpochInfo")),
    ]);
    expect(many.answer).toHaveLength(100);
    expect(one.answer.result.transactionCount).toBeGreaterThan(before);
    expect(one.answer.result.transactionCount).toBeLessThan(before + 100);
  });
});

test("a request scans at most 100,000 accounts, all calls together", () => {
  const allowance = new Allowance();
  const account = {
    address: PublicKey.default.toBytes(),
    account: {
      lamports: 1n,
      data: new Uint8Array(),
      owner: PublicKey.default.toBytes(),
      executable: false,
      rentEpoch: 0n,
    },
  };
  let seen = 0;
  const scan = (count: number) => {
    for (const _ of allowance.scan(Array.from({ length: count }, () => account))) seen += 1;
  };
  scan(60_000);
  expect(() => scan(60_000)).toThrow("more than 100000 accounts");
  expect(seen).toBe(100_000);
});
