import { expect, setDefaultTimeout, test } from "bun:test";
import { resolveHost } from "../../server/src/modules/webhooks/resolve-host.ts";
import { type Answering, DnsServer } from "../../server/src/modules/webhooks/testing/dns-server.ts";
import { Agent } from "../support/agent.ts";
import { pngImage } from "../support/images.ts";
import { startTestServer } from "../support/test-server.ts";
import { figures, scale } from "./scale.ts";

setDefaultTimeout(300_000);

const WEBHOOKS = 5;
/** Requests of honest agents while the names are looked up. */
const SIGN_INS = scale(10, 100);
const UPLOADS = scale(5, 50);
/** Well below what one lookup takes, and far above what these requests take. */
const LONGEST_MS = 2_000;

const DNS_SERVERS: [string, Answering][] = [
  ["never answers", () => "silent"],
  ["fails after two seconds", () => Bun.sleep(2_000).then(() => "servfail")],
];

test.each(DNS_SERVERS)(
  "one wallet's webhooks delay no sign-in and no upload if the DNS server of their names %s",
  async (what, answer) => {
    await using dns = await DnsServer.start(answer);
    await using server = await startTestServer(
      {},
      { resolveReceiver: (host, signal) => resolveHost(host, signal, { servers: [dns.address] }) },
    );
    const attacker = await Agent.signedIn(server);
    const honest = await Agent.signedIn(server);
    const hosts = Array.from({ length: WEBHOOKS }, (_, n) => `hook${n}.attacker.example`);
    for (const host of hosts) {
      const { body } = await attacker.post("/api/v1/webhooks", { url: `https://${host}/` });
      const { id } = body as { id: string };
      for (let n = 0; n < 4; n++) await attacker.post(`/api/v1/webhooks/${id}/test`);
    }
    await Promise.all(hosts.map((host) => dns.asked(host)));

    const signIns = await slowest(SIGN_INS, async () => void (await Agent.signedIn(server)));
    const uploads = await slowest(UPLOADS, async (n) => {
      const response = await fetch(`${server.url}/api/v1/images`, {
        method: "POST",
        headers: { authorization: `Bearer ${honest.token}`, "content-type": "image/png" },
        body: pngImage(8 + n, 8),
      });
      expect(response.status).toBe(200);
    });
    figures(`webhooks whose DNS server ${what}`, { slowestMs: { signIns, uploads } });
    expect(signIns).toBeLessThan(LONGEST_MS);
    expect(uploads).toBeLessThan(LONGEST_MS);
  },
);

/** Sends requests one after another. @returns milliseconds of the slowest */
async function slowest(count: number, send: (index: number) => Promise<void>): Promise<number> {
  let longest = 0;
  for (let index = 0; index < count; index++) {
    const started = performance.now();
    await send(index);
    longest = Math.max(longest, performance.now() - started);
  }
  return Math.round(longest);
}
