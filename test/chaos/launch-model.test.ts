import { expect, setDefaultTimeout, test } from "bun:test";
import { randomInt } from "node:crypto";
import fc from "fast-check";
import { Counter } from "./counter.ts";
import { history } from "./launch-model/commands.ts";
import { World } from "./launch-model/world.ts";
import { figures, isLong, scale } from "./scale.ts";

setDefaultTimeout(scale(600_000, 3_600_000));

const RUNS = scale(140, 10_000);
/** The largest number of events in a run before everything goes well again. */
const MAX_EVENTS = 60;

/**
 * `bun run check` tries the same histories each time, `bun run chaos` new ones. To repeat a
 * failure, set these variables to the seed and the path that fast-check printed.
 */
const seed = Number(process.env.MODEL_SEED ?? (isLong ? randomInt(2 ** 31) : 1));
const { MODEL_PATH: path } = process.env;

test("whatever happens, each launch ends once, and as it did on chain", async () => {
  const happened = new Counter();
  const ended = new Counter();
  let passedOn = 0;
  let cancellations = 0;
  const property = fc.asyncProperty(history(MAX_EVENTS), async (events) => {
    await using world = await World.open();
    for (const { description, happen } of events) {
      await happen(world);
      await world.runAndInspect();
      happened.add(description.replace(/-?\d+/g, "#"));
    }
    await world.comeToRest();
    passedOn += world.promises.passedOn;
    cancellations += world.promises.cancellations;
    for (const { seen } of world.promises.all) ended.add(String(seen?.status));
  });
  await fc.assert(property, { seed, numRuns: RUNS, ...(path !== undefined && { path }) });
  figures("launch model", { seed, runs: RUNS, ended, passedOn, cancellations, happened });
  // If a model never reaches an outcome, it shows nothing about it.
  for (const status of ["success", "failed", "rate_limited"]) {
    expect([status, ended.of(status) > RUNS / 30]).toEqual([status, true]);
  }
  expect(passedOn).toBeGreaterThan(0);
  expect(cancellations).toBeGreaterThan(RUNS / 30);
});
