import { expect, setDefaultTimeout, test } from "bun:test";
import type { AgentEvent } from "@tokenctl/shared/types";
import { Webhook } from "standardwebhooks";
import { TokenctlClient } from "../../sdk/src/client.ts";
import { generateSecretKey, keypairSigner } from "../../sdk/src/signer.ts";
import { type ServerProcess, startTokend, tempFolder } from "../support/processes.ts";
import { testProgram } from "../support/test-programs.ts";
import { figures, scale } from "./scale.ts";
import { StreamCutter } from "./stream-cutter.ts";

setDefaultTimeout(scale(600_000, 1_800_000));

const AGENTS = scale(10, 200);
const LAUNCHES_PER_AGENT = scale(2, 5);
const KILLS = scale(1, 20);
/** Attempts of one event that fail on purpose; under load others may be late. */
const MAX_FAILURES = 1;
/** The server's clock runs ten times faster than ours: a receiver has 1.5 s for its answer. */
const SERVER = [...testProgram("clocked-tokend"), "10"];

/** How a receiver treats the first attempts of an event. */
const FAULTS = {
  hangs: () => new Promise<Response>(() => {}),
  answers500: async () => new Response(null, { status: 500 }),
  redirects: async (elsewhere: string) => Response.redirect(elsewhere, 307),
  isSlow: async () => {
    await Bun.sleep(25);
    return null;
  },
  isWell: async () => null,
};
type Fault = keyof typeof FAULTS;
const KINDS = Object.keys(FAULTS) as Fault[];

/** An agent that launches, and its receiver. */
class Subscriber {
  readonly client: TokenctlClient;
  readonly launches: string[] = [];
  /** The events that its receiver accepted, repeats included. */
  readonly accepted: AgentEvent[] = [];
  readonly #fault: Fault;
  readonly #failures = new Map<number, number>();
  secret = "";
  strangers = 0;

  constructor(apiUrl: string, index: number) {
    const signer = keypairSigner(generateSecretKey().secretKey);
    this.client = new TokenctlClient({ apiUrl, signer, maxRetries: 100 });
    this.#fault = KINDS[index % KINDS.length] ?? "isWell";
  }

  async launch(ticker: string): Promise<void> {
    const { eventId } = await this.client.launch(
      { name: ticker, ticker },
      { idempotencyKey: ticker },
    );
    this.launches.push(eventId);
  }

  async answer(request: Request, elsewhere: string): Promise<Response> {
    const body = await request.text();
    const { headers } = request;
    const time = new Date(Number(headers.get("webhook-timestamp")) * 1000);
    // Not `verify`: the server's clock is ahead of ours.
    const expected = new Webhook(this.secret).sign(headers.get("webhook-id") ?? "", time, body);
    if (!headers.get("webhook-signature")?.split(" ").includes(expected)) this.strangers++;
    const event = JSON.parse(body) as AgentEvent;
    const failures = this.#failures.get(event.id) ?? 0;
    this.#failures.set(event.id, failures + 1);
    const refusal = failures < MAX_FAILURES ? await FAULTS[this.#fault](elsewhere) : null;
    if (refusal) return refusal;
    this.accepted.push(event);
    return new Response(null, { status: 204 });
  }

  /** The ids of its events, in the order in which each came first. */
  get ids(): number[] {
    return [...new Set(this.accepted.map(({ id }) => id))];
  }
}

test("each receiver gets each event of its agent and no other's, in order, while receivers fail and servers are killed", async () => {
  using folder = tempFolder();
  // Here it only keeps the address of a server that is restarted.
  await using proxy = await StreamCutter.start();
  const env = { CHAIN: "local", PUBLIC_URL: proxy.url, MAX_LAUNCHES_PER_AGENT: "0" };
  let server: ServerProcess | null = null;
  const start = async () => {
    server = await startTokend(SERVER, folder.path, env);
    proxy.target = Number(new URL(server.url).port);
  };
  let killing = Promise.resolve();
  await using stack = new AsyncDisposableStack();
  stack.defer(async () => {
    await killing.catch(() => {});
    await server?.[Symbol.asyncDispose]();
  });
  await start();
  const subscribers = Array.from(
    { length: AGENTS },
    (_, index) => new Subscriber(proxy.url, index),
  );
  let followed = 0;
  using elsewhere = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => {
      followed++;
      return new Response();
    },
  });
  const total = AGENTS * LAUNCHES_PER_AGENT;
  const { promise: done, resolve: finish } = Promise.withResolvers<void>();
  let kills = 0;
  const onAccepted = () => {
    const arrived = subscribers.reduce((sum, { ids }) => sum + ids.length, 0);
    if (arrived === total) finish();
    if (kills >= KILLS || arrived < (total * (kills + 1)) / (KILLS + 2)) return;
    kills++;
    killing = killing.then(async () => {
      await server?.end("SIGKILL");
      await start();
    });
  };
  using receivers = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const subscriber = subscribers[Number(new URL(request.url).pathname.slice(1))];
      if (!subscriber) return new Response(null, { status: 404 });
      const answer = await subscriber.answer(request, elsewhere.url.href);
      onAccepted();
      return answer;
    },
  });
  await Promise.all(
    subscribers.map(async (subscriber, index) => {
      const { secret } = await subscriber.client.webhooks.create({
        url: `${receivers.url.origin}/${index}`,
      });
      subscriber.secret = secret;
      for (let n = 0; n < LAUNCHES_PER_AGENT; n++) await subscriber.launch(`A${index}L${n}`);
    }),
  );
  await done;
  await killing;
  let repeats = 0;
  for (const { client, ids, accepted, launches, strangers } of subscribers) {
    expect(strangers).toBe(0);
    expect(ids).toEqual(launches.map((_, index) => index + 1));
    const { events } = await client.eventList({ after: 0 });
    const firsts = ids.map((id) => accepted.find((event) => event.id === id));
    expect(firsts).toEqual(events);
    expect(events.map(({ data }) => data.eventId).toSorted()).toEqual(launches.toSorted());
    repeats += accepted.length - ids.length;
  }
  expect([followed, kills]).toEqual([0, KILLS]);
  figures("webhooks while receivers fail and servers are killed", {
    agents: AGENTS,
    launches: total,
    kills,
    repeats,
    followed,
  });
});
