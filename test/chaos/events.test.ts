import { expect, setDefaultTimeout, test } from "bun:test";
import type { AgentEvent } from "@tokenctl/shared/types";
import { TokenctlClient } from "../../sdk/src/client.ts";
import { generateSecretKey, keypairSigner } from "../../sdk/src/signer.ts";
import { type ServerProcess, startTokend, tempFolder } from "../support/processes.ts";
import { testProgram } from "../support/test-programs.ts";
import { figures, scale } from "./scale.ts";
import { StreamCutter } from "./stream-cutter.ts";

setDefaultTimeout(scale(600_000, 1_800_000));

const AGENTS = scale(10, 200);
const LAUNCHES_PER_AGENT = 5;
const KILLS = scale(3, 20);
/** Streams that end because their token has expired; a server notices it at a heartbeat, after 15 s. */
const EXPIRIES = scale(0, AGENTS);
/** How many times faster than ours the server's clock runs: a token lasts 90 seconds, or nine. */
const SPEED = scale(10, 100);
const SERVER = testProgram("clocked-tokend");

/** An agent that launches, and everything that it hears. */
class Listener {
  readonly client: TokenctlClient;
  readonly launches: string[] = [];
  readonly heard: AgentEvent[] = [];
  readonly #name: string;

  constructor(apiUrl: string, index: number) {
    const { secretKey } = generateSecretKey();
    this.#name = `A${index}L`;
    this.client = new TokenctlClient({ apiUrl, signer: keypairSigner(secretKey), maxRetries: 100 });
  }

  async launch(): Promise<void> {
    const ticker = `${this.#name}${this.launches.length}`;
    const { eventId } = await this.client.launch(
      { name: ticker, ticker },
      { idempotencyKey: ticker },
    );
    this.launches.push(eventId);
  }

  /** Listens until it has heard of `count` launches. @param onEvent called after each event */
  async listen(count: number, onEvent: () => void): Promise<void> {
    for await (const event of this.client.events({ after: 0 })) {
      this.heard.push(event);
      onEvent();
      if (this.heard.length === count) return;
    }
  }
}

test("each agent hears of each of its launches once and in order, and of no other's, whatever is cut, killed or expires", async () => {
  using folder = tempFolder();
  await using cutter = await StreamCutter.start();
  const env = { CHAIN: "local", PUBLIC_URL: cutter.url, MAX_LAUNCHES_PER_AGENT: "0" };
  let server: ServerProcess | null = null;
  const start = async () => {
    server = await startTokend([...SERVER, String(SPEED)], folder.path, env);
    cutter.target = Number(new URL(server.url).port);
  };
  let killing = Promise.resolve();
  await using stack = new AsyncDisposableStack();
  stack.defer(async () => {
    await killing.catch(() => {});
    await server?.[Symbol.asyncDispose]();
  });
  await start();
  const agents = Array.from({ length: AGENTS }, (_, index) => new Listener(cutter.url, index));
  const total = AGENTS * LAUNCHES_PER_AGENT;
  // The last launch of each agent waits until tokens have expired.
  const killAt = (kill: number) => Math.ceil(((total - AGENTS) * (kill + 1)) / (KILLS + 1));
  let heard = 0;
  let kills = 0;
  const onEvent = () => {
    heard++;
    if (heard % Math.ceil(total / 10) === 0) cutter.cutHalf();
    if (kills >= KILLS || heard < killAt(kills)) return;
    kills++;
    killing = killing.then(async () => {
      await server?.end("SIGKILL");
      await start();
    });
  };
  cutter.mayCut = true;
  const listening = agents.map((agent) => agent.listen(LAUNCHES_PER_AGENT, onEvent));
  await Promise.all(
    agents.map(async (agent) => {
      for (let n = 1; n < LAUNCHES_PER_AGENT; n++) await agent.launch();
    }),
  );
  while (cutter.expiries < EXPIRIES) await Bun.sleep(20);
  await Promise.all(agents.map((agent) => agent.launch()));
  await Promise.all(listening);
  await killing;
  cutter.mayCut = false;

  for (const { client, heard: events, launches } of agents) {
    expect(events.map(({ id }) => id)).toEqual(launches.map((_, index) => index + 1));
    expect(events.map(({ data }) => data.eventId).toSorted()).toEqual(launches.toSorted());
    const kept = await client.eventList({ after: 0 });
    expect(kept.events).toEqual(events);
    const { data, type } = events.at(-1) as AgentEvent;
    const { status } = await client.launchStatus(data.eventId);
    expect(type).toBe(status === "success" ? "launch.succeeded" : `launch.${status as "failed"}`);
  }
  expect([kills, cutter.cuts > KILLS]).toEqual([KILLS, true]);
  figures("events while streams are cut, servers killed and tokens run out", {
    agents: AGENTS,
    launches: total,
    kills,
    cuts: cutter.cuts,
    expiries: cutter.expiries,
  });
});
