import type { OperatorReport } from "@tokenctl/shared/operator-report";
import { type Clock, PeriodicTask, sleep, systemClock } from "../base/clock.ts";
import { COMMITMENT, type ConnectionOptions } from "./connection.ts";
import { clusterName } from "./health.ts";
import { type RpcAnswer, RpcError, type RpcRequest } from "./rpc-answer.ts";
import { ROUND_MS, RpcNode } from "./rpc-node.ts";

export interface RpcNodesOptions extends Omit<ConnectionOptions, "timeoutMs"> {
  /** Genesis hash of the cluster. Null or absent: the one that all nodes agree on. */
  readonly genesisHash?: string | null;
  /** Called with the reason when a node is left out, and with null when it is back. */
  readonly onChange?: (node: string, problem: string | null) => void;
  /** The cluster's time per slot, in milliseconds. Default: 400. */
  readonly msPerSlot?: () => number;
}

const USUAL_SLOT_MS = 400;

/**
 * A node that is further behind the best one is left out, in milliseconds. Good nodes differ by a
 * few slots; a node itself reports only a lag of 128 (agave, `DELINQUENT_VALIDATOR_SLOT_DISTANCE`).
 */
const MAX_LAG_MS = 12_000;

/** A node whose slot stays the same while the best one advances this far is stuck. */
const STUCK_AFTER_MS = 2_000;

/** A node that is further ahead of the others than this, in milliseconds, gives invalid slots. */
const MAX_LEAD_MS = 4_000_000;

/** Returns how many slots a node may be behind the best one and still be used. */
export function maxLag(slotMs = USUAL_SLOT_MS): number {
  return Math.ceil(MAX_LAG_MS / slotMs);
}

/** In milliseconds: a slow but working node needs up to two seconds. */
export const PATIENCE_MS = 2_400;

/** Several nodes of one cluster. Decides which of them may be asked, and in which order. */
export class RpcNodes {
  readonly clock: Pick<Clock, "elapsed" | "after">;
  readonly all: readonly RpcNode[];
  #genesis: string | null;
  #naming: Promise<readonly unknown[]> | null = null;
  #current = 0;
  /** The highest slot of all comparisons so far. */
  #best = 0;
  readonly #rounds: PeriodicTask;

