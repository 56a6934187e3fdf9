import { describe, expect, test } from "bun:test";
import { TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID } from "@solana/spl-token";
import { PublicKey, SystemProgram } from "@solana/web3.js";
import bs58 from "bs58";
import { createToken } from "../testing/instructions.ts";
import { openTestChain, rpcRequest, SOL, transfer } from "../testing/local-chain.ts";
import { REQUESTS, versionOneTransfer } from "../testing/version-1.ts";
import { createRpcHandler } from "./handler.ts";
import { Allowance } from "./method.ts";

// Compares values; `test/validator/recorded/` compares only types and keys.

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
const BASE64 = { encoding: "base64", commitment: "confirmed", preflightCommitment: "confirmed" };
const VERSIONS = { maxSupportedTransactionVersion: 1 };

test("accounts come in the order of the request, filtered, cut and with exact integers", async () => {
  const { chain, connection } = openTestChain();
  const program = PublicKey.unique();
  const [first, second, third] = [
    [1, 2, 3],
    [1, 9, 9],
    [7, 7, 7, 7, 7],
  ].map((data) => {
    const address = PublicKey.unique();
    chain.setAccount(address, { lamports: SOL, owner: program, data: Uint8Array.from(data) });
    return address;
  }) as [PublicKey, PublicKey, PublicKey];
  const found = await connection.getMultipleAccountsInfo([third, PublicKey.unique(), first]);
  expect(found.map((account) => account?.data.length ?? null)).toEqual([5, null, 3]);
  const filters = [{ dataSize: 3 }, { memcmp: { offset: 1, bytes: bs58.encode([9]) } }];
  const dataSlice = { offset: 1, length: 1 };
  expect(await connection.getProgramAccounts(program, { filters, dataSlice })).toMatchObject([
    { pubkey: second, account: { data: Buffer.from([9]), lamports: Number(SOL) } },
  ]);
  chain.setAccount(first, { lamports: 2n ** 53n + 1n, owner: SystemProgram.programId });
  const params = [first.toBase58(), { encoding: "base64" }];
  const call = { jsonrpc: "2.0", id: 1, method: "getAccountInfo", params };
  const text = await (await createRpcHandler(chain)(rpcRequest(JSON.stringify(call)))).text();
  expect(text).toContain('"lamports":9007199254740993,');
  expect(text).toContain('"rentEpoch":18446744073709551615,');
});

test("time, slots and heights follow the commitment, 32 slots behind at finalized", async () => {
  const { chain, clock, connection, rpc } = openTestChain();
  clock.advanceSlots(99);
  expect(await connection.getSlot()).toBe(1_100);
  expect(await connection.getBlockHeight()).toBe(100);
  expect(await connection.getBlockTime(1_100)).toBe(chain.slots.timeOf(1_100));
  const epoch = { absoluteSlot: 1_100, blockHeight: 100, epoch: 0, slotIndex: 1_100 };
  expect(await connection.getEpochInfo()).toMatchObject(epoch);
  expect((await rpc("getSlot")).result).toBe(1_068);
  expect((await rpc("getBlockTime", 5)).error?.code).toBe(-32004);
  expect((await rpc("toString")).error?.code).toBe(-32601);
  const latest = (await rpc("getLatestBlockhash")).result;
  expect(latest).toMatchObject({
    context: { slot: 1_068 },
    value: { lastValidBlockHeight: 68 + 150 },
  });
  expect(await connection.getMinimumBalanceForRentExemption(165)).toBe(2_039_280);
});

