import { type Clock, utcDay } from "../../../server/src/base/clock.ts";
import type { LaunchAttempt, LaunchJournal } from "../../../server/src/domain/journal.ts";
import type { LaunchOrder } from "../../../server/src/domain/launch.ts";
import type { TokenRef } from "../../../server/src/domain/token.ts";
import { ChainUnavailableError } from "../../../server/src/launchpad/errors.ts";
import { ScriptedLaunchpad } from "../../../server/src/testing/scripted-launchpad.ts";
import type { ModelChain, TransactionOutcome } from "./model-chain.ts";

/** The steps of a deployment. A process may die between any two of them. */
export type Step = "checking" | "simulating" | "signed" | "stored" | "confirming";

/** One call of `deploy`. It waits at each step until the test lets it go on or fail. */
export class Deployment {
  step: Step = "checking";
  #gate = Promise.withResolvers<void>();

  constructor(readonly order: LaunchOrder) {}

  proceed(): void {
    this.#gate.resolve();
  }

  fail(error: Error): void {
    this.#gate.reject(error);
  }

  at(step: Step): Promise<void> {
    this.step = step;
    this.#gate = Promise.withResolvers();
    return this.#gate.promise;
  }
}

/** The launchpad of one process, on the model's chain, as `chainLaunchpad` promises it. */
export class ModelLaunchpad extends ScriptedLaunchpad {
  readonly deployments = new Set<Deployment>();

  constructor(
    readonly chain: ModelChain,
    readonly clock: Clock,
  ) {
    super();
  }

  override async deploy(order: LaunchOrder, journal: LaunchJournal): Promise<TokenRef> {
    const deployment = new Deployment(order);
    this.deployments.add(deployment);
    try {
      return await this.#deploy(deployment, journal);
    } finally {
      this.deployments.delete(deployment);
    }
  }

  async #deploy(deployment: Deployment, journal: LaunchJournal): Promise<TokenRef> {
    await deployment.at("checking");
    const { latest } = journal;
    if (latest && (await this.#sendAndConfirm(deployment, latest)) === "landed") return latest;
    await deployment.at("simulating");
    const transaction = this.chain.sign(deployment.order);
    const { attempt } = transaction;
    await deployment.at("signed");
    await journal.record(attempt);
    transaction.day = utcDay(this.clock.now());
    await deployment.at("stored");
    const outcome = await this.#sendAndConfirm(deployment, attempt);
    if (outcome === "landed") return attempt;
    // The next try's simulation decides.
    throw new ChainUnavailableError(`The launch's transaction ${outcome}`);
  }

  async #sendAndConfirm(
    deployment: Deployment,
    attempt: LaunchAttempt,
  ): Promise<TransactionOutcome> {
    this.chain.send(attempt);
    for (;;) {
      const outcome = this.chain.outcomeOf(attempt);
      if (outcome !== null) return outcome;
      await deployment.at("confirming");
    }
  }
}
