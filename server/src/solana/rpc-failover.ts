import type { Connection } from "@solana/web3.js";
import { type Clock, sleep, systemClock, waitAtMost } from "../base/clock.ts";
import {
  type ConnectionOptions,
  connectThrough,
  DEFAULT_TIMEOUT_MS,
  RpcEndpoint,
} from "./connection.ts";
import { certaintyOf, type RpcAnswer, RpcError, type RpcRequest } from "./rpc-answer.ts";
import type { RpcNode } from "./rpc-node.ts";
import { PATIENCE_MS, RpcNodes, type RpcNodesOptions, USUAL_SLOT_MS } from "./rpc-nodes.ts";

/** How many times a read is made while the nodes that answer it are behind. */
const BEHIND_TRIES = 5;

/**
 * Uses several nodes of one cluster as one connection. Reads stay with one node until it fails;
 * transactions go to all nodes. No answer is older than an earlier one.
 */
export class RpcFailover {
  /** The highest confirmed slot among the returned answers. */
  #floor = 0;

  constructor(private readonly nodes: RpcNodes) {}

  connect({ timeoutMs = DEFAULT_TIMEOUT_MS, before }: Limits): Connection {
    const carrier = (request: RpcRequest) => this.#answer(request, timeoutMs);
    return connectThrough("http://nodes.invalid", carrier, before);
  }

  async #answer(request: RpcRequest, timeoutMs: number): Promise<RpcAnswer> {
    const deadline = this.nodes.clock.elapsed() + timeoutMs;
    if (request.method === "getGenesisHash") {
      return { result: await this.nodes.genesisHash(), error: null, slot: null };
    }
    return request.method === "sendTransaction"
      ? this.#send(request, deadline)
      : this.#read(request, deadline);
  }

  /**
   * Sends a transaction to all nodes at once; it lands once. One node that accepts it is enough.
   * @throws {RpcError} no node accepted it; it may still have arrived
   */
  async #send(request: RpcRequest, deadline: number): Promise<RpcAnswer> {
    const nodes = await this.nodes.candidates(request);
    const sending = nodes.map(async (node) => {
      const answer = await this.nodes.exchange(node, request, this.#patience(deadline));
      if (answer.error) throw answer.error;
      return answer;
    });
    return Promise.any(sending).catch((error: AggregateError) => {
      throw pickError(error.errors);
    });
  }

  #patience(deadline: number): number {
    return Math.min(deadline, this.nodes.clock.elapsed() + PATIENCE_MS);
  }

  #read(request: RpcRequest, deadline: number): Promise<RpcAnswer> {
    return whileBehind(this.nodes, deadline, async () => {
      const nodes = await this.nodes.candidates(request);
      const answer = await this.#readOnce(nodes, request, deadline);
      this.#floor = Math.max(this.#floor, confirmedSlot(request, answer));
      return answer;
    });
  }

  /** Asks the nodes in turn, or all of them if only their answers together are proof. */
  async #readOnce(
    nodes: readonly RpcNode[],
    request: RpcRequest,
    deadline: number,
  ): Promise<RpcAnswer> {
    const merge = nodes.length > 1 ? mergeOf(request) : null;
    if (merge) {
      const answers: RpcAnswer[] = [];
      const waiting = new Set(nodes);
      const asking = nodes.map(async (node) => {
        const answering = this.#counted(node, request, 0, deadline);
        answers.push(await answering.finally(() => waiting.delete(node)));
      });
      await waitAtMost(PATIENCE_MS, Promise.allSettled(asking), this.nodes.clock);
      // If others have answered, a silent node hangs. From now on, the first answer ends the wait.
      const hanging = answers.length > 0 ? [...waiting] : [];
      for (const node of hanging) node.failBy(new RpcError("timeout", request.method, "it hangs"));
      await Promise.any(asking).catch((error: AggregateError) => {
        throw pickError(error.errors);
      });
      return merge(answers.filter(({ error }) => error === null)) ?? (answers[0] as RpcAnswer);
    }
    const errors: unknown[] = [];
    // Read now, because parallel requests may raise the floor before this answer arrives.
    const floor = this.#floor;
    for (const [index, node] of nodes.entries()) {
      const left = nodes.length - index;
      // A node that hangs leaves time for the others.
      const shareMs = (deadline - this.nodes.clock.elapsed()) / left;
      const until = this.nodes.clock.elapsed() + Math.min(PATIENCE_MS, shareMs);
      try {
        return await this.#counted(node, request, floor, left > 1 ? until : deadline);
      } catch (error) {
        errors.push(error);
      }
    }
    throw pickError(errors);
  }

  /** Returns a node's answer at or above the floor. @throws {RpcError} another node may have one */
  async #counted(
    node: RpcNode,
    request: RpcRequest,
    floor: number,
    deadline: number,
  ): Promise<RpcAnswer> {
    const answer = await this.nodes.exchange(node, request, deadline);
    if (answer.error && answer.error.kind !== "refused") throw answer.error;
    if (answer.slot !== null && answer.slot < floor) {
      throw new RpcError("behind", request.method, "it answers from an older slot");
    }
    return answer;
  }
}