test("a wallet's tokens are found by mint and by program, with balances and supplies", async () => {
  const scene = openTestChain();
  const { connection } = scene;
  const owner = scene.wallet();
  const token = createToken(scene, owner, 1_234_567_890n);
  const token2022 = createToken(scene, owner, 5n, TOKEN_2022_PROGRAM_ID);
  createToken(scene, owner, 7n);
  const addresses = async (filter: { mint: PublicKey } | { programId: PublicKey }) =>
    (await connection.getTokenAccountsByOwner(owner.publicKey, filter)).value.map(
      ({ pubkey }) => pubkey,
    );
  expect(await addresses({ mint: token.mint })).toEqual([token.account]);
  expect(await addresses({ programId: TOKEN_PROGRAM_ID })).toHaveLength(2);
  expect(await addresses({ programId: TOKEN_2022_PROGRAM_ID })).toEqual([token2022.account]);
  const held = await connection.getTokenAccountBalance(token.account);
  expect(held.value).toMatchObject({ amount: "1234567890", decimals: 6 });
  expect((await connection.getTokenSupply(token.mint)).value.uiAmountString).toBe("1234.56789");
  const [largest] = (await connection.getTokenLargestAccounts(token.mint)).value;
  expect(largest).toMatchObject({ address: token.account, amount: "1234567890" });
});

test("a history is newest first, in pages, and up to the commitment; a status is searched after 300 slots", async () => {
  const { chain, clock, connection, rpc, wallet } = openTestChain();
  const from = wallet();
  const to = PublicKey.unique();
  const send = () => chain.sendTransaction(transfer(chain, from, SOL / 8n, to));
  const sent = [send()];
  clock.advanceSlots(32);
  sent.push(send());
  const final = await rpc("getSignaturesForAddress", to.toBase58(), { limit: 1 });
  clock.advanceSlots(1);
  sent.push(send());
  expect(final.result).toMatchObject([{ signature: sent[0], confirmationStatus: "finalized" }]);
  const history = async (options: object) =>
    (await connection.getSignaturesForAddress(to, options)).map(({ signature }) => signature);
  expect(await history({})).toEqual(sent.toReversed());
  expect(await history({ limit: 2 })).toEqual([sent[2], sent[1]] as string[]);
  expect(await history({ before: sent[2] })).toEqual([sent[1], sent[0]] as string[]);
  expect(await history({ until: sent[0] })).toEqual([sent[2], sent[1]] as string[]);
  const status = async (options?: { searchTransactionHistory: true }) =>
    (await connection.getSignatureStatus(sent[2] ?? "", options)).value;
  clock.advanceSlots(5);
  expect(await status()).toMatchObject({ confirmations: 5, confirmationStatus: "confirmed" });
  clock.advanceSlots(296);
  expect(await status()).toBeNull();
  expect((await status({ searchTransactionHistory: true }))?.err).toBeNull();
});

test("a transaction has all its effects, in its answer, in its block and in a simulation", async () => {
  const scene = openTestChain();
  const { chain, connection, rpc } = scene;
  const owner = scene.wallet();
  const { mint, signature } = createToken(scene, owner, 1_000_000n);
  const found = await connection.getTransaction(signature, VERSIONS);
  expect(found).toMatchObject({ slot: chain.slot(), blockTime: chain.slots.timeOf(chain.slot()) });
  expect(found?.meta).toMatchObject({ err: null, fee: 10_000, preTokenBalances: [] });
  expect(found?.meta?.postTokenBalances).toMatchObject([
    {
      ...{ mint: mint.toBase58(), owner: owner.publicKey.toBase58() },
      uiTokenAmount: { amount: "1000000", decimals: 6, uiAmount: 1, uiAmountString: "1" },
    },
  ]);
  const sum = (balances: readonly number[] = []) => balances.reduce((all, one) => all + one, 0);
  expect(sum(found?.meta?.preBalances) - sum(found?.meta?.postBalances)).toBe(10_000);
  // The associated token account program calls the token and the system program.
  expect(found?.meta?.innerInstructions?.map(({ index }) => index)).toEqual([2]);

  const from = scene.wallet(SOL);
  const failing = transfer(chain, from, 2n * SOL);
  const charged = { fee: 5_000, preBalances: [Number(SOL), 0, 1] };
  const after = { ...charged, postBalances: [Number(SOL) - 5_000, 0, 1] };
  const simulated = await rpc("simulateTransaction", base64(failing), BASE64);
  expect(simulated.result.value).toMatchObject(after);
  const failed = await connection.sendRawTransaction(failing, { skipPreflight: true });
  expect((await connection.getTransaction(failed, VERSIONS))?.meta).toMatchObject({
    ...after,
    err: { InstructionError: [0, { Custom: 1 }] },
    computeUnitsConsumed: 150,
  });
});

