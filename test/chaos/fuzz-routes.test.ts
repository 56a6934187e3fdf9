import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { randomInt } from "node:crypto";
import fc from "fast-check";
import { COSTLY, TRIVIAL } from "./fuzz/costly-requests.ts";
import { anyDamage, damage, sendBytes } from "./fuzz/damage.ts";
import { ENDPOINTS } from "./fuzz/endpoints.ts";
import { Judge } from "./fuzz/judge.ts";
import { percentile } from "./fuzz/percentile.ts";
import { RawClient } from "./fuzz/raw-client.ts";
import { endsConnection, type FuzzRequest, serialize } from "./fuzz/request.ts";
import { anyRequest } from "./fuzz/requests.ts";
import { World } from "./fuzz/world.ts";
import { figures, isLong, scale } from "./scale.ts";
import { Tally } from "./tally.ts";

setDefaultTimeout(scale(60_000, 3_600_000));

/** Together 3,000 or 100,000 requests, beside those that measure. */
const REQUESTS = scale(2_850, 95_000);
const DAMAGED_REQUESTS = scale(150, 5_000);
/** How often each of the costly requests is sent. */
const ROUNDS = scale(60, 1_000);
/**
 * Decoding base58 of 10,000 characters takes 500 times as long as a trivial request; the dearest
 * that a body of 64 KiB asks for, 30,000 levels of JSON, takes 25 times as long.
 */
const MAX_TIMES_TRIVIAL = 100;

/**
 * `bun run check` tries the same requests each time, `bun run chaos` others. What fast-check prints
 * of a failure goes in here to repeat it.
 */
const seed = Number(process.env.FUZZ_SEED ?? (isLong ? randomInt(2 ** 31) : 1));
const { FUZZ_PATH: path } = process.env;
const repeatable = { seed, ...(path !== undefined && { path }) };

let world: World;
let client: RawClient;
beforeAll(async () => {
  world = await World.open();
  client = new RawClient(new URL(world.server.url));
});
afterAll(async () => {
  client.close();
  await world[Symbol.asyncDispose]();
});

function send(request: FuzzRequest, bytes = serialize(request, world.values)) {
  return client.exchange(bytes, {
    isHead: request.method === "HEAD",
    isLast: endsConnection(request),
  });
}

describe("any request", () => {
  test("is answered as the contract says, and shows nothing of the inside", async () => {
    const judge = new Judge(world.secrets());
    const statuses = new Tally();
    const successes = new Tally();
    const milliseconds: number[] = [];
    const property = fc.asyncProperty(anyRequest, async (request) => {
      const started = performance.now();
      const bytes = serialize(request, world.values);
      const answer = await send(request, bytes);
      milliseconds.push(performance.now() - started);
      const endpoint = judge.judge(request, bytes.indexOf("\r\n\r\n"), answer, world.values);
      statuses.add(String(answer.status));
      if (endpoint && answer.status === 200) successes.add(`${endpoint.method} ${endpoint.path}`);
      await world.renewAfter(request, answer.status);
    });
    await fc.assert(property, { ...repeatable, numRuns: REQUESTS });
    figures("fuzzed requests", {
      seed,
      requests: milliseconds.length,
      statuses,
      p50: percentile(milliseconds, 0.5),
      p99: percentile(milliseconds, 0.99),
    });
    if (path !== undefined) return;
    // What never gets past the door tries nothing behind it.
    const untried = ENDPOINTS.filter(({ method, path }) => successes.of(`${method} ${path}`) === 0);
    expect(untried.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /api/v1/tokens/claims",
    ]);
  });

  test("that is none by HTTP's grammar is refused or closed, and harms nobody", async () => {
    const outcomes = new Tally();
    const property = fc.asyncProperty(anyRequest, anyDamage, async (request, damages) => {
      const bytes = damage(serialize(request, world.values), damages);
      const outcome = await sendBytes(new URL(world.server.url), bytes);
      outcomes.add(outcome);
      expect(outcome).toMatch(/^(?:answered [1-4]\d\d|refused (?:400|431|505)|closed|waits)$/);
      const health = await fetch(`${world.server.url}/health`);
      expect(health.status).toBe(200);
    });
    await fc.assert(property, { ...repeatable, numRuns: DAMAGED_REQUESTS });
    figures("damaged requests", { seed, outcomes });
  });
});

describe("costly requests", () => {
  test("are refused before the work is done", async () => {
    const all = Object.entries({ trivial: TRIVIAL, ...COSTLY });
    const milliseconds = new Map(all.map(([name]) => [name, [] as number[]]));
    // In turn, so that whatever else the machine does meets all alike.
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, request] of all) {
        const started = performance.now();
        const { status } = await send(request);
        milliseconds.get(name)?.push(performance.now() - started);
        expect([name, status >= 400 && status < 500]).toEqual([name, true]);
      }
    }
    // Of medians, for the slowest of a busy machine tell of its other work.
    const median = (name: string) => percentile(milliseconds.get(name) ?? [], 0.5);
    for (const [name] of all) {
      const timesTrivial = median(name) / median("trivial");
      const p99 = percentile(milliseconds.get(name) ?? [], 0.99);
      figures(`costly request, ${name}`, {
        p50: round(median(name)),
        p99: round(p99),
        timesTrivial: round(timesTrivial),
      });
      expect([name, timesTrivial < MAX_TIMES_TRIVIAL]).toEqual([name, true]);
    }
  });
});

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
