import {
  ComputeBudgetProgram,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
} from "@solana/web3.js";
import bs58 from "bs58";
import { generateKeypair } from "../../../server/src/base/native-keys.ts";
import { createMemoInstruction } from "../../../server/src/localnet/testing/memo.ts";
import { versionOneTransfer } from "../../../server/src/localnet/testing/version-1.ts";
import { legacy, type Scene } from "./scene.ts";

type Call = readonly [method: string, ...params: unknown[]];

export interface Requests {
  readonly calls: Readonly<Record<string, Call>>;
  /** Bodies that are no single right call, and other ways to ask by HTTP. */
  readonly raw: Readonly<Record<string, RequestInit & { readonly path?: string }>>;
}

const CONFIRMED = { commitment: "confirmed" };
const PROCESSED = { commitment: "processed" };
const FINALIZED = { commitment: "finalized" };
const UNKNOWN = { commitment: "recent-ish" };
const FAR = { minContextSlot: Number.MAX_SAFE_INTEGER };
const BASE64 = { encoding: "base64" };
const NO_SIGNATURE = bs58.encode(new Uint8Array(64).fill(7));
const SYSTEM = "11111111111111111111111111111111";
const TOKENS = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
const SYSTEM_TRANSFER_KEYS = 2;

/** What our programs and their users ask a node, what they might, and what a node refuses. */
export async function requestsFor(scene: Scene): Promise<Requests> {
  return {
    calls: {
      ...clusterCalls(scene),
      ...accountCalls(scene),
      ...tokenCalls(scene),
      ...historyCalls(scene),
      ...blockCalls(scene),
      ...(await sendCalls(scene)),
    },
    raw: rawRequests(scene),
  };
}

function clusterCalls({ finalBlockhash, payer, transferBytes }: Scene): Requests["calls"] {
  const message = Buffer.from(transferBytes.subarray(65)).toString("base64");
  const fresh = Buffer.from(
    legacy(finalBlockhash, [payer], createMemoInstruction("fee")).subarray(65),
  ).toString("base64");
  return {
    "the node's health": ["getHealth"],
    "the node's version": ["getVersion"],
    "the genesis hash": ["getGenesisHash"],
    "the slot": ["getSlot"],
    "the slot at processed": ["getSlot", PROCESSED],
    "the slot at confirmed": ["getSlot", CONFIRMED],
    "the slot at an unknown commitment": ["getSlot", UNKNOWN],
    "the slot at a commitment that is no text": ["getSlot", { commitment: 7 }],
    "the slot with null for options": ["getSlot", null],
    "the slot with a text for options": ["getSlot", "confirmed"],
    "the slot with a field that there is not": ["getSlot", { commitmen: "confirmed" }],
    "the slot not before a later one": ["getSlot", FAR],
    "the block height": ["getBlockHeight", CONFIRMED],
    "the epoch": ["getEpochInfo", CONFIRMED],
    "the latest blockhash": ["getLatestBlockhash"],
    "the latest blockhash at confirmed": ["getLatestBlockhash", CONFIRMED],
    "the latest blockhash not before a later slot": ["getLatestBlockhash", FAR],
    "the rent of an account": ["getMinimumBalanceForRentExemption", 165],
    "the rent of an account of the largest size": ["getMinimumBalanceForRentExemption", 10_485_760],
    "the rent of less than nothing": ["getMinimumBalanceForRentExemption", -1],
    "the rent of half a byte": ["getMinimumBalanceForRentExemption", 1.5],
    "the rent of a text": ["getMinimumBalanceForRentExemption", "165"],
    "the rent of nothing named": ["getMinimumBalanceForRentExemption"],
    "the fee of a message": ["getFeeForMessage", fresh],
    "the fee of a message at confirmed": ["getFeeForMessage", fresh, CONFIRMED],
    "the fee of a message of base64 that is no message": ["getFeeForMessage", "AAAA"],
    "the fee of a message that is not base64": ["getFeeForMessage", "!"],
    "the fee of a message whose blockhash never was": [
      "getFeeForMessage",
      Buffer.from(legacy(SYSTEM, [payer], createMemoInstruction("fee")).subarray(65)).toString(
        "base64",
      ),
    ],
    "the fee of the landed transfer's message": ["getFeeForMessage", message, CONFIRMED],
    "the priority fees of late": ["getRecentPrioritizationFees"],
    "the priority fees of late for an account": [
      "getRecentPrioritizationFees",
      [payer.publicKey.toBase58()],
    ],
    "the priority fees for a text": ["getRecentPrioritizationFees", ["x"]],
    "a method that no node has": ["getEverything"],
  };
}

