import { type Clock, PeriodicTask, systemClock } from "../base/clock.ts";
import { COMMITMENT, type ConnectionOptions } from "./connection.ts";
import { type RpcAnswer, RpcError, type RpcRequest } from "./rpc-answer.ts";
import { ROUND_MS, RpcNode } from "./rpc-node.ts";

export interface RpcNodesOptions extends Omit<ConnectionOptions, "timeoutMs"> {
  /** Genesis hash of the cluster. Null or absent: that of the first node. */
  readonly genesisHash?: string | null;
  /** Called with the reason when a node is left out, and with null when it is back. */
  readonly onChange?: (node: string, problem: string | null) => void;
  /** The cluster's time per slot, in milliseconds. Default: 400. */
  readonly msPerSlot?: () => number;
}

export const USUAL_SLOT_MS = 400;

/** A node that is further behind the best one is left out, in milliseconds. */
const MAX_LAG_MS = 12_000;

/** A node that is alone this far ahead of two others names a false slot, in milliseconds. */
const MAX_LEAD_MS = 4_000_000;

/** How long a node may take, in milliseconds: a slow but working one needs up to two seconds. */
export const PATIENCE_MS = 2_400;

/** Several nodes of one cluster. Decides which of them may be asked, and in which order. */
export class RpcNodes {
  readonly clock: Pick<Clock, "elapsed" | "after">;
  readonly all: readonly RpcNode[];
  #genesis: string | null;
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

  reports() {
    return this.all.map(({ name, problem }) => ({ name, problem }));
  }

  describeProblems(): string | null {
    const problems = this.all.flatMap(({ name, fault, problem }) =>
      problem === null || fault === "unknown" ? [] : [`${name} ${problem}`],
    );
    return problems.length === 0 ? null : `RPC: ${problems.join(", ")}`;
  }

  compared(): Promise<void> {
    return this.#rounds.wake();
  }

  close(): void {
    void this.#rounds.stop();
  }

  /**
   * Returns the nodes to ask, the current one first. If none is usable, returns all of the right
   * cluster, except those that limit our requests and still rest. @throws {RpcError} there is none
   */
  async candidates({ method }: RpcRequest): Promise<readonly RpcNode[]> {
    await this.#cluster();
    const inTurn = [...this.all.slice(this.#current), ...this.all.slice(0, this.#current)];
    const usable = inTurn.filter((node) => node.isUsable);
    if (usable[0]) {
      this.#current = this.all.indexOf(usable[0]);
      return usable;
    }
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
    const began = this.clock.elapsed();
    try {
      const remaining = () => Math.max(1, deadline - this.clock.elapsed());
      await this.#verify(node, remaining());
      const answer = await node.ask(request, remaining());
      node.failBy(answer.error);
      return answer;
    } catch (error) {
      // A shorter time-out, as of a probe, is no evidence against the node.
      const isHasty = this.clock.elapsed() - began < PATIENCE_MS;
      if (!(isHasty && error instanceof RpcError && error.kind === "timeout")) node.failBy(error);
      throw error;
    }
  }

  /** Returns the cluster's genesis hash, or another one if no answering node is on that cluster. */
  async genesisHash(): Promise<string> {
    const own = await this.#cluster();
    const named = await Promise.allSettled(this.all.map((node) => node.readGenesis(PATIENCE_MS)));
    const hashes = named.flatMap((each) => (each.status === "fulfilled" ? each.value : []));
    const [first] = hashes;
    if (first === undefined) throw (named[0] as PromiseRejectedResult).reason;
    return hashes.includes(own) ? own : first;
  }

  async #cluster(): Promise<string> {
    this.#genesis ??= await (this.all[0] as RpcNode).readGenesis(PATIENCE_MS);
    return this.#genesis;
  }

  async #verify(node: RpcNode, timeoutMs: number): Promise<void> {
    const own = await this.#cluster();
    if (!node.isForeign && (await node.readGenesis(timeoutMs)) === own) return;
    node.banish();
    throw new RpcError("garbage", "getGenesisHash", "another cluster");
  }

  /** Reads the slots of all nodes, leaves out those that are behind, and takes back good ones. */
  async #compare(): Promise<number> {
    try {
      await this.#cluster();
    } catch (error) {
      this.all[0]?.failBy(error);
      return ROUND_MS;
    }
    const asked = this.all.filter((node) => !node.isForeign && node.restMs === 0);
    const found = await Promise.all(asked.map((node) => this.#readSlot(node)));
    const slots = found.flatMap((each) => each?.slot ?? []).toSorted((a, b) => b - a);
    const [first = 0, second = first, third] = slots;
    const lead = first - Math.max(second, this.#best);
    const isFalse = third !== undefined && lead > MAX_LEAD_MS / this.msPerSlot;
    // A node that is behind stays out even if the better ones do not answer now.
    this.#best = Math.max(this.#best, isFalse ? second : first);
    const lagLimit = Math.ceil(MAX_LAG_MS / this.msPerSlot);
    for (const each of found) {
      if (each === null) continue;
      const { node, slot, isHealthy } = each;
      const lag = this.#best - slot;
      if (lag < 0) node.fail("garbage");
      else if (!isHealthy || lag > lagLimit) node.fail("behind");
      // Only once it is within half the limit, so that it does not come and go.
      else if (lag <= lagLimit / 2) node.recover();
    }
    return ROUND_MS;
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
      node.failBy(error);
      return null;
    }
  }
}
