import type { Connection } from "@solana/web3.js";
import { sleep } from "../base/clock.ts";
import { askNodes } from "./ask-nodes.ts";
import {
  type ConnectionOptions,
  connectThrough,
  createConnection,
  DEFAULT_TIMEOUT_MS,
} from "./connection.ts";
import { certaintyOf, isOfBytes, type RpcAnswer, RpcError, type RpcRequest } from "./rpc-answer.ts";
import type { RpcNode } from "./rpc-node.ts";
import { PATIENCE_MS, RpcNodes, type RpcNodesOptions } from "./rpc-nodes.ts";
import { type SendRefusalKind, sendRefusalKind } from "./transaction-error.ts";

export const HEDGE_MS = 1_000;

/** How often a read is made while all nodes are behind the floor. */
const BEHIND_TRIES = 5;

/** How often a transaction is sent while nodes are behind its blockhash. */
const SEND_TRIES = 4;

/** Refusals that concern the transaction. The others concern the node's state. */
const ABOUT_TRANSACTION = new Set<SendRefusalKind>(["payer", "program", "signature", "invalid"]);

/**
 * Uses several nodes of one cluster as one connection. Reads stay with one node until it fails;
 * transactions go to all nodes. No answer is older than an earlier one.
 */
export class RpcFailover {
  /** The highest confirmed slot among the returned answers. */
  #floor = 0;

  constructor(private readonly nodes: RpcNodes) {}

  connect({
    timeoutMs = DEFAULT_TIMEOUT_MS,
    before,
  }: Pick<ConnectionOptions, "timeoutMs" | "before"> = {}): Connection {
    const carrier = (request: RpcRequest) => this.#answer(request, timeoutMs);
    return connectThrough("http://nodes.invalid", carrier, before);
  }

  async #answer(request: RpcRequest, timeoutMs: number): Promise<RpcAnswer> {
    const deadline = this.nodes.clock.elapsed() + timeoutMs;
    if (request.method === "getGenesisHash") {
      return { result: await this.nodes.genesisHash(), error: null, slot: null };
    }
    return request.method === "sendTransaction"
      ? this.#send(atFloor(request, this.#floor), deadline)
      : this.#read(request, deadline);
  }

  /**
   * Sends a transaction to all nodes at once; it lands once. One node that accepts it is enough. A
   * refusal counts only if all nodes refuse for the same reason.
   * @throws {RpcError} no node accepted it; without a `code`, it may still have arrived
   */
  async #send(request: RpcRequest, deadline: number): Promise<RpcAnswer> {
    const nodes = await this.nodes.candidates(request);
    for (let tries = 1; ; tries++) {
      const { answers, errors, missing } = await askNodes(
        nodes.map((node) => () => this.nodes.exchange(node, request, deadline)),
        { ...this.#waiting(0), isEnough: ({ error }) => error === null },
      );
      const taken = answers.find(({ error }) => error === null);
      if (taken) return taken;
      if (errors.length > 0) throw errors[0];
      if (missing > 0) throw new RpcError("timeout", request.method, "a node is silent");
      const refusals = answers.flatMap(({ error }) => error ?? []);
      const kinds = refusals.map(sendRefusalKind);
      const isEarly = kinds.includes("blockhash") || refusals.some(({ kind }) => kind === "behind");
      if (isEarly && tries < SEND_TRIES) {
        await this.#pause();
        continue;
      }
      const unclear = kinds.findIndex((kind) => !ABOUT_TRANSACTION.has(kind));
      const different = "the nodes gave different answers";
      const isAgreed = new Set(kinds).size === 1;
      throw refusals[isAgreed ? 0 : unclear] ?? new RpcError("broken", request.method, different);
    }
  }

  #waiting(nextMs: number) {
    return { clock: this.nodes.clock, nextMs, patienceMs: PATIENCE_MS };
  }

  async #read(request: RpcRequest, deadline: number): Promise<RpcAnswer> {
    const asked = new Set<RpcNode>();
    for (let tries = 1; ; tries++) {
      const nodes = await this.nodes.candidates(request);
      for (const node of nodes) asked.add(node);
      try {
        const answer = await this.#readOnce(nodes, request, deadline);
        this.#floor = Math.max(this.#floor, confirmedSlot(request, answer));
        return answer;
      } catch (error) {
        const isBehind = error instanceof RpcError && error.kind === "behind";
        const mayWait = this.nodes.clock.elapsed() + this.nodes.msPerSlot < deadline;
        if (isBehind && tries < BEHIND_TRIES && mayWait) await this.#pause();
        else {
          // A node may be available that was not when the request began.
          const now = await this.nodes.candidates(request).catch(() => []);
          if (now.every((node) => asked.has(node))) throw error;
        }
      }
    }
  }

  /** Asks the nodes in turn, or all of them if only their answers together are proof. */
  async #readOnce(
    nodes: readonly RpcNode[],
    request: RpcRequest,
    deadline: number,
  ): Promise<RpcAnswer> {
    const { clock } = this.nodes;
    const merging = nodes.length > 1 ? mergingOf(request) : null;
    // Read now, because parallel requests may raise the floor before this answer arrives.
    const floor = merging ? 0 : this.#floor;
    const open = new Map<RpcNode, number>();
    const questions = nodes.map((node) => async () => {
      const askedAt = clock.elapsed();
      open.set(node, askedAt);
      const answer = await this.#counted(node, request, { floor, deadline }).finally(() =>
        open.delete(node),
      );
      return { ...answer, tookMs: clock.elapsed() - askedAt };
    });
    const { answers, errors } = await askNodes(questions, {
      ...this.#waiting(merging ? 0 : HEDGE_MS),
      isEnough: ({ error, result }) => !merging || (error === null && merging.isEnough(result)),
    });
    const [first] = answers;
    if (!first) throw pickError(errors);
    // A slow request or an agent's transaction is no evidence against the silent nodes.
    if (first.tookMs < PATIENCE_MS && !isOfBytes(request.method)) this.nodes.blameLater(open);
    const good = answers.filter(({ error }) => error === null);
    return (good.length > 0 ? merging?.merge(good) : null) ?? first;
  }

  /** Returns a node's answer at or above the floor. @throws {RpcError} another node may have one */
  async #counted(
    node: RpcNode,
    request: RpcRequest,
    { floor, deadline }: { readonly floor: number; readonly deadline: number },
  ): Promise<RpcAnswer> {
    const wasLeftOut = !node.isUsable;
    const answer = await this.nodes.exchange(node, request, deadline);
    if (answer.error) {
      if (answer.error.kind === "refused") return answer;
      throw answer.error;
    }
    if (answer.slot !== null && answer.slot < floor) {
      throw new RpcError("behind", request.method, "it answers from an older slot");
    }
    // Only a node that was left out before can recover, and only a comparison shows who is behind.
    if (wasLeftOut && node.fault !== "behind") node.recover();
    return answer;
  }

  #pause(): Promise<void> {
    return sleep(this.nodes.clock, this.nodes.msPerSlot);
  }
}