function accountCalls({ payer, absent, mint, table }: Scene): Requests["calls"] {
  const wallet = payer.publicKey.toBase58();
  const filters = (list: unknown[]) =>
    ["getProgramAccounts", TOKENS, { ...BASE64, filters: list }] as const;
  const memcmp = { offset: 0, bytes: mint };
  return {
    "a balance": ["getBalance", wallet],
    "a balance at confirmed": ["getBalance", wallet, CONFIRMED],
    "a balance of an absent account": ["getBalance", absent],
    "a balance of a text": ["getBalance", "x"],
    "a balance of a signature": ["getBalance", NO_SIGNATURE],
    "a balance of nothing named": ["getBalance"],
    "a balance of a number": ["getBalance", 5],
    "a balance not before a later slot": ["getBalance", wallet, FAR],
    "a wallet": ["getAccountInfo", wallet, BASE64],
    "a wallet in base58": ["getAccountInfo", wallet, { encoding: "base58" }],
    "a wallet in an unknown encoding": ["getAccountInfo", wallet, { encoding: "hex" }],
    "a wallet, parsed": ["getAccountInfo", wallet, { encoding: "jsonParsed" }],
    "an absent account": ["getAccountInfo", absent, BASE64],
    "a mint": ["getAccountInfo", mint, BASE64],
    "a part of a mint": [
      "getAccountInfo",
      mint,
      { ...BASE64, dataSlice: { offset: 4, length: 8 } },
    ],
    "a part beyond a mint": [
      "getAccountInfo",
      mint,
      { ...BASE64, dataSlice: { offset: 400, length: 8 } },
    ],
    "a part that is none": ["getAccountInfo", mint, { ...BASE64, dataSlice: { offset: 4 } }],
    "a lookup table": ["getAccountInfo", table, BASE64],
    "the rent sysvar": ["getAccountInfo", "SysvarRent111111111111111111111111111111111", BASE64],
    "the clock sysvar": ["getAccountInfo", "SysvarC1ock11111111111111111111111111111111", BASE64],
    "the system program": ["getAccountInfo", SYSTEM, BASE64],
    "several accounts": ["getMultipleAccounts", [wallet, absent, mint], BASE64],
    "no accounts": ["getMultipleAccounts", [], BASE64],
    "101 accounts": ["getMultipleAccounts", Array(101).fill(wallet), BASE64],
    "an account and a text": ["getMultipleAccounts", [wallet, "x"], BASE64],
    "several accounts, which are no list": ["getMultipleAccounts", wallet, BASE64],
    "a program's accounts by size": filters([{ dataSize: 82 }]),
    "a program's accounts by bytes": filters([{ dataSize: 165 }, { memcmp }]),
    "a program's accounts by bytes in base64": filters([
      {
        memcmp: {
          offset: 0,
          bytes: Buffer.from(bs58.decode(mint)).toString("base64"),
          encoding: "base64",
        },
      },
    ]),
    "a program's accounts with their slot": [
      "getProgramAccounts",
      TOKENS,
      { ...BASE64, withContext: true, filters: [{ memcmp }, { dataSize: 165 }] },
    ],
    "a program's accounts by five filters": filters(Array(5).fill({ dataSize: 165 })),
    "a program's accounts by an unknown filter": filters([{ size: 165 }]),
    "a program's accounts by bytes that are no base58": filters([
      { memcmp: { offset: 0, bytes: "0OIl" } },
    ]),
    "a program's accounts by too many bytes": filters([
      { memcmp: { offset: 0, bytes: bs58.encode(new Uint8Array(129).fill(1)) } },
    ]),
    "the accounts of an absent account": ["getProgramAccounts", absent, BASE64],
    "the accounts of a text": ["getProgramAccounts", "x", BASE64],
  };
}

