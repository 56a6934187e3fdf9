import { expect, test } from "bun:test";
import { BLOCKHASH_VALID_BLOCKS } from "../domain/cluster-pace.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { BlockPace } from "./cluster-pace.ts";

/** Makes a chain with a block every `msPerBlock`, and a pace that measures it every 2 s. */
function setUp(msPerBlock = 400) {
  const clock = new ManualClock();
  const pace = new BlockPace(clock);
  const chain = {
    msPerBlock,
    ms: 0,
    height: 1_000,
    readings: 0,
    run(milliseconds: number) {
      this.ms += milliseconds;
      const blocks = Math.floor(this.ms / this.msPerBlock);
      this.ms -= blocks * this.msPerBlock;
      this.height += blocks;
    },
  };
  const feed = () =>
    pace.measure(async () => {
      chain.readings += 1;
      return chain.height;
    });
  /** Lets this many seconds pass and measures every 2 seconds. */
  const pass = async (seconds: number) => {
    await feed();
    for (let passed = 0; passed < seconds; passed += 2) {
      clock.advance(2_000);
      chain.run(2_000);
      await feed();
    }
  };
  return { clock, pace, chain, feed, pass };
}

/** Within 5%: one block more or less in ten seconds. */
const about = (msPerBlock: number) => [msPerBlock * 0.95, msPerBlock * 1.05] as const;
function expectPace(pace: BlockPace, msPerBlock: number) {
  const [low, high] = about(msPerBlock);
  expect(pace.msPerBlock).toBeGreaterThan(low);
  expect(pace.msPerBlock).toBeLessThan(high);
}

test.each([400, 350, 200, 150])("measures blocks of %i ms", async (msPerBlock) => {
  const { pace, pass } = setUp(msPerBlock);
  await pass(10);
  expect(pace.isMeasured).toBe(true);
  expectPace(pace, msPerBlock);
  await pass(300);
  expectPace(pace, msPerBlock);
});

test("expects the shortest blocks that are planned until two heights were seen", async () => {
  const { pace, pass } = setUp(400);
  expect(pace.isMeasured).toBe(false);
  expect(pace.msPerBlock).toBe(200);
  expect(pace.msUntil(1_150)).toBe(BLOCKHASH_VALID_BLOCKS * 200);
  await pass(8);
  expect(pace.msPerBlock).toBe(200);
});

test("reads the height six times a minute", async () => {
  const { chain, pass } = setUp();
  await pass(60);
  expect(chain.readings).toBe(7);
});

test("follows a chain that becomes faster within 40 seconds, and one that becomes slower in time", async () => {
  const { pace, chain, pass } = setUp(400);
  await pass(300);
  chain.msPerBlock = 200;
  await pass(40);
  expectPace(pace, 200);
  chain.msPerBlock = 300;
  await pass(120);
  expectPace(pace, 300);
});

test("a halt of the chain does not make its blocks longer", async () => {
  const { clock, pace, chain, feed, pass } = setUp(400);
  await pass(60);
  for (let seconds = 0; seconds < 600; seconds += 2) {
    clock.advance(2_000);
    await feed();
  }
  expectPace(pace, 400);
  chain.height += 1;
  await pass(60);
  expectPace(pace, 400);
});

test("a pause of the process falsifies nothing, not even within a reading", async () => {
  const { clock, pace, chain, pass } = setUp(400);
  await pass(60);
  clock.advance(600_000);
  chain.run(600_000);
  await pass(2);
  expectPace(pace, 400);
  clock.advance(10_000);
  chain.run(10_000);
  await pace.measure(async () => {
    const before = chain.height;
    clock.advance(600_000);
    chain.run(600_000);
    return before;
  });
  await pass(60);
  expectPace(pace, 400);
});

test("a node that is behind or before the others falsifies nothing", async () => {
  const { pace, chain, pass } = setUp(400);
  await pass(60);
  chain.height -= 30;
  await pass(20);
  expectPace(pace, 400);
  chain.height += 30;
  await pass(20);
  expectPace(pace, 400);
});

test("a reading that fails changes nothing", async () => {
  const { clock, pace, pass } = setUp(400);
  await pass(60);
  clock.advance(10_000);
  await expect(pace.measure(() => Promise.reject(new Error("no answer")))).rejects.toThrow();
  expectPace(pace, 400);
});

test("counts on from the last height, and a blockhash never lives longer than its blocks", async () => {
  const { clock, pace, chain, pass } = setUp(400);
  await pass(60);
  const life = () => pace.msUntil(chain.height + 100);
  expect(life()).toBe(100 * pace.msPerBlock);
  const lastValid = chain.height + 100;
  clock.advance(8_000);
  expect(pace.msUntil(lastValid)).toBe(80 * pace.msPerBlock);
  expect(pace.msUntil(lastValid - 100)).toBe(0);
  expect(pace.msUntil(lastValid + 1_000)).toBe(150 * pace.msPerBlock);
  // Without a recent reading, a blockhash counts as new.
  clock.advance(60_000);
  expect(pace.msUntil(lastValid)).toBe(150 * pace.msPerBlock);
});
