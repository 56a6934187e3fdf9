import { connect, type Socket } from "node:net";
import { TokenctlClient } from "../../sdk/src/client.ts";
import { generateSecretKey, keypairSigner } from "../../sdk/src/signer.ts";
import { tokensOf } from "../harness/agents.ts";
import { type Running, start } from "../harness/contestant.ts";
import { tokend } from "../harness/contestants.ts";
import { atMost } from "../harness/figures.ts";
import { statusRequests } from "../harness/request-file.ts";
import type { Goal, Row, RowContext, RowResult } from "../harness/row.ts";
import { seededDatabase } from "../harness/seed.ts";
import { median } from "../harness/statistics.ts";
import { type Load, load } from "../harness/wrk.ts";

const SEEDED = 1_000;
/** Agents that launch and listen at the same time. */
const TOGETHER = 4;
/** How long each of 64 connections pauses between polls, in milliseconds. */
const POLL_PAUSE_MS = 20;
/** How long a server rests before its memory is read: longer than a heartbeat, in milliseconds. */
const REST_MS = 17_000;

/** How soon an agent hears of its launch, and what open streams cost. */
export const events: Row = {
  id: "events",
  work: "events: from the end of a launch to the SDK's iterator; 5,000 open streams",
  run,
};

async function run({ scale, say }: RowContext): Promise<RowResult> {
  const [launches, streams] = scale.quick ? [12, 100] : [400, 5_000];
  await using server = await start(tokend, await seededDatabase(SEEDED));
  const delays = (await delaysOf(server, launches)).sort((a, b) => a - b);
  const [p50, p99] = [0.5, 0.99].map((share) => delays[Math.ceil(share * delays.length) - 1] ?? 0);
  say(`an event takes ${p50} ms, ${p99} ms at most of 99 in 100`);

  const rounds = scale.quick ? 1 : 5;
  const idle = await polls(server, rounds);
  const before = server.rss();
  const sockets = await openStreams(server, streams);
  if (!scale.quick) await Bun.sleep(REST_MS);
  const busy = await polls(server, rounds);
  const more = (server.rss() - before) / 1024 ** 2;
  const isOpen = sockets.every(({ readyState }) => readyState === "open");
  for (const socket of sockets) socket.destroy();
  if (!isOpen) throw new Error("a stream has ended");

  return {
    goals: [
      within(p50 ?? 0, 20, "p50", "ms"),
      within(p99 ?? 0, 100, "p99", "ms"),
      within(more, 300, `RSS of ${streams.toLocaleString("en")} streams`, "MiB"),
      atMost(busy.p99 / idle.p99, 1.5, "others' p99 without streams"),
    ],
    figures: {
      columns: ["", "polls/s", "p50 ms", "p99 ms", "RSS MiB"],
      lines: [
        [`${launches} events`, "", (p50 ?? 0).toFixed(0), (p99 ?? 0).toFixed(0), ""],
        ["without streams", ...columns(idle), (before / 1024 ** 2).toFixed(0)],
        [`${streams} streams`, ...columns(busy), (before / 1024 ** 2 + more).toFixed(0)],
      ],
    },
    notes: [
      "An event's time is that at which the confirmed launch is about to be stored, in whole milliseconds:",
      "its way goes through the commit. Streams are of as many agents, and bring a heartbeat every 15 s.",
      `The API is polled by 64 connections that each pause ${POLL_PAUSE_MS} ms.`,
    ],
  };
}

function within(value: number, most: number, of: string, unit: string): Goal {
  return {
    goal: `${of} ≤ ${most} ${unit}`,
    reached: `${value.toFixed(0)} ${unit}`,
    isReached: value <= most,
  };
}

const columns = ({ perSecond, p50, p99 }: Polls) => [
  Math.round(perSecond).toLocaleString("en"),
  p50.toFixed(2),
  p99.toFixed(2),
];

/** @returns milliseconds from each event's time until the agent has it */
async function delaysOf({ url }: Running, launches: number): Promise<number[]> {
  // Keys and sign-ins take this process milliseconds in which it would not see an event.
  const clients: TokenctlClient[] = [];
  for (let agent = 0; agent < launches; agent++) {
    const signer = keypairSigner(generateSecretKey());
    const client = new TokenctlClient({ apiUrl: url, signer });
    await client.login();
    clients.push(client);
  }
  const delays: number[] = [];
  let made = 0;
  const launchOn = async () => {
    for (let client = clients.pop(); client; client = clients.pop()) {
      const ticker = `E${made++}`;
      const events = client.events({ after: 0 });
      // The stream opens while the launch is on its way.
      const event = events.next();
      const { eventId } = await client.launch({ name: ticker, ticker });
      const { value } = await event;
      if (value?.data.eventId !== eventId) throw new Error("not the event of the launch");
      delays.push(Date.now() - Date.parse(value.timestamp));
      await events.return();
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, launchOn));
  return delays;
}

/** Opens one stream for each of `count` agents, and waits until all have begun. */
async function openStreams({ url }: Running, count: number): Promise<Socket[]> {
  const { hostname, port } = new URL(url);
  const tokens = await tokensOf(Array.from({ length: count }, (_, agent) => agent));
  const open = (token: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<Socket>();
    const socket = connect(Number(port), hostname, () => {
      const headers = `Host: ${hostname}\r\nAuthorization: Bearer ${token}\r\n`;
      socket.write(`GET /api/v1/events/stream HTTP/1.1\r\n${headers}\r\n`);
    });
    socket.once("data", (bytes) => {
      if (bytes.toString("latin1").startsWith("HTTP/1.1 200")) resolve(socket);
      else reject(new Error(`no stream: ${bytes}`));
    });
    socket.once("error", reject);
    socket.on("data", () => {});
    return promise;
  };
  const sockets: Socket[] = [];
  // As many at once as a backlog takes.
  for (let from = 0; from < count; from += 100) {
    sockets.push(...(await Promise.all(tokens.slice(from, from + 100).map(open))));
  }
  return sockets;
}

interface Polls {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** @returns medians over runs of two seconds */
async function polls({ url }: Running, rounds: number): Promise<Polls> {
  const runs: Load[] = [];
  for (let round = 0; round < rounds; round++) {
    const requests = [await statusRequests(SEEDED), String(POLL_PAUSE_MS)];
    runs.push(await load({ script: "get", arguments: requests, url, seconds: 2 }));
  }
  return {
    perSecond: median(runs.map((each) => each.requests / each.seconds)),
    p50: median(runs.map((each) => each.p50)),
    p99: median(runs.map((each) => each.p99)),
  };
}