function tokenCalls({ payer, absent, mint, token }: Scene): Requests["calls"] {
  const wallet = payer.publicKey.toBase58();
  return {
    "a token balance": ["getTokenAccountBalance", token],
    "a token balance of a mint": ["getTokenAccountBalance", mint],
    "a token balance of an absent account": ["getTokenAccountBalance", absent],
    "a token balance of a wallet": ["getTokenAccountBalance", wallet],
    "a supply": ["getTokenSupply", mint],
    "a supply of a token account": ["getTokenSupply", token],
    "a supply of an absent account": ["getTokenSupply", absent],
    "a wallet's tokens of a mint": ["getTokenAccountsByOwner", wallet, { mint }, BASE64],
    "a wallet's tokens of a program": [
      "getTokenAccountsByOwner",
      wallet,
      { programId: TOKENS },
      { ...BASE64, ...CONFIRMED },
    ],
    "the tokens of an absent account": [
      "getTokenAccountsByOwner",
      absent,
      { programId: TOKENS },
      BASE64,
    ],
    "a wallet's tokens of a mint that is none": [
      "getTokenAccountsByOwner",
      wallet,
      { mint: absent },
      BASE64,
    ],
    "a wallet's tokens of a wallet": ["getTokenAccountsByOwner", wallet, { mint: wallet }, BASE64],
    "a wallet's tokens of a program for none": [
      "getTokenAccountsByOwner",
      wallet,
      { programId: SYSTEM },
      BASE64,
    ],
    "a wallet's tokens without a filter": ["getTokenAccountsByOwner", wallet, {}, BASE64],
    "the largest holders": ["getTokenLargestAccounts", mint],
    "the largest holders at confirmed": ["getTokenLargestAccounts", mint, CONFIRMED],
    "the largest holders of an absent account": ["getTokenLargestAccounts", absent],
    "the largest holders of a token account": ["getTokenLargestAccounts", token],
    "the largest holders of a wallet": ["getTokenLargestAccounts", wallet],
  };
}

function historyCalls({ payer, absent, token, landed }: Scene): Requests["calls"] {
  const wallet = payer.publicKey.toBase58();
  const { transfer, failed, version0, version1 } = landed;
  const search = { searchTransactionHistory: true };
  const versions = { maxSupportedTransactionVersion: 0 };
  const get = (signature: string, config: object | null = null) =>
    ["getTransaction", signature, ...(config === null ? [] : [config])] as const;
  return {
    statuses: ["getSignatureStatuses", [transfer, failed, NO_SIGNATURE]],
    "statuses with a search": ["getSignatureStatuses", [transfer, failed, NO_SIGNATURE], search],
    "statuses of none": ["getSignatureStatuses", []],
    "statuses of a text": ["getSignatureStatuses", ["x"]],
    "statuses of an address": ["getSignatureStatuses", [absent]],
    "statuses of 257": ["getSignatureStatuses", Array(257).fill(transfer)],
    "statuses of one that is no list": ["getSignatureStatuses", transfer],
    "a history": ["getSignaturesForAddress", token],
    "a history at confirmed": ["getSignaturesForAddress", token, CONFIRMED],
    "a history at processed": ["getSignaturesForAddress", token, PROCESSED],
    "a history of a wallet": ["getSignaturesForAddress", wallet, { limit: 3 }],
    "a history before a transaction": ["getSignaturesForAddress", wallet, { before: version0 }],
    "a history until a transaction": ["getSignaturesForAddress", wallet, { until: version0 }],
    "a history before an unknown transaction": [
      "getSignaturesForAddress",
      wallet,
      { before: NO_SIGNATURE },
    ],
    "a history until an unknown transaction": [
      "getSignaturesForAddress",
      wallet,
      { until: NO_SIGNATURE },
    ],
    "a history before a text": ["getSignaturesForAddress", wallet, { before: "x" }],
    "a history of none": ["getSignaturesForAddress", wallet, { limit: 0 }],
    "a history of 1001": ["getSignaturesForAddress", wallet, { limit: 1_001 }],
    "a history of less than nothing": ["getSignaturesForAddress", wallet, { limit: -1 }],
    "a history of an absent account": ["getSignaturesForAddress", absent],
    "a history of a text": ["getSignaturesForAddress", "x"],
    "a transaction": get(transfer),
    "a transaction in base64": get(transfer, BASE64),
    "a transaction in base58": get(transfer, { encoding: "base58" }),
    "a transaction in JSON at confirmed": get(transfer, { encoding: "json", ...CONFIRMED }),
    "a transaction at processed": get(transfer, PROCESSED),
    "a transaction in an unknown encoding": get(transfer, { encoding: "hex" }),
    "a transaction for a client of version 0": get(transfer, versions),
    "a failed transaction": get(failed, BASE64),
    "a transaction of tokens": get(landed.token, { encoding: "json", ...versions }),
    "a transaction of version 0 for an old client": get(version0),
    "a transaction of version 0": get(version0, { encoding: "json", ...versions }),
    "a transaction of version 0 in base64": get(version0, { ...BASE64, ...versions }),
    "a transaction of version 1 for a client of version 0": get(version1, versions),
    "a transaction of version 1": get(version1, {
      encoding: "json",
      maxSupportedTransactionVersion: 1,
    }),
    "a transaction for a client of a version too high": get(transfer, {
      maxSupportedTransactionVersion: 256,
    }),
    "an unknown transaction": get(NO_SIGNATURE),
    "a transaction of a text": get("x"),
    "a transaction of an address": get(absent),
  };
}

