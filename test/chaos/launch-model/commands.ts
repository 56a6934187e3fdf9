import fc from "fast-check";
import {
  ChainUnavailableError,
  LaunchRefusedError,
  LaunchWalletError,
} from "../../../server/src/launchpad/errors.ts";
import type { Deployment, Step } from "./model-launchpad.ts";
import type { World } from "./world.ts";

type Model = Record<string, never>;

class ModelEvent implements fc.AsyncCommand<Model, World> {
  readonly #description: string;
  readonly #happen: (world: World) => void | Promise<void>;

  constructor(description: string, happen: (world: World) => void | Promise<void>) {
    this.#description = description;
    this.#happen = happen;
  }

  check(): boolean {
    return true;
  }

  async run(_: Model, world: World): Promise<void> {
    await this.#happen(world);
    await world.runAndInspect();
  }

  toString(): string {
    return this.#description;
  }
}

/** Chooses one of several items; their number is not known yet. */
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
    return new ModelEvent(`agent ${agent} launches T${ticker}${named}`, (world) =>
      world.accept(`agent ${agent}`, `T${ticker}`, key === null ? null : `key ${key}`),
    );
  });

const retry = which.map(
  (index) =>
    new ModelEvent(`launch ${index} is retried`, (world) => {
      const launch = pick(world.promises.all, index);
      return launch && world.retry(launch.eventId);
    }),
);

const cancel = which.map(
  (index) =>
    new ModelEvent(`launch ${index} is cancelled`, (world) => {
      const launch = pick(world.promises.all, index);
      return launch && world.cancel(launch.eventId);
    }),
);

function toDeployment(description: string, act: (deployment: Deployment) => void, step?: Step) {
  return which.map(
    (index) =>
      new ModelEvent(`deployment ${index} ${description}`, (world) => {
        const candidates = world.deployments.filter(
          (each) => step === undefined || each.step === step,
        );
        const deployment = pick(candidates, index);
        if (deployment) act(deployment);
      }),
  );
}

const proceed = toDeployment("goes on", (deployment) => deployment.proceed());
const unavailable = toDeployment("cannot reach the chain", (deployment) =>
  deployment.fail(new ChainUnavailableError("No answer")),
);
const unexpected = toDeployment("throws an unexpected error", (deployment) =>
  deployment.fail(new TypeError("an unexpected error")),
);
const shortOfSol = toDeployment(
  "finds the wallet short of SOL",
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
      new ModelEvent(`transaction ${index} has ${outcome}`, (world) => {
        const transaction = pick(world.chain.waiting, index);
        if (transaction) transaction.outcome = outcome;
      }),
  );

const blocks = fc
  .integer({ min: 1, max: 4 })
  .map(
    (count) => new ModelEvent(`${count} blocks go by`, (world) => world.chain.passBlocks(count)),
  );

const pass = fc
  .constantFrom(1, 5, 20, 61)
  .map((seconds) => new ModelEvent(`${seconds} s go by`, (world) => world.pass(seconds * 1_000)));

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const jump = fc
  .constantFrom(-DAY_MS, -HOUR_MS, -61_000, 61_000, HOUR_MS, DAY_MS)
  .map(
    (by) =>
      new ModelEvent(`the clock is set by ${by / 1_000} s`, (world) =>
        world.setClock(world.clock.now() + by),
      ),
  );

/** The next midnight, or the last one, to which the clock steps back. */
const midnight = fc
  .tuple(fc.constantFrom(0, 1), fc.constantFrom(-1, 0))
  .map(
    ([days, offset]) =>
      new ModelEvent(
        `it is the ${days === 0 ? "last" : "next"} midnight and ${offset} ms`,
        (world) =>
          world.setClock((Math.floor(world.clock.now() / DAY_MS) + days) * DAY_MS + offset),
      ),
  );

/**
 * The moment in which a launch that ended without a token gives up its ticker, or the one before.
 */
const takeTicker = fc.tuple(which, fc.constantFrom(-1, 0)).map(
  ([index, offset]) =>
    new ModelEvent(
      `the ticker of ended launch ${index} is asked for a day later and ${offset} ms`,
      async (world) => {
        const ended = world.promises.all.filter(
          ({ seen }) => seen?.status === "failed" || seen?.status === "rate_limited",
        );
        const launch = pick(ended, index);
        if (!launch?.seen?.processedAt) return;
        await world.setClock(launch.seen.processedAt + DAY_MS + offset);
        await world.accept("agent 2", launch.ticker, null);
      },
    ),
);

const fullDisk = fc
  .integer({ min: 1, max: 3 })
  .map((count) => new ModelEvent(`${count} writes fail`, (world) => world.failWrites(count)));

const restart = fc.constant(new ModelEvent("kill -9 and start", (world) => world.restart()));
const freeze = fc.constant(new ModelEvent("the process freezes", (world) => world.freeze()));
const thaw = fc.constant(new ModelEvent("a frozen process wakes up", (world) => world.thaw()));

export function history(length: number, replayPath?: string) {
  const often = [accept, proceed, proceed, proceed, proceed, mined("landed")];
  const sometimes = [retry, cancel, refused, unavailable, jump, midnight, takeTicker];
  const rarely = [
    shortOfSol,
    unexpected,
    mined("failed"),
    blocks,
    pass,
    fullDisk,
    restart,
    freeze,
    thaw,
  ];
  return fc.commands([...often, ...often, ...often, ...sometimes, ...sometimes, ...rarely], {
    maxCommands: length,
    size: "max",
    ...(replayPath !== undefined && { replayPath }),
  });
}
