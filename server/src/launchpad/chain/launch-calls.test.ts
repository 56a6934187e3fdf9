import { describe, expect, test } from "bun:test";
import { generateKeypair } from "../../base/native-keys.ts";
import { signBy, stepTwo } from "../signing/testing/steps.ts";
import type { HostileRpc } from "./testing/hostile-rpc.ts";
import { Journal } from "./testing/journal.ts";
import { never, order, SOL, testLaunchpad } from "./testing/test-launchpad.ts";

const MOST = 7;
/** Answers that say `processed` before one says more: a transaction is asked for each half second. */
const UNCERTAIN = 1;

function confirmLater(rpc: HostileRpc, word: "confirmed" | "finalized") {
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

const NODES: Readonly<Record<string, (rpc: HostileRpc) => void>> = {
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