function blockCalls({ slot }: Scene): Requests["calls"] {
  const read = { maxSupportedTransactionVersion: 1, rewards: false };
  const one = { ...read, transactionDetails: "accounts" };
  const far = Number.MAX_SAFE_INTEGER;
  return {
    "a block's time": ["getBlockTime", slot],
    "the time of a block that is not yet": ["getBlockTime", slot + 1_000_000],
    "a block with accounts": ["getBlock", slot, one],
    "a block with signatures": ["getBlock", slot, { ...read, transactionDetails: "signatures" }],
    "a block at confirmed": ["getBlock", slot, { ...one, ...CONFIRMED }],
    "a block at processed": ["getBlock", slot, { ...one, ...PROCESSED }],
    "a block that is not yet": ["getBlock", slot + 1_000_000, one],
    "a block of a text": ["getBlock", "x", one],
    blocks: ["getBlocks", slot, slot + 3],
    "blocks at confirmed": ["getBlocks", slot, slot + 3, CONFIRMED],
    "blocks at processed": ["getBlocks", slot, slot + 3, PROCESSED],
    "blocks backwards": ["getBlocks", slot, slot - 3],
    "more blocks than are allowed": ["getBlocks", slot, slot + 500_001],
    "blocks that are not yet": ["getBlocks", far - 1, far],
  };
}

