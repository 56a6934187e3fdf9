import { describe, expect, test } from "bun:test";
import { generateKeypair } from "../../base/native-keys.ts";
import { checkNode } from "../../commands/doctor/nodes.ts";
import type { FaultyRpc } from "../../solana/testing/faulty-rpc.ts";
import { signBy, stepTwo } from "../signing/testing/steps.ts";
import { Journal } from "./testing/journal.ts";
import { never, order, SOL, testLaunchpad } from "./testing/test-launchpad.ts";
import { tokenWithFees } from "./testing/token-with-fees.ts";

const http = (status: number) => () => new Response("<html>no</html>", { status });
const jsonRpc = (content: object) => () => Response.json({ jsonrpc: "2.0", id: 1, ...content });
const error = (code: number) => jsonRpc({ error: { code, message: "No" } });

/** A node's answer to every request of a method, and what the service reports. */
const ANSWERS: Readonly<
  Record<string, { readonly answer: () => Response; readonly says: string }>
> = {
  "HTTP 400": { answer: http(400), says: "answers with an error (METHOD, HTTP 400)" },
  "HTTP 401": { answer: http(401), says: "refuses our key (METHOD, HTTP 401)" },
  "HTTP 403": { answer: http(403), says: "does not offer a method (METHOD, HTTP 403)" },
  "HTTP 429": { answer: http(429), says: "limits our requests (METHOD, HTTP 429)" },
  "-32601": { answer: error(-32601), says: "does not offer a method (METHOD, -32601)" },
  "-32602": { answer: error(-32602), says: "refuses a request (METHOD, -32602)" },
  "-32429": { answer: error(-32429), says: "limits our requests (METHOD, -32429)" },
  null: { answer: jsonRpc({ result: null }), says: "gives malformed answers (METHOD)" },
  HTML: { answer: http(200), says: "gives malformed answers (METHOD)" },
};

/** A word, or the text of a `ChainUnavailableError`: `says` stands for the answer's text. */
type Row = readonly [launch: string, claim: string, health: string, doctor: string];

const EVERYTHING_STOPS: Row = ["says", "says", "down", "fails"];
const GOES_ON: Row = ["works", "works", "warns", "warns"];
const UNUSED: Row = ["works", "works", "well", "ok"];
const NEVER_SENT: Row = [
  "ChainUnavailableError: The launch's transaction expired before it landed",
  "ExpiredError: ",
  "down",
  "fails",
];
/** What launches, claims, health and the doctor do, with exceptions by answer. */
const METHODS: Readonly<Record<string, { readonly row: Row } & Readonly<Record<string, Row>>>> = {
  getMultipleAccounts: { row: EVERYTHING_STOPS },
  simulateTransaction: { row: EVERYTHING_STOPS },
  getSignatureStatuses: { row: EVERYTHING_STOPS },
  getFeeForMessage: { row: ["says", "says", "warns", "warns"] },
  // That a node refuses any bytes shows only in launches and claims.
  sendTransaction: { row: NEVER_SENT, "-32602": [NEVER_SENT[0], NEVER_SENT[1], "well", "ok"] },
  // It is needed only for transactions that do not land.
  getEpochInfo: { row: ["works", "works", "down", "fails"] },
  getTransaction: {
    row: ["works", "says", "down", "fails"],
    // Nodes answer like this for a transaction that they do not know.
    null: [
      "works",
      "ChainUnavailableError: The transaction landed, but the Solana RPC does not return what it did",
      "well",
      "ok",
    ],
  },
  getRecentPrioritizationFees: { row: GOES_ON },
  getHealth: { row: GOES_ON },
  getTokenAccountsByOwner: { row: GOES_ON },
  getSignaturesForAddress: { row: GOES_ON },
  getGenesisHash: { row: ["works", "works", "well", "fails"] },
  getVersion: { row: UNUSED },
  getSlot: { row: UNUSED },
  getBlocks: { row: UNUSED },
  getBlockTime: { row: UNUSED },
};

const wordOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "works",
    ({ name, message }) => `${name}: ${message}`,
  );

async function openScene(method: string) {
  const scene = await tokenWithFees();
  const { launchpad, rpc, agent, build, connection, clock } = scene;
  // The fees that the first launch read are too old.
  clock.advance(11_000);
  if (method === "getFeeForMessage") {
    // A node whose simulations name no fee is asked for it.
    rpc.rewrite("simulateTransaction", (answer) => {
      if (answer.result) answer.result.value.fee = null;
      return answer;
    });
  }
  return {
    rpc,
    async outcomes() {
      const launch = await wordOf(launchpad.deploy(order(), new Journal(), never));
      const claim = await wordOf(build().then((claim) => stepTwo(launchpad, signBy(agent, claim))));
      const { ok, problem, warning } = await launchpad.probe();
      const texts: string[] = [];
      let doctor = "ok";
      for await (const finding of checkNode({ connection, bound: null })) {
        if (finding.verdict === "ok") continue;
        if (doctor !== "fails") doctor = finding.verdict === "failure" ? "fails" : "warns";
        texts.push(finding.text);
      }
      const health = ok ? (warning ? "warns" : "well") : "down";
      return { row: [launch, claim, health, doctor], health: problem ?? warning, doctor: texts };
    },
  };
}