/** Reads again, a slot later each time, while nodes are behind: one URL may lead to many. */
async function whileBehind(
  { clock, msPerSlot }: { clock: Pick<Clock, "elapsed" | "after">; msPerSlot: number },
  deadline: number,
  read: () => Promise<RpcAnswer>,
): Promise<RpcAnswer> {
  for (let tries = 1; ; tries++) {
    try {
      return await read();
    } catch (error) {
      const isBehind = error instanceof RpcError && error.kind === "behind";
      if (!isBehind || tries === BEHIND_TRIES || clock.elapsed() + msPerSlot >= deadline)
        throw error;
      await sleep(clock, msPerSlot);
    }
  }
}

/** Picks the error to report: first that nodes are behind, then a node's error, then a failure. */
function pickError(errors: readonly unknown[]): unknown {
  const known = errors.filter((each) => each instanceof RpcError);
  const behind = known.find(({ kind }) => kind === "behind");
  return behind ?? known.find(({ code }) => code !== null) ?? known[0] ?? errors[0];
}

type Limits = Pick<ConnectionOptions, "timeoutMs" | "before">;

/** Opens the RPC. It asks one node directly, and watches several until it is disposed. */
export function openRpc(urls: readonly string[], options: RpcNodesOptions = {}) {
  const [only = "", ...others] = urls;
  const nodes = others.length > 0 ? new RpcNodes(urls, options) : null;
  const failover = nodes && new RpcFailover(nodes);
  const endpoint = new RpcEndpoint(only, options);
  const { clock = systemClock, msPerSlot = () => USUAL_SLOT_MS } = options;
  const connectDirectly = ({ timeoutMs = DEFAULT_TIMEOUT_MS, before }: Limits) =>
    connectThrough(
      only,
      (request) => {
        const deadline = clock.elapsed() + timeoutMs;
        const ask = async () => {
          const answer = await endpoint.ask(request, deadline - clock.elapsed());
          if (answer.error) throw answer.error;
          return answer;
        };
        return whileBehind({ clock, msPerSlot: msPerSlot() }, deadline, ask);
      },
      before,
    );
  return {
    nodes,
    /** Each request runs `before` first and must be answered in time. */
    connect: (limits: Limits = {}): Connection =>
      failover?.connect(limits) ?? connectDirectly(limits),
    [Symbol.dispose]: () => nodes?.close(),
  };
}

interface Statuses {
  readonly context: { readonly slot: number };
  readonly value: readonly ({ readonly slot?: unknown } | null)[];
}

type Merge = (answers: readonly RpcAnswer[]) => RpcAnswer | undefined;

/**
 * How to merge answers that may end the wait for a transaction. A wrong "expired" could make us sign
 * twice, so one node alone is not enough: the lowest block height of all usable nodes must exceed
 * the last valid one, and after that slot no node may find the transaction in its history. Usable
 * nodes are on the right cluster, give valid answers and are at most 12 s behind; if only one is
 * left, its answer counts.
 */
const MERGES: Readonly<Record<string, Merge>> = {
  getTransaction: (answers) => answers.find(({ result }) => result !== null) ?? answers[0],
  getEpochInfo: (answers) =>
    answers.toSorted((a, b) => Object(a.result).blockHeight - Object(b.result).blockHeight)[0],
  getSignatureStatuses(answers) {
    const all = answers.map(({ result }) => result as Statuses);
    // An unknown transaction is only proven to be missing at the oldest of the slots.
    const slot = Math.min(...all.map(({ context }) => context.slot));
    const value = (all[0]?.value ?? []).map((_, index) =>
      all
        .map((each) => each.value[index] ?? null)
        .reduce((best, entry) => (certaintyOf(entry) > certaintyOf(best) ? entry : best)),
    );
    return all.length === 0
      ? undefined
      : { result: { context: { slot }, value }, error: null, slot };
  },
};

function mergeOf({ method, params }: RpcRequest): Merge | null {
  const { searchTransactionHistory } = Object(params[1]) as Record<string, unknown>;
  const isRecent = method === "getSignatureStatuses" && searchTransactionHistory !== true;
  return isRecent ? null : (MERGES[method] ?? null);
}

/**
 * Returns a slot that the answer proves to be confirmed. The context of statuses is the processed
 * slot, which is ahead of it, so only the slots of confirmed transactions count.
 */
function confirmedSlot({ method }: RpcRequest, { error, result, slot }: RpcAnswer): number {
  if (error || method !== "getSignatureStatuses") return slot ?? 0;
  const { value } = result as Statuses;
  const slots = value.map((entry) => (certaintyOf(entry) > 0 ? entry?.slot : 0));
  return Math.max(0, ...slots.filter((each): each is number => Number.isSafeInteger(each)));
}