async function sendCalls(scene: Scene): Promise<Requests["calls"]> {
  const { payer, absent, blockhash, finalBlockhash, transferBytes } = scene;
  const stranger = generateKeypair();
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
  const simulate = (bytes: Uint8Array, config: object = {}) =>
    ["simulateTransaction", text(bytes), { ...BASE64, ...CONFIRMED, ...config }] as const;
  const send = (bytes: Uint8Array, config: object = {}) =>
    [
      "sendTransaction",
      text(bytes),
      { ...BASE64, preflightCommitment: "confirmed", ...config },
    ] as const;
  const pay = (lamports: number) =>
    SystemProgram.transfer({
      fromPubkey: payer.publicKey,
      toPubkey: new PublicKey(absent),
      lamports,
    });
  const budget = (...data: number[]) =>
    new TransactionInstruction({
      programId: ComputeBudgetProgram.programId,
      keys: [],
      data: Buffer.from(data),
    });
  const signed = (...instructions: TransactionInstruction[]) =>
    legacy(blockhash, [payer], ...instructions);
  const good = signed(pay(1e9));
  const unsigned = Uint8Array.from(good).fill(0, 1, 65);
  const poor = legacy(blockhash, [stranger], createMemoInstruction("poor"));
  const limit = budget(2, 1, 0, 0, 0);
  const unknownProgram = new TransactionInstruction({
    programId: stranger.publicKey,
    keys: [],
    data: Buffer.alloc(0),
  });
  const tooMuch = pay(1e12);
  const twice = signed(pay(1e9), pay(2e9));
  const keyTwice = Uint8Array.from(twice);
  // The second account becomes the first again.
  keyTwice.set(keyTwice.subarray(69, 101), 101);
  const manyAccounts = createMemoInstruction("");
  manyAccounts.keys.push(
    ...Array(256).fill({ pubkey: payer.publicKey, isSigner: true, isWritable: true }),
  );
  const memos = (count: number) => Array.from({ length: count }, () => createMemoInstruction(""));
  const version1 = await versionOneTransfer(payer, blockhash, {});
  const refused: Record<string, Uint8Array> = {
    "a budget instruction twice": signed(limit, pay(1), limit),
    "a budget instruction of 2 bytes": signed(budget(2, 1), pay(1)),
    "an unknown budget instruction": signed(budget(9, 0, 0, 0, 0), pay(1)),
    "a budget instruction without data": signed(budget(), pay(1)),
    "65 instructions": signed(...memos(65)),
    "an instruction of 256 accounts": signed(manyAccounts),
    "an account twice": keyTwice,
    "bytes that are no transaction": new Uint8Array(40),
    "no bytes": new Uint8Array(),
    "a transaction cut short": good.subarray(0, -1),
    "a transaction with a byte behind it": Uint8Array.from([...good, 0]),
    "a transaction of a version to come": good.with(65, 0x82),
    "1233 bytes": new Uint8Array(1_233),
    "a program that is the payer": programIs(good, 0),
    "a program beyond the accounts": programIs(good, 40),
    "two signatures for one signer": Uint8Array.from([
      2,
      ...good.subarray(1, 65),
      ...good.subarray(1),
    ]),
  };
  return {
    "a simulation": simulate(good),
    "a simulation of a fresh blockhash at finalized": simulate(good, FINALIZED),
    "a simulation at an unknown commitment": simulate(
      legacy(finalBlockhash, [payer], pay(1e9)),
      UNKNOWN,
    ),
    "a simulation with verified signatures": simulate(good, { sigVerify: true }),
    "a simulation of an unsigned transaction": simulate(unsigned),
    "a simulation of an unsigned transaction with verified signatures": simulate(unsigned, {
      sigVerify: true,
    }),
    "a simulation with a replaced blockhash": simulate(good, { replaceRecentBlockhash: true }),
    "a simulation with both": simulate(good, { replaceRecentBlockhash: true, sigVerify: true }),
    "a simulation with inner instructions": simulate(good, { innerInstructions: true }),
    "a simulation with accounts": simulate(good, {
      accounts: { addresses: [payer.publicKey.toBase58(), absent], encoding: "base64" },
    }),
    "a simulation with more accounts than it has": simulate(good, {
      accounts: { addresses: Array(40).fill(absent), encoding: "base64" },
    }),
    "a simulation of a failing transfer": simulate(signed(tooMuch)),
    "a simulation of a failing transfer with accounts": simulate(signed(tooMuch), {
      accounts: { addresses: [absent], encoding: "base64" },
    }),
    "a simulation of a landed transaction": simulate(transferBytes),
    "a simulation of a landed transaction with a replaced blockhash": simulate(transferBytes, {
      replaceRecentBlockhash: true,
    }),
    "a simulation of a blockhash that never was": simulate(legacy(SYSTEM, [payer], pay(1))),
    "a simulation of a payer without SOL": simulate(poor),
    "a simulation of a program that there is not": simulate(signed(unknownProgram)),
    "a simulation of a heap of the wrong size": simulate(signed(budget(1, 1, 0, 0, 0), pay(1))),
    "a simulation that may load nothing": simulate(signed(budget(4, 0, 0, 0, 0), pay(1))),
    "a simulation that may load too little": simulate(signed(budget(4, 1, 0, 0, 0), pay(1))),
    "a simulation of a version 1 transaction": simulate(version1),
    "a simulation in JSON": simulate(good, { encoding: "json" }),
    "a simulation not before a later slot": simulate(good, FAR),
    sending: send(signed(pay(1e9 + 1))),
    "sending in base58": [
      "sendTransaction",
      bs58.encode(signed(pay(1e9 + 2))),
      { preflightCommitment: "confirmed" },
    ],
    "sending without a preflight": send(signed(pay(1e9 + 3)), { skipPreflight: true }),
    "sending what fails": send(signed(tooMuch)),
    "sending what fails, without a preflight": send(signed(pay(1e12 + 1)), { skipPreflight: true }),
    "sending a landed transaction": send(transferBytes),
    "sending a landed transaction without a preflight": send(transferBytes, {
      skipPreflight: true,
    }),
    "sending without a signature": send(unsigned),
    "sending without a signature and a preflight": send(unsigned, { skipPreflight: true }),
    "sending a blockhash that never was": send(legacy(SYSTEM, [payer], pay(1))),
    "sending a blockhash that never was, without a preflight": send(
      legacy(SYSTEM, [payer], pay(1)),
      { skipPreflight: true },
    ),
    "sending a fresh blockhash at finalized": send(signed(pay(1e9 + 4)), {
      preflightCommitment: "finalized",
    }),
    "sending for a payer without SOL": send(poor),
    "sending to a program that there is not": send(signed(unknownProgram)),
    "sending in JSON": send(good, { encoding: "json" }),
    "sending what is not base64": ["sendTransaction", "!", BASE64],
    "sending what is not base58": ["sendTransaction", "0"],
    "sending nothing": ["sendTransaction"],
    "sending not before a later slot": send(good, FAR),
    "an airdrop": ["requestAirdrop", absent, 1_000_000],
    "an airdrop to a text": ["requestAirdrop", "x", 1],
    "an airdrop of a text": ["requestAirdrop", absent, "1"],
    ...Object.fromEntries(
      Object.entries(refused).flatMap(([what, bytes]) => [
        [`simulating ${what}`, simulate(bytes)],
        [`sending ${what}`, send(bytes)],
      ]),
    ),
  };
}

