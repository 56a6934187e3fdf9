import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { randomInt } from "node:crypto";
import fc from "fast-check";
import { Counter } from "./counter.ts";
import { AnswerChecker } from "./fuzz/answer-checker.ts";
import { COSTLY, TRIVIAL } from "./fuzz/costly-requests.ts";
import { anyDamage, damage, sendBytes } from "./fuzz/damage.ts";
import { ENDPOINTS } from "./fuzz/endpoints.ts";
import { FuzzedService } from "./fuzz/fuzzed-service.ts";
import { RawClient } from "./fuzz/raw-client.ts";
import { endsConnection, type FuzzRequest, serialize } from "./fuzz/request.ts";
import { anyRequest } from "./fuzz/requests.ts";
import { latencyOf } from "./latency.ts";
import { figures, isLong, scale } from "./scale.ts";

setDefaultTimeout(scale(600_000, 3_600_000));

/** Beside the costly ones. Each route gets as many however many there are, so that none stays untried. */
const REQUESTS = ENDPOINTS.length * scale(60, 2_000);
const DAMAGED_REQUESTS = scale(150, 5_000);
/** How often each of the costly requests is sent. */
const ROUNDS = scale(60, 1_000);
/**
 * Decoding base58 of 10,000 characters takes 500 times as long as a trivial request; the most
 * expensive request that fits in 64 KiB, 30,000 levels of JSON, takes 30 times as long.
 */
const MAX_TIMES_TRIVIAL = 100;

/**
 * `bun run check` sends the same requests each time, `bun run chaos` others. To repeat a failure,
 * set these to the seed and the path that fast-check prints.
 */
const seed = Number(process.env.FUZZ_SEED ?? (isLong ? randomInt(2 ** 31) : 1));
const { FUZZ_PATH: path } = process.env;
const repeatable = { seed, ...(path !== undefined && { path }) };

let service: FuzzedService;
let client: RawClient;
beforeAll(async () => {
  service = await FuzzedService.open();
  client = new RawClient(new URL(service.server.url));
});
afterAll(async () => {
  client.close();
  await service[Symbol.asyncDispose]();
});

function send(request: FuzzRequest, bytes = serialize(request, service.values)) {
  return client.exchange(bytes, {
    isHead: request.method === "HEAD",
    isLast: endsConnection(request),
  });
}

describe("the routes", () => {
  test("answer any HTTP request as the contract says, and show nothing of the inside", async () => {
    const checker = new AnswerChecker(service.secrets());
    const statuses = new Counter();
    const successes = new Counter();
    const milliseconds: number[] = [];
    // Once it is tried again, the cancelled launch can be cancelled no more.
    const isKept = ({ target }: FuzzRequest) => !target.includes("{{cancelledEventId}}/retry");
    const property = fc.asyncProperty(anyRequest.filter(isKept), async (request) => {
      const started = performance.now();
      const bytes = serialize(request, service.values);
      const answer = await send(request, bytes);
      milliseconds.push(performance.now() - started);
      const endpoint = checker.check(request, bytes.indexOf("\r\n\r\n"), answer, service.values);
      statuses.add(String(answer.status));
      if (endpoint && answer.status === 200) successes.add(`${endpoint.method} ${endpoint.path}`);
      await service.renewAfter(request, answer.status);
    });
    await fc.assert(property, { ...repeatable, numRuns: REQUESTS });
    figures("fuzzed requests", {
      seed,
      requests: milliseconds.length,
      statuses,
      ...latencyOf(milliseconds),
    });
    if (path !== undefined) return;
    // A route that never answers 200 is not tried at all.
    const untried = ENDPOINTS.filter(({ method, path }) => successes.of(`${method} ${path}`) === 0);
    expect(untried.map(({ method, path }) => `${method} ${path}`)).toEqual([
      // A sandbox has none.
      "GET /public/tokens/*/proof",
      "POST /api/v1/invites/redeem",
      "POST /api/v1/tokens/claims",
    ]);
  });

  test("refuse or close a request that HTTP's grammar forbids, and keep serving others", async () => {
    const outcomes = new Counter();
    const property = fc.asyncProperty(anyRequest, anyDamage, async (request, damages) => {
      const bytes = damage(serialize(request, service.values), damages);
      const outcome = await sendBytes(new URL(service.server.url), bytes);
      outcomes.add(outcome);
      expect(outcome).toMatch(/^(?:answered [1-4]\d\d|refused (?:400|431|505)|closed|waits)$/);
      const health = await fetch(`${service.server.url}/health`);
      expect(health.status).toBe(200);
    });
    await fc.assert(property, { ...repeatable, numRuns: DAMAGED_REQUESTS });
    figures("damaged requests", { seed, outcomes });
    expect(outcomes.of("refused 400")).toBeGreaterThan(DAMAGED_REQUESTS / 2);
  });

  test("refuse costly requests before they do the work", async () => {
    const all = Object.entries({ trivial: TRIVIAL, ...COSTLY });
    const milliseconds = new Map(all.map(([name]) => [name, [] as number[]]));
    // In turn, so that other work of the machine slows all of them alike.
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, request] of all) {
        const started = performance.now();
        const { status } = await send(request);
        milliseconds.get(name)?.push(performance.now() - started);
        expect([name, status >= 400 && status < 500]).toEqual([name, true]);
      }
    }
    // The fastest answers show the server's own work: other programs only make answers slower, and
    // long ones more than short ones.
    const fastest = (name: string) => Math.min(...(milliseconds.get(name) ?? []));
    for (const [name] of all) {
      const timesTrivial = fastest(name) / fastest("trivial");
      figures(`costly request, ${name}`, {
        ...latencyOf(milliseconds.get(name) ?? []),
        timesTrivial: round(timesTrivial),
      });
      expect([name, timesTrivial < MAX_TIMES_TRIVIAL]).toEqual([name, true]);
    }
  });
});

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
