import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  ComputeBudgetProgram,
  Keypair,
  type Transaction,
  TransactionInstruction,
} from "@solana/web3.js";
import { PreparedLaunchSchema } from "@tokenctl/shared/contract/launch";
import { LaunchCheckSchema } from "@tokenctl/shared/contract/launch-check";
import { HealthSchema } from "@tokenctl/shared/contract/service";
import type { LaunchRequest } from "@tokenctl/shared/types";
import { describeMeteora } from "../../server/src/launchpad/meteora/testing/programs.ts";
import { Agent, expectShape } from "../support/agent.ts";
import { clockGuard } from "../support/assertions.ts";
import { airdrop } from "../support/node.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { Cluster } from "./cluster.ts";
import { figures } from "./scale.ts";

setDefaultTimeout(300_000);

const ATTACKS = 6;
const SIGN_WITHIN_MS = 30_000;

/** Two bytes instead of a limit of compute units. */
const SHORT_LIMIT = new TransactionInstruction({
  programId: ComputeBudgetProgram.programId,
  keys: [],
  data: Buffer.of(2, 0),
});

/** What an agent adds to the transaction that it was given: nodes refuse the first three before they simulate. */
const ADDITIONS: readonly (readonly [string, (read: Transaction) => void])[] = [
  [
    "a second limit of compute units",
    (read) => void read.add(ComputeBudgetProgram.setComputeUnitLimit({ units: 1 })),
  ],
  ["a limit of two bytes", (read) => void read.add(SHORT_LIMIT)],
  ["70 assertions", (read) => void read.add(...Array.from({ length: 70 }, clockGuard))],
  ["nine assertions", (read) => void read.add(...Array.from({ length: 9 }, clockGuard))],
  [
    "another blockhash",
    (read) => {
      read.recentBlockhash = Keypair.generate().publicKey.toBase58();
    },
  ],
];

describeMeteora("an agent's bytes, on the real programs", () => {
  let cluster: Cluster;
  let server: TestServer;
  let tickers = 0;
  beforeAll(async () => {
    cluster = await Cluster.start(1);
    const { env } = await cluster.launchWallet();
    server = await startTestServer({
      ...env,
      RPC_URL: cluster.url,
      LAUNCH_PAYER: "either",
      MAX_LAUNCHES_PER_AGENT: "3",
      SIGN_WITHIN_SECONDS: `${SIGN_WITHIN_MS / 1000}`,
    });
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  async function accepted(sol: number, fields: Partial<LaunchRequest> = {}) {
    const agent = await Agent.signedIn(server);
    if (sol > 0) await airdrop(cluster.chain, agent.keypair.publicKey, sol * 1e9);
    const ticker = `BYTES${tickers++}`;
    const eventId = await agent.accepted(ticker, { payer: "agent", ...fields });
    const path = `/api/v1/tokens/launch/${eventId}`;
    const step = (json?: object) => agent.post(`${path}/transaction`, json);
    return {
      ...{ agent, ticker, eventId, path, step },
      /** Step 2 with what step 1 returned, changed and signed. */
      async sign(change = (_: Transaction) => {}) {
        const { body } = await step();
        const { transaction } = expectShape(PreparedLaunchSchema, body);
        return step({ signedTransaction: agent.signBeside(transaction, change) });
      },
    };
  }

  const health = async () =>
    expectShape(HealthSchema, await (await fetch(`${server.url}/health`)).json());
  const codeOf = ({ body }: { body: unknown }) => (body as { code?: string }).code;

  test("stop no one: they are refused, and honest launches go on at once", async () => {
    for (const [what, change] of ADDITIONS) {
      for (let n = 0; n < ATTACKS; n++) {
        const launch = await accepted(1);
        const answer = await launch.sign(change).catch(String);
        // 70 assertions do not fit into a transaction of web3.js.
        if (typeof answer === "string") {
          expect([what, answer]).toEqual([what, expect.stringContaining("too large")]);
          break;
        }
        expect([what, answer.status, codeOf(answer)]).toEqual([what, 400, "launch_mismatch"]);
      }
    }
    expect(await health()).toMatchObject({ ok: true });
    const startedAt = performance.now();
    const honest = await Agent.signedIn(server);
    expect(await honest.launched(`HONEST${tickers++}`)).toMatchObject({ status: "success" });
    const paying = await accepted(1);
    expect((await paying.sign()).status).toBe(200);
    expect(await paying.agent.untilEnded(paying.eventId)).toMatchObject({ status: "success" });
    figures("honest launches beside bytes that nodes refuse", {
      attacks: ATTACKS * ADDITIONS.length,
      seconds: (performance.now() - startedAt) / 1000,
    });
  });

  test("that buy more than the curve holds are refused in the check and in step 1, in words", async () => {
    const fields = { firstBuySOL: 100_000 } as const;
    const launch = await accepted(200_000, fields);
    const request = { name: "Large", ticker: `BYTES${tickers++}`, payer: "agent", ...fields };
    const checked = await launch.agent.post("/api/v1/tokens/launch/check", request);
    const { ok, refusals } = expectShape(LaunchCheckSchema, checked.body);
    const refusal = {
      code: "launch_build_failed",
      error: expect.stringMatching(/larger than the curve/),
    };
    expect([ok, refusals]).toEqual([false, [expect.objectContaining(refusal)]]);
    expect((await launch.step()).body).toMatchObject(refusal);
  });
});
