import { expect, setDefaultTimeout, test } from "bun:test";
import { Agent, send } from "../support/agent.ts";
import { startTestServer } from "../support/test-server.ts";
import { figures, scale } from "./scale.ts";

setDefaultTimeout(600_000);

/** By default 10,000, which 1,250 wallets took. */
const STREAMS = scale(200, 2_000);
const OF_AGENT = 8;
const WALLETS = STREAMS / OF_AGENT;
const OF_ADDRESS = Math.max(OF_AGENT, STREAMS / 100);
const OF_NETWORK = STREAMS / 10;

const ATTACKS = {
  "four addresses": {
    addressOf: (n: number) => ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1"][n % 4],
    most: 4 * OF_ADDRESS,
  },
  "all addresses of one network": {
    addressOf: (n: number) => `2001:db8:0:${n.toString(16)}::1`,
    most: OF_NETWORK,
  },
} as const;

test.each(Object.entries(ATTACKS))(
  "wallets of %s cannot take all streams",
  async (name, { addressOf, most }) => {
    await using server = await startTestServer({
      TRUST_PROXY: "true",
      MAX_STREAMS: String(STREAMS),
      MAX_STREAMS_PER_AGENT: String(OF_AGENT),
    });
    const ends = new AbortController();
    // An answer that nothing refers to is closed.
    const held: Response[] = [];
    const open = async ({ token }: Agent, address = "") => {
      const headers = { authorization: `Bearer ${token}`, "x-forwarded-for": address };
      const { signal } = ends;
      const answer = await fetch(`${server.url}/api/v1/events/stream`, { headers, signal });
      held.push(answer);
      return answer.status;
    };
    const wait = ({ token }: Agent, address = "") =>
      send(server.url, "GET", "/api/v1/events?after=latest&wait=1", {
        token,
        headers: { "x-forwarded-for": address },
      });

    const statuses: number[] = [];
    for (let n = 0; n < WALLETS; n++) {
      const attacker = await Agent.signedIn(server);
      const address = addressOf(n);
      const opened = Array.from({ length: OF_AGENT }, () => open(attacker, address));
      statuses.push(...(await Promise.all(opened)));
    }
    const late = await wait(await Agent.signedIn(server), addressOf(0));
    const honest = await Agent.signedIn(server);
    const stream = await open(honest, "192.0.66.1");
    const waited = await wait(honest, "192.0.66.1");
    ends.abort();

    const taken = statuses.filter((status) => status === 200).length;
    figures("streams of one attacker", { of: name, asked: statuses.length, taken, most });
    expect(taken).toBe(most);
    expect(late).toMatchObject({ status: 429, body: { code: "share_used" } });
    expect([stream, waited.status]).toEqual([200, 200]);
  },
);
