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

/** What a transaction of the table is sent and simulated with, unless its row says otherwise. */
const USUAL: Readonly<Record<string, object>> = {
  simulateTransaction: { encoding: "base64", commitment: "confirmed" },
  sendTransaction: { encoding: "base64", preflightCommitment: "confirmed" },
};
const SYSTEM = "11111111111111111111111111111111";
const SYSTEM_TRANSFER_KEYS = 2;

/** Methods of nodes that neither we nor the usual flows of web3.js and kit need. */
export const NOT_OURS: readonly string[] = table.notOurs;

/** What our programs and their users ask a node, what they might, and what a node refuses. */
export async function requestsFor(scene: Scene): Promise<Requests> {
  const { payer, mint, landed, transferBytes, finalBlockhash } = scene;
  const messageOf = (bytes: Uint8Array) => Buffer.from(bytes.subarray(65)).toString("base64");
  const memo = createMemoInstruction("fee");
  const { inBase58, refused, ...transactions } = await transactionsOf(scene);
  const values: Values = {
    ...scene,
    ...landed,
    ...texts(transactions),
    inBase58: bs58.encode(inBase58),
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
  const refusals = Object.entries(texts(refused)).flatMap(([what, text]) => [
    [`simulating ${what}`, usually(["simulateTransaction", text])],
    [`sending ${what}`, usually(["sendTransaction", text])],
  ]);
  const ofTransactions = filled(table.transactions, values) as Requests["calls"];
  const calls = {
    ...(filled(table.calls, values) as Requests["calls"]),
    ...Object.fromEntries(
      Object.entries(ofTransactions).map(([what, call]) => [what, usually(call)]),
    ),
    ...Object.fromEntries(refusals),
  };
  return { calls, raw: filled(table.raw, values) as Requests["raw"] };
}

function usually([method, transaction, config]: Call): Call {
  return [method, transaction, { ...USUAL[method], ...Object(config) }];
}

function texts(bytes: Readonly<Record<string, Uint8Array>>): Record<string, string> {
  const entries = Object.entries(bytes);
  return Object.fromEntries(
    entries.map(([name, each]) => [name, Buffer.from(each).toString("base64")]),
  );
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

/** The transactions of the table, and bytes that a node refuses. */
async function transactionsOf(scene: Scene) {
  const { payer, absent, blockhash, finalBlockhash, transferBytes } = scene;
  const stranger = generateKeypair();
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
  const limit = budget(2, 1, 0, 0, 0);
  const unknownProgram = new TransactionInstruction({
    programId: stranger.publicKey,
    keys: [],
    data: Buffer.alloc(0),
  });
  const keyTwice = Uint8Array.from(signed(pay(1e9), pay(2e9)));
  // The second account becomes the first again.
  keyTwice.set(keyTwice.subarray(69, 101), 101);
  const manyAccounts = createMemoInstruction("");
  manyAccounts.keys.push(
    ...Array(256).fill({ pubkey: payer.publicKey, isSigner: true, isWritable: true }),
  );
  const memos = (count: number) => Array.from({ length: count }, () => createMemoInstruction(""));
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
    good,
    unsigned: Uint8Array.from(good).fill(0, 1, 65),
    landed: transferBytes,
    poor: signedAt(blockhash, [stranger], createMemoInstruction("poor")),
    failing: signed(pay(1e12)),
    failingToo: signed(pay(1e12 + 1)),
    never: signedAt(SYSTEM, [payer], pay(1)),
    atFinal: signedAt(finalBlockhash, [payer], pay(1e9)),
    unknownProgram: signed(unknownProgram),
    wrongHeap: signed(budget(1, 1, 0, 0, 0), pay(1)),
    loadsNothing: signed(budget(4, 0, 0, 0, 0), pay(1)),
    loadsLittle: signed(budget(4, 1, 0, 0, 0), pay(1)),
    ofVersion1: await versionOneTransfer(payer, blockhash),
    one: signed(pay(1e9 + 1)),
    inBase58: signed(pay(1e9 + 2)),
    three: signed(pay(1e9 + 3)),
    four: signed(pay(1e9 + 4)),
    refused,
  };
}

function programIs(bytes: Uint8Array, index: number): Uint8Array {
  const instructions = bytes.length - (1 + 1 + SYSTEM_TRANSFER_KEYS + 1 + 12);
  return bytes.with(instructions, index);
}
