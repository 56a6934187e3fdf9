import {
  ComputeBudgetProgram,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
} from "@solana/web3.js";
import bs58 from "bs58";
import { generateKeypair } from "../../../server/src/base/native-keys.ts";
import { createMemoInstruction } from "../../../server/src/localnet/testing/instructions.ts";
import { signed as signedAt } from "../../../server/src/localnet/testing/local-chain.ts";
import { versionOneTransfer } from "../../../server/src/localnet/testing/version-1.ts";
import table from "./requests.json" with { type: "json" };
import type { Scene } from "./scene.ts";

type Call = readonly [method: string, ...params: unknown[]];

export interface Requests {
  readonly calls: Readonly<Record<string, Call>>;
  /** Bodies that are no single right call, and other ways to ask by HTTP. */
  readonly raw: Readonly<Record<string, RequestInit & { readonly path?: string }>>;
}

const CONFIRMED = { commitment: "confirmed" };
const BASE64 = { encoding: "base64" };
const SYSTEM = "11111111111111111111111111111111";
const SYSTEM_TRANSFER_KEYS = 2;
const FAR = { minContextSlot: Number.MAX_SAFE_INTEGER };

/** Methods of nodes that neither we nor the usual flows of web3.js and kit need. */
export const NOT_OURS: readonly string[] = table.notOurs;

/** What our programs and their users ask a node, what they might, and what a node refuses. */
export async function requestsFor(scene: Scene): Promise<Requests> {
  const { payer, mint, landed, transferBytes, finalBlockhash } = scene;
  const messageOf = (bytes: Uint8Array) => Buffer.from(bytes.subarray(65)).toString("base64");
  const memo = createMemoInstruction("fee");
  const values: Values = {
    ...scene,
    ...landed,
    token: scene.token,
    tokenTransfer: landed.token,
    wallet: payer.publicKey.toBase58(),
    noSignature: bs58.encode(new Uint8Array(64).fill(7)),
    mintInBase64: Buffer.from(bs58.decode(mint)).toString("base64"),
    message: messageOf(transferBytes),
    fresh: messageOf(signedAt(finalBlockhash, [payer], memo)),
    neverMessage: messageOf(signedAt(SYSTEM, [payer], memo)),
    padding: "x".repeat(60_000),
  };
  return {
    calls: { ...(filled(table.calls, values) as Requests["calls"]), ...(await sendCalls(scene)) },
    raw: filled(table.raw, values) as Requests["raw"],
  };
}

type Values = Readonly<Record<string, unknown>>;

/** Puts the scene's values into the table: `$slot`, `$slot+3` for a later one, `$wallet*101` for a list of it. */
function filled(value: unknown, values: Values): unknown {
  if (Array.isArray(value)) return value.map((item) => filled(item, values));
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).map(([name, field]) => [name, filled(field, values)]);
    return Object.fromEntries(fields);
  }
  if (typeof value !== "string") return value;
  const [, name = "", by, times] = /^\$(\w+)(?:([+-]\d+)|\*(\d+))?$/.exec(value) ?? [];
  if (by !== undefined) return Number(values[name]) + Number(by);
  if (times !== undefined) return Array(Number(times)).fill(values[name]);
  if (name !== "") return values[name];
  return value.replace(/\$(\w+)/g, (_, inner: string) => String(values[inner]));
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
    signedAt(blockhash, [payer], ...instructions);
  const good = signed(pay(1e9));
  const unsigned = Uint8Array.from(good).fill(0, 1, 65);
  const poor = signedAt(blockhash, [stranger], createMemoInstruction("poor"));
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
    "a simulation of a fresh blockhash at finalized": simulate(good, { commitment: "finalized" }),
    "a simulation at an unknown commitment": simulate(signedAt(finalBlockhash, [payer], pay(1e9)), {
      commitment: "recent-ish",
    }),
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
    "a simulation of a blockhash that never was": simulate(signedAt(SYSTEM, [payer], pay(1))),
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
    "sending a blockhash that never was": send(signedAt(SYSTEM, [payer], pay(1))),
    "sending a blockhash that never was, without a preflight": send(
      signedAt(SYSTEM, [payer], pay(1)),
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
