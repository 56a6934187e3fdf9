import { setTimeout as sleep } from "node:timers/promises";
import type { TestPostgres } from "../../../server/src/testing/postgres.ts";
import type { SeededRandom } from "./seeded-random.ts";
import type { ServerGroup } from "./server-group.ts";

const MINUTE_MS = 60_000;
const OFFSETS_MS = [10 * MINUTE_MS, -10 * MINUTE_MS] as const;
/** The longest pause between two faults, in milliseconds. */
const PAUSE_MS = 300;
/** The longest that a network is slow or silent and that the database is down, in milliseconds. */
const TROUBLE_MS = 1_500;

const KINDS = [
  ...(["kill", "kill", "kill", "kill", "kill", "kill"] as const),
  ...(["cut", "cut", "cut", "cut", "lost answers", "lost answers", "lost answers"] as const),
  ...(["freeze", "freeze", "slow", "silence", "database restart"] as const),
] as const;
type FaultKind = (typeof KINDS)[number];

/** Harms a group of servers and their database at random, one fault after another. */
export class Faults {
  readonly counts: Record<FaultKind, number> = {
    kill: 0,
    cut: 0,
    "lost answers": 0,
    freeze: 0,
    slow: 0,
    silence: 0,
    "database restart": 0,
  };
  readonly #group: ServerGroup;
  readonly #postgres: TestPostgres;
  readonly #random: SeededRandom;
  readonly #leaseMs: number;
  readonly #troubles: (Promise<void> | null)[];

  constructor(group: ServerGroup, postgres: TestPostgres, random: SeededRandom, leaseMs: number) {
    this.#group = group;
    this.#postgres = postgres;
    this.#random = random;
    this.#leaseMs = leaseMs;
    this.#troubles = [...group.all, null].map(() => null);
  }

  /** Inflicts `count` faults, first one of each kind, each on a server without one, and waits until all are over. */
  async inflict(count: number): Promise<void> {
    for (let fault = 0; fault < count; fault++) {
      const untried = KINDS.find((each) => this.counts[each] === 0);
      const kind = untried ?? this.#random.pick(KINDS);
      const victim =
        kind === "database restart"
          ? this.#troubles.length - 1
          : this.#random.below(this.#troubles.length - 1);
      while (this.#troubles[victim]) await this.#troubles[victim];
      this.counts[kind] += 1;
      void this.#suffer(kind, victim);
      await sleep(this.#random.next() * PAUSE_MS);
    }
    await Promise.all(this.#troubles);
  }

  #suffer(kind: FaultKind, victim: number): Promise<void> {
    const trouble = this.#harm(kind, victim).finally(() => {
      this.#troubles[victim] = null;
    });
    this.#troubles[victim] = trouble;
    return trouble;
  }

  async #harm(kind: FaultKind, victim: number): Promise<void> {
    const group = this.#group;
    const troubleMs = this.#random.next() * TROUBLE_MS;
    switch (kind) {
      case "kill": {
        const isLast = victim === group.all.length - 1;
        const offsetMs = isLast ? this.#random.pick(OFFSETS_MS) : 0;
        await group.kill(victim);
        return group.start(victim, offsetMs);
      }
      case "freeze": {
        const { pid } = group.server(victim);
        const frozenMs = this.#leaseMs * (1.1 + this.#random.next());
        process.kill(pid, "SIGSTOP");
        await sleep(frozenMs);
        process.kill(pid, "SIGCONT");
        return;
      }
      case "cut":
        return group.proxy(victim).cut();
      case "lost answers":
        return group.proxy(victim).loseAnswers();
      case "slow":
        group.proxy(victim).delayMs = 1 + troubleMs / 20;
        await sleep(TROUBLE_MS);
        group.proxy(victim).delayMs = 0;
        return;
      case "silence":
        group.proxy(victim).fallSilent();
        await sleep(2 * troubleMs);
        return group.proxy(victim).speak();
      case "database restart":
        await this.#postgres.stop("immediate");
        await sleep(troubleMs);
        return this.#postgres.start();
    }
  }
}