function programIs(bytes: Uint8Array, index: number): Uint8Array {
  const instructions = bytes.length - (1 + 1 + SYSTEM_TRANSFER_KEYS + 1 + 12);
  return bytes.with(instructions, index);
}

/** Methods of nodes that neither we nor the usual flows of web3.js and kit need. */
export const NOT_OURS = [
  "getAgGenesisCert",
  "getBlockCommitment",
  "getBlockProduction",
  "getBlocksWithLimit",
  "getClusterNodes",
  "getEpochSchedule",
  "getFirstAvailableBlock",
  "getHighestSnapshotSlot",
  "getIdentity",
  "getInflationGovernor",
  "getInflationRate",
  "getInflationReward",
  "getLargestAccounts",
  "getLeaderSchedule",
  "getMaxRetransmitSlot",
  "getMaxShredInsertSlot",
  "getRecentPerformanceSamples",
  "getSlotLeader",
  "getSlotLeaders",
  "getStakeMinimumDelegation",
  "getSupply",
  "getTokenAccountsByDelegate",
  "getTransactionCount",
  "getVoteAccounts",
  "isBlockhashValid",
  "minimumLedgerSlot",
] as const;

function rawRequests({ payer }: Scene): Requests["raw"] {
  const json = { "content-type": "application/json" };
  const post = (body: string, headers: Record<string, string> = json) => ({
    method: "POST",
    headers,
    body,
  });
  const call = (rest: object) =>
    JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getSlot", ...rest });
  return {
    "no JSON": post("{"),
    nothing: post(""),
    "a number": post("5"),
    "an empty batch": post("[]"),
    "a batch": post(`[${call({})},${call({ id: "two", method: "getHealth" })}]`),
    "a batch with what is no call": post(`[${call({})},5]`),
    "a call without an id": post(JSON.stringify({ jsonrpc: "2.0", method: "getSlot" })),
    "a call of an unknown method without an id": post(
      JSON.stringify({ jsonrpc: "2.0", method: "x" }),
    ),
    "a call without a version": post(JSON.stringify({ id: 1, method: "getSlot" })),
    "a call of version 1": post(call({ jsonrpc: "1.0" })),
    "a call with null for its id": post(call({ id: null })),
    "a call with a list for its id": post(call({ id: [] })),
    "a call with an object for its parameters": post(call({ params: { commitment: "confirmed" } })),
    "a call with a text for its parameters": post(call({ params: "confirmed" })),
    "a call with null for its parameters": post(call({ params: null })),
    "a call with a field more": post(call({ more: 1 })),
    "a call of too many parameters": post(
      call({ method: "getBalance", params: [payer.publicKey.toBase58(), {}, {}, {}] }),
    ),
    "a call of another type": post(call({}), { "content-type": "text/plain" }),
    "a call of no type": post(call({}), { "content-type": "" }),
    "a call of 60 KB": post(call({ padding: "x".repeat(60_000) })),
    "a GET": { method: "GET" },
    "a PUT": { method: "PUT", headers: json, body: call({}) },
    "a preflight of a browser": {
      method: "OPTIONS",
      headers: { origin: "https://a.example", "access-control-request-method": "POST" },
    },
    "the health by GET": { method: "GET", path: "/health" },
  };
}
