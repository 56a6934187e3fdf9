import fc from "fast-check";
import {
  ChainUnavailableError,
  LaunchRefusedError,
  LaunchWalletError,
} from "../../../server/src/launchpad/errors.ts";
import type { Deployment, Step } from "./model-launchpad.ts";
import type { AcceptedLaunch } from "./promises.ts";
import type { World } from "./world.ts";

/** Something that happens to a world. fast-check prints its description. */
export interface ModelEvent {
  readonly description: string;
  happen(world: World): void | Promise<void>;
}

function event(description: string, happen: ModelEvent["happen"]): ModelEvent {
  return { description, happen };
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
    return event(`agent ${agent} launches T${ticker}${named}`, (world) =>
      world.accept(`agent ${agent}`, `T${ticker}`, key === null ? null : `key ${key}`),
    );
  });

const toLaunch = (
  description: string,
  happen: (world: World, launch: AcceptedLaunch) => Promise<void>,
  candidates = (world: World): readonly AcceptedLaunch[] => world.promises.all,
) =>
  which.map((index) =>
    event(`launch ${index} ${description}`, async (world) => {
      const launch = pick(candidates(world), index);
      if (launch) await happen(world, launch);
    }),
  );

const retry = toLaunch("is retried", (world, { eventId }) => world.retry(eventId));
const cancel = toLaunch("is cancelled", (world, { eventId }) => world.cancel(eventId));

function toDeployment(description: string, act: (deployment: Deployment) => void, step?: Step) {
  return which.map((index) =>
    event(`deployment ${index} ${description}`, (world) => {
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
  which.map((index) =>
    event(`transaction ${index} has ${outcome}`, (world) => {
      const transaction = pick(world.chain.waiting, index);
      if (transaction) transaction.outcome = outcome;
    }),
  );

const blocks = fc
  .integer({ min: 1, max: 4 })
  .map((count) => event(`${count} blocks go by`, (world) => world.chain.passBlocks(count)));

const pass = fc
  .constantFrom(1, 5, 20, 61)
  .map((seconds) => event(`${seconds} s go by`, (world) => world.pass(seconds * 1_000)));

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const jump = fc
  .constantFrom(-DAY_MS, -HOUR_MS, -61_000, 61_000, HOUR_MS, DAY_MS)
  .map((by) =>
    event(`the clock is set by ${by / 1_000} s`, (world) => world.setClock(world.clock.now() + by)),
  );

/** The next midnight, or the last one, to which the clock steps back. */
const midnight = fc
  .tuple(fc.constantFrom(0, 1), fc.constantFrom(-1, 0))
  .map(([days, offset]) =>
    event(`it is the ${days === 0 ? "last" : "next"} midnight and ${offset} ms`, (world) =>
      world.setClock((Math.floor(world.clock.now() / DAY_MS) + days) * DAY_MS + offset),
    ),
  );

/** The moment in which a launch that ended without a token gives up its ticker, or the one before. */
const takeTicker = (offset: number) =>
  toLaunch(
    `has ended, and its ticker is asked for a day later and ${offset} ms`,
    async (world, { seen, ticker }) => {
      await world.setClock((seen?.processedAt ?? 0) + DAY_MS + offset);
      await world.accept("agent 2", ticker, null);
    },
    ({ promises }) =>
      promises.all.filter(({ seen }) => ["failed", "rate_limited"].includes(`${seen?.status}`)),
  );

const fullDisk = fc
  .integer({ min: 1, max: 3 })
  .map((count) => event(`${count} writes fail`, (world) => world.failWrites(count)));

const restart = fc.constant(event("kill -9 and start", (world) => world.restart()));
const freeze = fc.constant(event("the process freezes", (world) => world.freeze()));
const thaw = fc.constant(event("a frozen process wakes up", (world) => world.thaw()));

const EVENTS = {
  12: [proceed],
  3: [accept, mined("landed")],
  2: [retry, cancel, refused, unavailable, jump, midnight, fc.oneof(takeTicker(-1), takeTicker(0))],
  1: [shortOfSol, unexpected, mined("failed"), blocks, pass, fullDisk, restart, freeze, thaw],
};

/** Up to `length` events, each as often as its number in `EVENTS` says. */
export const history = (length: number): fc.Arbitrary<ModelEvent[]> =>
  fc.array(
    fc.oneof(
      ...Object.entries(EVENTS).flatMap(([weight, events]) =>
        events.map((arbitrary) => ({ weight: Number(weight), arbitrary })),
      ),
    ),
    { maxLength: length, size: "max" },
  );
