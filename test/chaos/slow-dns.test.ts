import { expect, setDefaultTimeout, test } from "bun:test";
import { resolveHost } from "../../server/src/modules/webhooks/post.ts";
import { DnsServer } from "../../server/src/modules/webhooks/testing/dns-server.ts";
import { ManualClock } from "../../server/src/testing/manual-clock.ts";
import { Agent } from "../support/agent.ts";
import { pngImage } from "../support/images.ts";
import { startTestServer } from "../support/test-server.ts";
import { scale } from "./scale.ts";

setDefaultTimeout(300_000);

const WEBHOOKS = 5;
const SIGN_INS = scale(10, 100);
/** The long run takes all that an agent may upload in a day. */
const UPLOADS = scale(5, 20);

test("no sign-in and no upload waits for the DNS server of one wallet's webhooks, which never answers", async () => {
  await using dns = await DnsServer.start(() => "silent");
  const over = new AbortController();
  // However slow the machine is, a look-up lasts until the others are served.
  const patience = { clock: new ManualClock(), query: { timeout: 5_000, tries: 100 } };
  let ended = 0;
  const lookUp = async (host: string) => {
    const options = { servers: [dns.address], ...patience };
    return resolveHost(host, over.signal, options).finally(() => {
      ended++;
    });
  };
  await using server = await startTestServer({}, { resolveReceiver: lookUp });
  using _ = { [Symbol.dispose]: () => over.abort() };
  const attacker = await Agent.signedIn(server);
  const honest = await Agent.signedIn(server);
  const hosts = Array.from({ length: WEBHOOKS }, (_, n) => `hook${n}.attacker.example`);
  for (const host of hosts) {
    const { body } = await attacker.post("/api/v1/webhooks", { url: `https://${host}/` });
    const { id } = body as { id: string };
    for (let n = 0; n < 4; n++) await attacker.post(`/api/v1/webhooks/${id}/test`);
  }
  await Promise.all(hosts.map((host) => dns.asked(host)));

  for (let n = 0; n < SIGN_INS; n++) await Agent.signedIn(server);
  for (let n = 0; n < UPLOADS; n++) {
    expect((await honest.upload(pngImage(8 + n, 8))).status).toBe(200);
  }
  expect(ended).toBe(0);
});