// An answer is classified before its method matters, except for null, which each method reads itself.
const pairs = Object.entries(METHODS).flatMap(([method, { row: _, ...exceptions }]) => {
  const isFirst = method === "getMultipleAccounts";
  const names = isFirst ? Object.keys(ANSWERS) : ["-32601", "null", ...Object.keys(exceptions)];
  return [...new Set(names)].map((name) => [method, name] as const);
});

test.each(pairs)("a node that answers to %s with %s", async (method, name) => {
  const { answer, says } = ANSWERS[name] as (typeof ANSWERS)[string];
  const rows = METHODS[method] as (typeof METHODS)[string];
  const text = `The Solana RPC ${says.replace("METHOD", method)}`;
  const { rpc, outcomes } = await openScene(method);
  rpc.spoil(answer, method);
  const expected = (rows[name] ?? rows.row).map((word) =>
    word === "says" ? `ChainUnavailableError: ${text}` : word,
  );
  const { row, health, doctor } = await outcomes();
  expect(row).toEqual(expected);
  // Both name the method, and say what to do.
  if (row[2] !== "well") expect(health).toMatch(adviceAfter(text));
  if (row[3] !== "ok") expect(doctor.join("; ")).toMatch(adviceAfter(text));
});

function adviceAfter(text: string): RegExp {
  const escaped = text.replace(/[()]/g, "\\$&");
  return new RegExp(`${escaped}: (check the key|ask the provider|raise the provider)`);
}

const MOST = 7;
/** How many answers are `processed` before another one: the service asks each half second. */
const UNCERTAIN = 1;

function confirmLater(rpc: FaultyRpc, word: "confirmed" | "finalized") {
  const asked = new Map<string, number>();
  rpc.rewrite("getSignatureStatuses", (answer, [signatures]) => {
    for (const [index, status] of answer.result.value.entries()) {
      if (status === null) continue;
      const signature = String((signatures as string[])[index]);
      const times = asked.get(signature) ?? 0;
      asked.set(signature, times + 1);
      status.confirmationStatus = times < UNCERTAIN ? "processed" : word;
    }
    return answer;
  });
}

const NODES: Readonly<Record<string, (rpc: FaultyRpc) => void>> = {
  "confirms before it finalizes": (rpc) => confirmLater(rpc, "confirmed"),
  "confirms by finalizing": (rpc) => confirmLater(rpc, "finalized"),
  "no longer knows confirmed": (rpc) => {
    confirmLater(rpc, "finalized");
    rpc.knowOnlyFinalized();
  },
};

describe.each(Object.keys(NODES))("on a node that %s", (name) => {
  async function open() {
    const made = testLaunchpad({ payers: ["operator", "agent"] });
    NODES[name]?.(made.rpc);
    // As after a server's start, by when the node has said which states it knows.
    await made.launchpad.probe();
    made.clock.advance(11_000);
    made.rpc.calls.length = 0;
    return made;
  }

  test(`a launch takes at most ${MOST} RPC calls`, async () => {
    const { launchpad, rpc, mints } = await open();
    await launchpad.deploy(order(), new Journal(), never);
    expect(mints()).toBe(1);
    expect(rpc.count("getSignatureStatuses")).toBe(UNCERTAIN + 1);
    expect(rpc.calls.length).toBeLessThanOrEqual(MOST);
  });

  test(`a launch that its agent pays for takes at most ${MOST} RPC calls`, async () => {
    const { launchpad, rpc, chain, mints } = await open();
    const agent = generateKeypair();
    chain.airdrop(agent.publicKey, SOL);
    const launch = { ...order(agent.publicKey.toBase58()), payer: "agent" } as const;
    const unsigned = await launchpad.buildLaunch(launch);
    const about = { kind: "launch", tokens: [unsigned.token], order: launch } as const;
    await stepTwo(launchpad, signBy(agent, unsigned, about));
    expect(mints()).toBe(1);
    expect(rpc.count("getSignatureStatuses")).toBe(UNCERTAIN + 1);
    expect(rpc.calls.length).toBeLessThanOrEqual(MOST);
  });
});

test("nothing is signed with a blockhash that a node calls valid for days", async () => {
  const { launchpad, rpc, build } = await tokenWithFees();
  rpc.rewrite("simulateTransaction", (answer) => {
    answer.result.value.replacementBlockhash.lastValidBlockHeight += 1_000_000;
    return answer;
  });
  const said = /gives malformed answers \(simulateTransaction\)/;
  const sent = rpc.count("sendTransaction");
  await expect(launchpad.deploy(order(), new Journal(), never)).rejects.toThrow(said);
  await expect(build()).rejects.toThrow(said);
  expect(rpc.count("sendTransaction")).toBe(sent);
});
