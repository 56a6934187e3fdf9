import { type Connection, Keypair, SystemProgram, Transaction } from "@solana/web3.js";
import { systemClock } from "../../server/src/base/clock.ts";
import { Journal } from "../../server/src/launchpad/chain/testing/journal.ts";
import {
  never,
  order,
  WIDE_LIMITS,
  wholeLaunchpad,
} from "../../server/src/launchpad/chain/testing/test-launchpad.ts";
import { DEFAULT_CONFIG_TERMS } from "../../server/src/launchpad/meteora/config-terms.ts";
import { createConfig } from "../../server/src/launchpad/meteora/create-config.ts";
import { programFor } from "../../server/src/launchpad/meteora/testing/launchpad.ts";
import { send } from "../../server/src/launchpad/meteora/testing/send.ts";
import { signBy, stepTwo } from "../../server/src/launchpad/signing/testing/steps.ts";
import { createConnection } from "../../server/src/solana/connection.ts";
import { keypairSigner } from "../../server/src/solana/wallet-signer.ts";
import { airdrop } from "../../test/support/node.ts";
import { VALIDATOR, ValidatorNode } from "../../test/validator/node.ts";
import { whyNoCluster } from "../harness/cluster.ts";
import { atMost } from "../harness/figures.ts";
import type { Row, RowContext, RowResult } from "../harness/row.ts";
import { median } from "../harness/statistics.ts";

const MOST_CALLS = 7;
const POLL_MS = 50;
/** In each, everything is measured once; the first ones, in which the wait is learned, do not count. */
const PHASES = 8;

/** How soon a launch is on a real node, beside a plain transfer that starts at the same phase of a slot. */
export const landing: Row = {
  id: "landing",
  work: "landing: a launch on solana-test-validator, beside a plain transfer",
  run,
};

async function run({ scale, say }: RowContext): Promise<RowResult | string> {
  const why = await whyNoCluster();
  if (why !== null) return why;
  if (VALIDATOR === null) return "solana-test-validator is not on this machine";
  const lines: string[][] = [];
  const goals = [];
  for (const isAlpenglow of [false, true]) {
    await using node = await ValidatorNode.start({ isAlpenglow });
    const name = isAlpenglow ? "Alpenglow" : "Tower";
    say(`${name} runs`);
    const { transfer, ...launches } = await measure(node, scale.quick ? 2 : 2 + scale.rounds);
    const plain = median(transfer.times);
    lines.push([`${name}: transfer`, plain.toFixed(0), "1.00 ×", "", ""]);
    for (const [payer, { times, calls, statuses }] of Object.entries(launches)) {
      const ms = median(times);
      const what = `a transfer's time, of a launch that ${payer} pays (${name})`;
      lines.push([
        `${name}: launch, ${payer} pays`,
        ms.toFixed(0),
        `${(ms / plain).toFixed(2)} ×`,
        calls.toFixed(1),
        statuses.toFixed(1),
      ]);
      goals.push(atMost(ms / plain, 1.2, what), {
        goal: `≤ ${MOST_CALLS} RPC calls of it`,
        reached: calls.toFixed(1),
        isReached: calls <= MOST_CALLS,
      });
    }
  }
  const columns = ["", "p50 ms", "of a transfer", "RPC calls", "of them statuses"];
  const notes = [
    `The transfer is polled every ${POLL_MS} ms. The service's launches run in the process of the bench, one`,
    "after another; what it asks in its probes is read before. Slots have 400 ms. How often it asks for a status",
    "depends on how evenly transactions land, and so on what else the machine does; all else is four or five calls.",
  ];
  return { goals, figures: { columns, lines }, notes };
}

async function measure(node: ValidatorNode, rounds: number) {
  const calls = { all: 0, statuses: 0 };
  const connection = createConnection(node.url, {
    onRpc: (method) => {
      calls.all += 1;
      if (method === "getSignatureStatuses") calls.statuses += 1;
    },
  });
  const [wallet, agent] = [Keypair.generate(), Keypair.generate()];
  for (const { publicKey } of [wallet, agent]) await airdrop(node.connection, publicKey, 1e13);
  const made = createConfig(wallet.publicKey, DEFAULT_CONFIG_TERMS);
  await send(node.connection, made.instructions, [wallet, ...made.signers]);
  const launchpad = wholeLaunchpad({
    connection,
    wallet: keypairSigner(wallet),
    payers: ["operator", "agent"],
    program: programFor({ connection }, wallet, made.config),
    clock: systemClock,
    limits: WIDE_LIMITS,
    feeCaps: WIDE_LIMITS,
  });
  const work = {
    transfer: () => transfer(node.connection, agent),
    operator: () => launchpad.deploy(order(), new Journal(), never),
    agent: async () => {
      const launch = { ...order(agent.publicKey.toBase58()), payer: "agent" } as const;
      const unsigned = await launchpad.buildLaunch(launch);
      const about = { kind: "launch", tokens: [unsigned.token], order: launch } as const;
      await stepTwo(launchpad, signBy(agent, unsigned, about));
    },
  };
  const results = Object.fromEntries(
    Object.keys(work).map((name) => [name, { times: [], calls: 0, statuses: 0 }]),
  ) as unknown as Record<keyof typeof work, { times: number[]; calls: number; statuses: number }>;
  for (let round = 0; round < rounds; round++) {
    for (let phase = 0; phase < PHASES; phase++) {
      for (const [name, act] of Object.entries(work) as [
        keyof typeof work,
        () => Promise<unknown>,
      ][]) {
        await launchpad.probe();
        await untilPhase(node.connection, (400 / PHASES) * phase);
        const [started, before] = [performance.now(), { ...calls }];
        await act();
        // The first round learns how long it takes to land.
        if (round === 0) continue;
        const [result, counted] = [results[name], (rounds - 1) * PHASES];
        result.times.push(performance.now() - started);
        result.calls += (calls.all - before.all) / counted;
        result.statuses += (calls.statuses - before.statuses) / counted;
      }
    }
  }
  return results;
}

async function untilPhase(connection: Connection, milliseconds: number): Promise<void> {
  const slot = await connection.getSlot("processed");
  while ((await connection.getSlot("processed")) === slot) await Bun.sleep(5);
  await Bun.sleep(milliseconds);
}

let transfers = 0;

async function transfer(connection: Connection, from: Keypair): Promise<void> {
  const latest = await connection.getLatestBlockhash();
  const pay = SystemProgram.transfer({
    fromPubkey: from.publicKey,
    toPubkey: from.publicKey,
    lamports: transfers++,
  });
  const transaction = new Transaction({ feePayer: from.publicKey, ...latest }).add(pay);
  transaction.sign(from);
  const signature = await connection.sendRawTransaction(transaction.serialize());
  for (;;) {
    const { value } = await connection.getSignatureStatus(signature);
    if (/confirmed|finalized/.test(value?.confirmationStatus ?? "")) return;
    await Bun.sleep(POLL_MS);
  }
}