test("a version 1 transaction pays the fee of its config, is returned with it, and is signed whole", async () => {
  const { chain, connection, rpc, wallet } = openTestChain();
  const payer = wallet(SOL);
  const [to, lamports] = [PublicKey.unique(), 10_000_000];
  const about = { to, lamports, padding: 3_000 };
  const bytes = await versionOneTransfer(payer, chain.latestBlockhash().blockhash, about);
  const changed = bytes.with(bytes.length - 1, (bytes.at(-1) ?? 0) ^ 1);
  const refused = await rpc("sendTransaction", base64(changed), BASE64);
  expect(refused.error?.message).toContain("did not pass signature verification");
  const { result: signature } = await rpc("sendTransaction", base64(bytes), BASE64);
  const fee = 5_000n + REQUESTS.priorityFeeLamports;
  expect(chain.getBalance(payer.publicKey)).toBe(SOL - BigInt(lamports) - fee);
  const found = await connection.getTransaction(signature, VERSIONS);
  expect(found).toMatchObject({ version: 1, meta: { err: null, fee: Number(fee) } });
  expect(found?.transaction.message).toMatchObject({
    transactionConfig: { computeUnitLimit: REQUESTS.computeUnitLimit, heapSize: null },
  });
});

test("a fault of the chain is reported to its operator; callers get no details", async () => {
  const { chain } = openTestChain();
  const faults: unknown[] = [];
  const broken = createRpcHandler(chain, (error) => faults.push(error));
  chain.close();
  const params = [chain.faucet.toBase58()];
  const call = { jsonrpc: "2.0", id: 1, method: "getSignaturesForAddress", params };
  const answer = await broken(rpcRequest(JSON.stringify(call)));
  expect(await answer.json()).toMatchObject({ error: { code: -32603, message: "Internal error" } });
  expect(faults).toHaveLength(1);
});

const MIB = 1_024 * 1_024;

const { chain } = openTestChain();
const handle = createRpcHandler(chain);

interface Reply {
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string };
}

const call = (method: string, ...params: unknown[]) => ({ jsonrpc: "2.0", id: 1, method, params });

async function post(body: unknown): Promise<{ bytes: number; answer: Reply }> {
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
  test("for 100 copies of an account of 200 KB gets the reason", async () => {
    const address = PublicKey.unique();
    const data = new Uint8Array(200_000);
    chain.setAccount(address, { lamports: SOL, owner: PublicKey.unique(), data });
    const addresses = Array.from({ length: 100 }, () => address.toBase58());
    const { answer } = await post(call("getMultipleAccounts", addresses, BASE64));
    expect(answer.error).toEqual({
      code: -32600,
      message: "The answer would be larger than 16777216 bytes: request less at a time",
    });
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
    // All data that is read counts, even outside the slice.
    const slice = { ...BASE64, dataSlice: { offset: 0, length: 0 } };
    const sliced = await post(call("getProgramAccounts", owner, slice));
    expect(sliced.answer.error?.message).toContain("request less at a time");
    const filters = [{ memcmp: { offset: 0, bytes: "3" } }];
    const some = await post(call("getProgramAccounts", owner, { ...BASE64, filters }));
    expect(some.answer.result).toHaveLength(1);
  });

  test("is one call, and a batch is refused by name", async () => {
    const { answer } = await post([call("getHealth")]);
    expect(answer.error).toEqual({
      code: -32600,
      message: "This chain offers no batches: send one call at a time",
    });
  });
});

test.each([
  ["100,000 accounts", 0, 100_000],
  ["256 MiB of them", 10 * MIB, 25],
])("a request scans at most %s", (_, bytes, most) => {
  const allowance = new Allowance();
  const account = { account: { data: new Uint8Array(bytes) } } as never;
  let seen = 0;
  const scan = (count: number) => {
    for (const _ of allowance.scan(Array(count).fill(account))) seen += 1;
  };
  scan(most - 10);
  expect(() => scan(20)).toThrow("more than 100000 accounts or 268435456 bytes");
  expect(seen).toBe(most);
});