/** Picks the error to report: first that nodes are behind, then a node's error, then a failure. */
function pickError(errors: readonly unknown[]): unknown {
  const known = errors.filter((each) => each instanceof RpcError);
  const behind = known.find(({ kind }) => kind === "behind");
  return behind ?? known.find(({ code }) => code !== null) ?? known[0] ?? errors[0];
}

/** Makes a node that is behind say so instead of refusing the transaction because of old state. */
function atFloor(request: RpcRequest, floor: number): RpcRequest {
  const [transaction, config] = request.params;
  if (floor === 0 || typeof config !== "object" || config === null) return request;
  if ("skipPreflight" in config && config.skipPreflight === true) return request;
  const params = [transaction, { minContextSlot: floor, ...config }];
  const body = JSON.stringify({ ...JSON.parse(request.body), params });
  return { ...request, params, body };
}

/** Opens the RPC. It asks one node directly, and watches several until it is disposed. */
export function openRpc(urls: readonly string[], options: RpcNodesOptions = {}) {
  const [only = "", ...others] = urls;
  const nodes = others.length > 0 ? new RpcNodes(urls, options) : null;
  const failover = nodes && new RpcFailover(nodes);
  const { fetch, onRpc, clock } = options;
  return {
    nodes,
    /** Each request runs `before` first and must be answered in time. */
    connect: (limits: Pick<ConnectionOptions, "timeoutMs" | "before"> = {}): Connection =>
      failover?.connect(limits) ?? createConnection(only, { fetch, onRpc, clock, ...limits }),
    [Symbol.dispose]: () => nodes?.close(),
  };
}

interface Statuses {
  readonly context: { readonly slot: number };
  readonly value: readonly ({ readonly slot?: unknown } | null)[];
}

interface Merging {
  isEnough(result: unknown): boolean;
  /** @param answers at least one */
  merge(answers: readonly RpcAnswer[]): RpcAnswer | undefined;
}

/**
 * How to merge answers that may end the wait for a transaction. A wrong "expired" could make us sign
 * twice, so one node alone is not enough: the lowest block height of all usable nodes must exceed
 * the last valid one, and after that slot no node may find the transaction in its history. Usable
 * nodes are on the right cluster, give valid answers and are at most 12 s behind; if only one is
 * left, its answer counts.
 */
const MERGINGS: Readonly<Record<string, Merging>> = {
  getTransaction: {
    isEnough: (result) => result !== null,
    merge: (answers) => answers.find(({ result }) => result !== null) ?? answers[0],
  },
  getEpochInfo: {
    isEnough: () => false,
    merge: (answers) =>
      answers.toSorted((a, b) => Object(a.result).blockHeight - Object(b.result).blockHeight)[0],
  },
  getSignatureStatuses: {
    isEnough: (result) => (result as Statuses).value.every((entry) => certaintyOf(entry) > 0),
    merge(answers) {
      const all = answers.map(({ result }) => result as Statuses);
      // An unknown transaction is only proven to be missing at the oldest of the slots.
      const slot = Math.min(...all.map(({ context }) => context.slot));
      const value = (all[0]?.value ?? []).map((_, index) =>
        all
          .map((each) => each.value[index] ?? null)
          .reduce((best, entry) => (certaintyOf(entry) > certaintyOf(best) ? entry : best)),
      );
      return { result: { context: { slot }, value }, error: null, slot };
    },
  },
};

function mergingOf({ method, params }: RpcRequest): Merging | null {
  const { searchTransactionHistory } = Object(params[1]) as Record<string, unknown>;
  const isRecent = method === "getSignatureStatuses" && searchTransactionHistory !== true;
  return isRecent ? null : (MERGINGS[method] ?? null);
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
