import { expect, setDefaultTimeout, test } from "bun:test";
import { Receiver } from "../../server/src/modules/webhooks/testing/receiver.ts";
import { Agent } from "../support/agent.ts";
import { startTestServer } from "../support/test-server.ts";
import { figures, isLong, scale } from "./scale.ts";

setDefaultTimeout(scale(60_000, 300_000));

const WALLETS = scale(52, 150);
const WEBHOOKS = 5;
/** Of 256 slots a host has 10 %, and new or slow receivers three quarters of that. */
const OF_HOST = 19;
/** Slow but successful: just below the time after which an attempt fails. */
const ANSWER_MS = 14_000;

test("webhooks that answer slowly, however many of one host, delay no delivery to another", async () => {
  await using server = await startTestServer();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let held = 0;
  await using slow = new Receiver(async () => {
    held++;
    await (isLong ? Promise.race([Bun.sleep(ANSWER_MS), ended]) : ended);
    held--;
    return new Response();
  });
  await using quick = new Receiver();
  const addWebhook = async (agent: Agent, url: string) => {
    const answer = await agent.post("/api/v1/webhooks", { url, after: 0 });
    expect(answer.status).toBe(200);
  };
  const honest = await Agent.signedIn(server);
  await addWebhook(honest, quick.url);
  for (let wallet = 0; wallet < WALLETS; wallet++) {
    const attacker = await Agent.signedIn(server);
    await attacker.launched(`SLOW${wallet}`);
    for (let n = 0; n < WEBHOOKS; n++) await addWebhook(attacker, `${slow.url}/${wallet}/${n}`);
  }
  await slow.got(OF_HOST);

  const delays: number[] = [];
  for (let n = 0; n < 3; n++) {
    const launched = await honest.launch({ ticker: `HONEST${n}` });
    expect(launched.status).toBe(200);
    const launchedAt = performance.now();
    await quick.got(n + 1);
    delays.push(Math.round(performance.now() - launchedAt));
    expect(held).toBeLessThanOrEqual(OF_HOST);
  }
  figures("slow receivers", { webhooks: WALLETS * WEBHOOKS, held, honestDelayMs: delays });
  end();
});
