import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Connection } from "@solana/web3.js";
import { LocalChain } from "../../../server/src/localnet/chain.ts";
import { type ServedLocalnet, serveLocalnet } from "../../../server/src/localnet/serve-rpc.ts";
import { SlotClock } from "../../../server/src/localnet/testing/local-chain.ts";
import { ROOT } from "../../support/processes.ts";
import recording from "./answers.json";
import { answersTo, type RecordedAnswer, type Recording } from "./answers.ts";
import { NOT_OURS, requestsFor } from "./requests.ts";
import { makeScene } from "./scene.ts";

const { node, answers: recorded } = recording as Recording;

/** What the embedded chain answers otherwise, as `docs/local-chains.md` says, and why. */
const DIFFERENCES: Readonly<Record<string, string>> = {
  "a wallet, parsed": "jsonParsed needs a reader of each program",
  "a wallet in base58": "base64 says the same",
  "a transaction in base58": "the same",
  "sending in base58": "the same",
  "a history before a transaction": "no memo is read",
  "a block with signatures": "the accounts say more",
  "a simulation with inner instructions": "only landed transactions show them",
  "simulating a transaction with a byte behind it": "a node drops it later, and in silence",
  "sending a transaction with a byte behind it": "the same",
  "sending an account twice": "both errors are true of these bytes",
  "a transaction of version 0": "lookup tables are not offered",
  "a transaction of version 0 in base64": "the same",
  "an empty batch": "batches are not offered",
  "a batch": "the same",
  "a batch with what is no call": "the same",
  "a call of too many parameters": "they mean nothing",
  "a call of 60 KB": "the status says it",
  "a preflight of a browser": "no page of another host may use this chain",
};

const READ_TEXTS = /^(?:Transaction simulation failed|invalid transaction): /;

let chain: LocalChain;
let served: ServedLocalnet;
let answers: Recording["answers"];

beforeAll(async () => {
  const clock = new SlotClock();
  chain = LocalChain.open({ ledgerPath: ":memory:", clock });
  served = serveLocalnet(chain, { port: 0 });
  const connection = new Connection(served.url, "confirmed");
  const scene = await makeScene(connection, async () => void clock.advanceSlots(33));
  answers = await answersTo(served.url, await requestsFor(scene));
});
afterAll(async () => {
  await served.stop();
  chain.close();
});

test(`the embedded chain answers as Agave ${node} has answered, but for what is listed`, () => {
  expect(Object.keys(answers)).toEqual(Object.keys(recorded));
  const compared = (all: Recording["answers"]) =>
    Object.fromEntries(
      Object.entries(all)
        .filter(([what]) => !(what in DIFFERENCES))
        .map(([what, answer]) => [what, withReadText(answer)]),
    );
  expect(compared(answers)).toEqual(compared(recorded));
  for (const what in DIFFERENCES) {
    expect([what, answers[what]]).not.toEqual([what, recorded[what]]);
  }
});

test("a method that the embedded chain does not offer is -32601, and the docs name it", async () => {
  const page = readFileSync(join(ROOT, "docs", "local-chains.md"), "utf8");
  for (const method of NOT_OURS) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method });
    const headers = { "content-type": "application/json" };
    const answer = await fetch(served.url, { method: "POST", headers, body });
    expect([method, await answer.json()]).toEqual([
      method,
      { jsonrpc: "2.0", id: 1, error: { code: -32601, message: "Method not found" } },
    ]);
    expect(page).toContain(`\`${method}\``);
  }
});

function withReadText({ error, ...answer }: RecordedAnswer): RecordedAnswer {
  if (error === undefined) return answer;
  return { ...answer, error: READ_TEXTS.test(error.message) ? error : { ...error, message: "" } };
}
