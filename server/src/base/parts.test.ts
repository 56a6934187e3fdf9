import { expect, test } from "bun:test";
import { ManualClock } from "../testing/manual-clock.ts";
import { type Part, startParts } from "./parts.ts";

const errors: unknown[] = [];
const clock = new ManualClock();
const options = { clock, stopMs: 8_000, onStopError: (error: unknown) => errors.push(error) };

function scripted() {
  const log: string[] = [];
  const part = (name: string, isBroken = false): Part => ({
    async start() {
      log.push(`${name} starts`);
      await Bun.sleep(0);
      if (isBroken) throw new Error(`${name} is broken`);
      log.push(`${name} runs`);
    },
    async stop() {
      log.push(`${name} stops`);
      await Bun.sleep(0);
      log.push(`${name} is over`);
    },
  });
  return { log, part };
}

test("parts start in order, and stop in reverse order, each once the other is over", async () => {
  const { log, part } = scripted();
  const stop = await startParts([[part("store"), null], [{}], [part("worker")]], options);
  expect(log.splice(0)).toEqual(["store starts", "store runs", "worker starts", "worker runs"]);
  await stop();
  expect(log).toEqual(["worker stops", "worker is over", "store stops", "store is over"]);
});

test("a start that fails stops what was started, and starts nothing more", async () => {
  const { log, part } = scripted();
  const parts = [[part("store")], [part("worker", true), part("port")]];
  await expect(startParts(parts, options)).rejects.toThrow("worker is broken");
  expect(log.slice(3)).toEqual(["worker stops", "worker is over", "store stops", "store is over"]);
});

test("parts that belong together start in order, and stop at the same time", async () => {
  const { log, part } = scripted();
  const stop = await startParts([[part("store")], [part("worker"), null, part("port")]], options);
  expect(log.splice(0).slice(2, 4)).toEqual(["worker starts", "worker runs"]);
  await stop();
  expect(log.slice(0, 2)).toEqual(["worker stops", "port stops"]);
  expect(log.at(-1)).toBe("store is over");
});

test("a part whose stop fails is reported, and one that hangs keeps no stop waiting", async () => {
  const { log, part } = scripted();
  const broken = { stop: () => Promise.reject("broken") };
  const groups = [[part("store")], [broken, part("worker")]];
  await (await startParts(groups, options))();
  expect(log.splice(0).slice(-2)).toEqual(["store stops", "store is over"]);
  expect(errors).toEqual(["broken"]);
  const hanging = { stop: () => new Promise(() => {}) };
  const stop = await startParts([[part("store")], [hanging, part("worker")]], options);
  const stopped = stop();
  await clock.pass(8_000);
  await stopped;
  expect(log.at(-1)).toBe("worker stops");
});

test("a second stop waits for the first, and stops nothing twice", async () => {
  const { log, part } = scripted();
  const stop = await startParts([[part("store")]], options);
  void stop();
  await stop();
  expect(log.slice(2)).toEqual(["store stops", "store is over"]);
});