  /** Watches the nodes until `close`. No error contains their URLs. */
  constructor(
    urls: readonly string[],
    private readonly options: RpcNodesOptions = {},
  ) {
    this.clock = options.clock ?? systemClock;
    this.all = urls.map(
      (url, index) => new RpcNode(`node ${index + 1}`, url, options, options.onChange),
    );
    this.#genesis = options.genesisHash ?? null;
    this.#rounds = new PeriodicTask({
      clock: this.clock,
      run: () => this.#compare(),
      // Each failure is recorded on its node.
      onError: () => {},
    });
    this.#rounds.start();
  }

  get msPerSlot(): number {
    return this.options.msPerSlot?.() ?? USUAL_SLOT_MS;
  }

  reports(): OperatorReport["nodes"] {
    return this.all.map(({ name, problem, lag }) => ({ name, problem, lag }));
  }

  describeProblems(): string | null {
    const problems = this.all.flatMap(({ name, fault, problem }) =>
      problem === null || fault === "unknown" ? [] : [`${name} ${problem}`],
    );
    return problems.length === 0 ? null : `RPC: ${problems.join(", ")}`;
  }

  /** Resolves after a comparison of the nodes. */
  compared(): Promise<void> {
    return this.#rounds.wake();
  }

  close(): void {
    void this.#rounds.stop();
  }

  /** How the nodes' clusters differ; null if they agree, or if that is unknown. */
  get disagreement(): string | null {
    const named = this.all.filter(({ genesis }) => genesis !== null);
    const isOne = new Set(named.map(({ genesis }) => genesis)).size < 2;
    if (this.#genesis !== null || isOne) return null;
    const parts = named.map(({ name, genesis }) => `${name} is on ${clusterName(genesis ?? "")}`);
    return `The nodes of RPC_URL are on different clusters: ${parts.join(", ")}`;
  }

  /**
   * Returns the nodes to ask, the current one first. If none is usable, returns all of the right
   * cluster, except those that limit our requests and still rest. @throws {RpcError} there is none
   */
  async candidates({ method }: RpcRequest): Promise<readonly RpcNode[]> {
    if (this.#genesis === null) await this.#nameNodes();
    const inTurn = [...this.all.slice(this.#current), ...this.all.slice(0, this.#current)];
    const usable = inTurn.filter((node) => node.isUsable);
    if (usable[0]) {
      this.#current = this.all.indexOf(usable[0]);
      return usable;
    }
    if (this.#genesis === null) await this.genesisHash();
    const own = inTurn.filter((node) => !node.isForeign);
    const free = own.filter((node) => node.fault !== "limited" || node.restMs === 0);
    if (free.length > 0) return free;
    if (own.length === 0) throw new RpcError("garbage", method, "all nodes are of other clusters");
    const restMs = Math.min(...own.map((node) => node.restMs));
    const retryAfterSeconds = Math.ceil(restMs / 1000);
    throw new RpcError("limited", method, "all nodes rest", { retryAfterSeconds });
  }

  /** Asks a node. Leaves it out if the failure is its own. @throws {RpcError} no valid answer */
  async exchange(node: RpcNode, request: RpcRequest, deadline: number): Promise<RpcAnswer> {
    try {
      const remaining = () => Math.max(1, deadline - this.clock.elapsed());
      await this.#verify(node, remaining());
      const answer = await node.ask(request, remaining());
      if (this.#best > 0 && (answer.slot ?? 0) > this.#best + this.#maxLead) {
        throw new RpcError("garbage", request.method, "a slot far in the future");
      }
      node.failBy(answer.error);
      return answer;
    } catch (error) {
      node.failBy(error);
      throw error;
    }
  }

  /** Leaves out the nodes that are still silent {@link PATIENCE_MS} after they were asked. */
  blameLater(silent: ReadonlyMap<RpcNode, number>): void {
    const { signal } = this.#rounds;
    for (const [node, askedAt] of silent) {
      const blame = () => {
        if (!signal.aborted && silent.has(node)) node.fail("timeout");
      };
      const restMs = askedAt + PATIENCE_MS - this.clock.elapsed();
      // The next request must not wait for this node too.
      if (restMs <= 1) blame();
      else void sleep(this.clock, restMs, signal).then(blame);
    }
  }

  /**
   * Returns the cluster's genesis hash, or another one if no answering node is on that cluster.
   * @throws {RpcError} no node answers, or they are on different clusters
   */
  async genesisHash(): Promise<string> {
    const [failure] = await this.#nameNodes();
    const named = this.all.flatMap(({ genesis }) => genesis ?? []);
    const [first] = named;
    if (first === undefined) throw failure;
    if (this.#genesis === null) {
      throw new RpcError("garbage", "getGenesisHash", "the nodes are on different clusters");
    }
    return named.includes(this.#genesis) ? this.#genesis : first;
  }

  /**
   * Asks all nodes for their cluster. Unless the genesis hash is known, it is the one that all who
   * answer agree on. @returns why others did not answer
   */
  #nameNodes(): Promise<readonly unknown[]> {
    this.#naming ??= this.#askNames().finally(() => {
      this.#naming = null;
    });
    return this.#naming;
  }

  async #askNames(): Promise<readonly unknown[]> {
    const ask = async (node: RpcNode) => {
      try {
        await node.readGenesis(PATIENCE_MS);
        return [];
      } catch (error) {
        node.failBy(error);
        return [error];
      }
    };
    const errors = (await Promise.all(this.all.map(ask))).flat();
    const named = this.all.filter(({ genesis }) => genesis !== null);
    if (this.#genesis === null && new Set(named.map(({ genesis }) => genesis)).size === 1) {
      this.#genesis = named[0]?.genesis ?? null;
      for (const node of named) node.recover();
    }
    return errors;
  }

  async #verify(node: RpcNode, timeoutMs: number): Promise<void> {
    if (!node.isForeign && node.genesis !== null && node.genesis === this.#genesis) return;
    const genesis = await node.readGenesis(timeoutMs);
    if (genesis === this.#genesis) return;
    node.banish();
    throw new RpcError("garbage", "getGenesisHash", "another cluster");
  }

  /** Reads the slots of all nodes, leaves out those that are behind, and takes back good ones. */
  async #compare(): Promise<number> {
    if (this.#genesis === null) await this.#nameNodes();
    if (this.#genesis === null) return ROUND_MS;
    const asked = this.all.filter((node) => !node.isForeign && node.restMs === 0);
    const found = await Promise.all(asked.map((node) => this.#readSlot(node)));
    // A node that is behind stays out even if the better ones do not answer now.
    const best = Math.max(this.#best, this.#bestOf(found.flatMap((each) => each?.slot ?? [])));
    const passedMs = (best - this.#best) * this.msPerSlot;
    const lagLimit = maxLag(this.msPerSlot);
    this.#best = best;
    for (const each of found) {
      if (each === null) continue;
      const { node, slot, isHealthy } = each;
      const isStuck = slot === node.slot && passedMs >= STUCK_AFTER_MS;
      node.slot = slot;
      node.lag = best - slot;
      if (slot > best) node.fail("garbage");
      else if (!isHealthy || isStuck || node.lag > lagLimit) node.fail("behind");
      // Only once it is within half the limit, so that it does not come and go.
      else if (node.lag <= lagLimit / 2) node.recover();
    }
    return ROUND_MS;
  }

  get #maxLead(): number {
    return MAX_LEAD_MS / this.msPerSlot;
  }

  /** Returns the highest slot, unless it is far beyond two others that agree. */
  #bestOf(slots: readonly number[]): number {
    const [first = 0, second = first, third] = slots.toSorted((a, b) => b - a);
    const lead = this.#maxLead;
    const isAlone = third !== undefined && first - second > lead && second - third <= lead;
    return isAlone ? second : first;
  }

  async #readSlot(node: RpcNode) {
    try {
      await this.#verify(node, PATIENCE_MS);
      const [slot, health] = await Promise.all([
        node.call("getSlot", [{ commitment: COMMITMENT }], PATIENCE_MS),
        node.isUsable ? null : node.call("getHealth", [], PATIENCE_MS),
      ]);
      if (slot.slot === null) throw slot.error ?? new RpcError("garbage", "getSlot", "no slot");
      const isHealthy = !health?.error || health.error.kind === "unsupported";
      return { node, slot: slot.slot, isHealthy };
    } catch (error) {
      node.lag = null;
      node.failBy(error);
      return null;
    }
  }
}
