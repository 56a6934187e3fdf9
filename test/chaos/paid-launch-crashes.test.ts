import { afterAll, expect, test } from "bun:test";
import { PreparedLaunchSchema } from "@tokenctl/shared/contract/launch";
import { PAID_LAUNCH_CRASH_POINTS } from "../../server/src/launchpad/crash-point.ts";
import { Agent, expectShape } from "../support/agent.ts";
import { installBinaries } from "../support/binaries.ts";
import { startTokend, tempFolder } from "../support/processes.ts";
import { isConnectionLoss } from "./agent-activity.ts";

const folder = tempFolder();
const { tokend } = await installBinaries(folder.path);
afterAll(() => folder[Symbol.dispose]());

/** Signs the launch, if it waits for that. @param onSigned called with the cost before it is sent */
async function sign(agent: Agent, eventId: string, onSigned: (sol: number) => void) {
  const path = `/api/v1/tokens/launch/${eventId}/transaction`;
  const prepared = await agent.post(path);
  if (prepared.status === 409) return;
  const { transaction, costSOL } = expectShape(PreparedLaunchSchema, prepared.body);
  const signedTransaction = agent.signBeside(transaction);
  onSigned(costSOL.total);
  await agent.post(path, { signedTransaction });
}

test.each(PAID_LAUNCH_CRASH_POINTS)(
  "a server killed at %s makes one token, which its agent pays for once",
  async (step) => {
    using data = tempFolder();
    let agent: Agent;
    let cost = 0;
    const onSigned = (sol: number) => {
      cost = sol;
    };
    // Asked again after a crash, it is the same launch.
    const launch = async () => {
      const { body } = await agent.launch(
        { ticker: "PAID", payer: "agent" },
        { "idempotency-key": "once" },
      );
      return (body as { eventId: string }).eventId;
    };
    {
      await using server = await startTokend([tokend], data.path, {});
      agent = await Agent.signedIn(server);
      await agent.post("/dev/airdrop", { sol: 1 });
      await server.end("SIGTERM");
    }
    {
      const server = await startTokend([tokend], data.path, { TOKEND_CRASH_AT: step });
      agent.server = server;
      await agent.signIn();
      try {
        await sign(agent, await launch(), onSigned);
      } catch (error) {
        if (!isConnectionLoss(error)) throw error;
      }
      await server.exited;
    }
    await using server = await startTokend([tokend], data.path, {});
    agent.server = server;
    await agent.signIn();
    const eventId = await launch();
    for (;;) {
      const { status, waitingFor } = await agent.status(eventId);
      if (status !== "pending") break;
      if (waitingFor === "agent_signature") await sign(agent, eventId, onSigned);
      await Bun.sleep(20);
    }
    expect(await agent.status(eventId)).toMatchObject({ status: "success" });
    const { body } = await agent.get(`/api/v1/wallet?wallet=${agent.wallet}`);
    expect((body as { balanceSOL: number }).balanceSOL).toBeCloseTo(1 - cost, 6);
  },
);
