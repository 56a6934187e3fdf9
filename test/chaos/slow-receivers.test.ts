import { expect, setDefaultTimeout, test } from "bun:test";
import { Receiver } from "../../server/src/modules/webhooks/testing/receiver.ts";
import { Agent } from "../support/agent.ts";
import { startTestServer } from "../support/test-server.ts";
import { figures, isLong, scale } from "./scale.ts";

setDefaultTimeout(600_000);

const WEBHOOKS = 5;
/**
 * Of 256 attempts at a time a host may have 10 %, and receivers that are new or slow three quarters: of all,
 * and of a host's.
 */
const ATTACKS = {
  "of one host": { wallets: scale(10, 150), isOneHost: true, most: 19 },
  "each of a host of its own": { wallets: scale(52, 150), isOneHost: false, most: 192 },
};
/** Slow but successful: just below the time after which an attempt fails. */
const ANSWER_MS = 14_000;

test.each(Object.entries(ATTACKS))(
  "slow receivers, %s, delay no delivery to another that was prompt",
  async (name, attack) => {
    await using server = await startTestServer();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    let held = 0;
    await using slow = new Receiver(async (_, gone) => {
      held++;
      // An attempt that has timed out holds no place any more.
      await Promise.race([...(isLong ? [Bun.sleep(ANSWER_MS)] : []), ended, gone]);
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
    await honest.launched("FIRST");
    await quick.got(1);
    const { port } = new URL(slow.url);
    for (let wallet = 0; wallet < attack.wallets; wallet++) {
      const attacker = await Agent.signedIn(server);
      await attacker.launched(`SLOW${wallet}`);
      for (let n = 0; n < WEBHOOKS; n++) {
        const host = attack.isOneHost ? "slow" : `slow-${wallet}-${n}`;
        await addWebhook(attacker, `http://${host}.localhost:${port}/${wallet}/${n}`);
      }
    }
    await slow.got(attack.most);

    const delays: number[] = [];
    for (let n = 0; n < 3; n++) {
      const launched = await honest.launch({ ticker: `HONEST${n}` });
      expect(launched.status).toBe(200);
      const launchedAt = performance.now();
      await quick.got(n + 2);
      delays.push(Math.round(performance.now() - launchedAt));
      expect(held).toBeLessThanOrEqual(attack.most);
    }
    const webhooks = attack.wallets * WEBHOOKS;
    figures(`slow receivers, ${name}`, { webhooks, held, honestDelayMs: delays });
    end();
  },
);
