import fc from "fast-check";
import {
  ChainUnavailableError,
  LaunchRefusedError,
  LaunchWalletError,
} from "../../../server/src/launchpad/errors.ts";
import type { Deployment, Step } from "./model-launchpad.ts";
import type { World } from "./world.ts";

/** All that is known of a run lies in its world. */
type Model = Record<string, never>;

/** Something that happens, in words and in deed. */
class Happening implements fc.AsyncCommand<Model, World> {
  readonly #words: string;
  readonly #happen: (world: World) => void | Promise<void>;

  constructor(words: string, happen: (world: World) => void | Promise<void>) {
    this.#words = words;
    this.#happen = happen;
  }

  check(): boolean {
    return true;
  }

  async run(_: Model, world: World): Promise<void> {
    await this.#happen(world);
    await world.settle();
  }

  toString(): string {
    return this.#words;
  }
}

/** Which of several, whatever their number may be then. */
const which = fc.nat({ max: 11 });

function pick<Item>(items: readonly Item[], index: number): Item | undefined {
  return items[index % items.length];
}

const accept = fc
  .tuple(
    fc.constantFrom(0, 0, 0, 1),
    fc.nat({ max: 9 }),
    fc.option(fc.nat({ max: 2 }), { freq: 1 }),
  )
  .map(([agent, ticker, key]) => {
    const named = key === null ? "" : `, key ${key}`;
    return new Happening(`agent ${agent} launches T${ticker}${named}`, (world) =>
      world.accept(`agent ${agent}`, `T${ticker}`, key === null ? null : `key ${key}`),
    );
  });

const retry = which.map(
  (index) =>
    new Happening(`launch ${index} is retried`, (world) => {
      const launch = pick(world.promises.all, index);
      if (launch) world.retry(launch.eventId);
    }),
);

function toDeployment(words: string, act: (deployment: Deployment) => void, step?: Step) {
  return which.map(
    (index) =>
      new Happening(`deployment ${index} ${words}`, (world) => {
        const there = world.deployments.filter((each) => step === undefined || each.step === step);
        const deployment = pick(there, index);
        if (deployment) act(deployment);
      }),
  );
}

const proceed = toDeployment("goes on", (deployment) => deployment.proceed());
const unavailable = toDeployment("cannot reach the chain", (deployment) =>
  deployment.fail(new ChainUnavailableError("No answer")),
);
const surprised = toDeployment("meets a fault of ours", (deployment) =>
  deployment.fail(new TypeError("a fault of ours")),
);
const dry = toDeployment(
  "finds the wallet dry",
  (deployment) => deployment.fail(new LaunchWalletError("Short of SOL")),
  "simulating",
);
const refused = toDeployment(
  "is refused",
  (deployment) => deployment.fail(new LaunchRefusedError("Refused")),
  "simulating",
);

const mined = (outcome: "landed" | "failed") =>
  which.map(
    (index) =>
      new Happening(`transaction ${index} has ${outcome}`, (world) => {
        const transaction = pick(world.chain.waiting, index);
        if (transaction) transaction.outcome = outcome;
      }),
  );

const blocks = fc
  .integer({ min: 1, max: 4 })
  .map((count) => new Happening(`${count} blocks go by`, (world) => world.chain.passBlocks(count)));

const pass = fc
  .constantFrom(1, 5, 20, 61)
  .map((seconds) => new Happening(`${seconds} s go by`, (world) => world.pass(seconds * 1_000)));

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const jump = fc
  .constantFrom(-DAY_MS, -HOUR_MS, -61_000, 61_000, HOUR_MS, DAY_MS)
  .map(
    (by) =>
      new Happening(`the clock is set by ${by / 1_000} s`, (world) =>
        world.setClock(world.clock.now() + by),
      ),
  );

/** The last midnight, which the clock has to step back to, or the next. */
const midnight = fc
  .tuple(fc.constantFrom(0, 1), fc.constantFrom(-1, 0))
  .map(
    ([days, offset]) =>
      new Happening(
        `it is the ${days === 0 ? "last" : "next"} midnight and ${offset} ms`,
        (world) =>
          world.setClock((Math.floor(world.clock.now() / DAY_MS) + days) * DAY_MS + offset),
      ),
  );

/** The moment in which a launch that ended in vain gives up its ticker, or the one before. */
const inherit = fc.tuple(which, fc.constantFrom(-1, 0)).map(
  ([index, offset]) =>
    new Happening(
      `the ticker of vain launch ${index} is asked for a day later and ${offset} ms`,
      async (world) => {
        const vain = world.promises.all.filter(
          ({ seen }) => seen?.status === "failed" || seen?.status === "rate_limited",
        );
        const launch = pick(vain, index);
        if (!launch?.seen?.processedAt) return;
        await world.setClock(launch.seen.processedAt + DAY_MS + offset);
        await world.accept("agent 2", launch.ticker, null);
      },
    ),
);

const fullDisk = fc
  .integer({ min: 1, max: 3 })
  .map((count) => new Happening(`${count} writes fail`, (world) => world.failWrites(count)));

const restart = fc.constant(new Happening("kill -9 and start", (world) => world.restart()));
const freeze = fc.constant(new Happening("it freezes", (world) => world.freeze()));
const thaw = fc.constant(new Happening("a frozen one wakes up", (world) => world.thaw()));

/** A history of launches. */
export function history(length: number, replayPath?: string) {
  const often = [accept, proceed, proceed, proceed, proceed, mined("landed")];
  const now = [retry, refused, unavailable, jump, midnight, inherit];
  const seldom = [dry, surprised, mined("failed"), blocks, pass, fullDisk, restart, freeze, thaw];
  return fc.commands([...often, ...often, ...often, ...now, ...now, ...seldom], {
    maxCommands: length,
    size: "max",
    ...(replayPath !== undefined && { replayPath }),
  });
}
