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

/** How often a read is repeated because all nodes are a little behind what is known already. */
const BEHIND_TRIES = 5;

/** How often a transaction is sent again because all nodes are behind its blockhash. */
const SEND_TRIES = 4;

/** Refusals that are about the transaction. Others are about the node's state. */
const ABOUT_TRANSACTION: ReadonlySet<SendRefusalKind> = new Set([
  "payer",
  "program",
  "signature",
  "invalid",
]);

/**
 * Several nodes of one cluster behind one connection. Reads stay with one node until it fails, and
 * transactions go to all. No answer is older than what an earlier answer has shown.
 */
export class RpcFailover {
  /** The highest confirmed slot of an answer that was returned. */
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
   * Sends a transaction to all nodes at once; it lands once. The first that takes it counts. A
   * refusal counts only if every node refuses it for the same reason. @throws {RpcError} no node
   * took it, and one gave no answer: it may have arrived
   */
  async #send(request: RpcRequest, deadline: number): Promise<RpcAnswer> {
    const nodes = await this.nodes.candidates(request);
    for (let tries = 1; ; tries++) {
      const { taken, errors, failure } = await this.#sendOnce(nodes, request, deadline);
      if (taken) return taken;
      if (failure) throw failure;
      if (errors.some(isTooEarly) && tries < SEND_TRIES) {
        await this.#pause();
        continue;
      }
      const kinds = errors.map((error) => sendRefusalKind(error));
      const isAgreed = new Set(kinds).size === 1;
      const unclear = kinds.findIndex((kind) => !ABOUT_TRANSACTION.has(kind));
      const different = "the nodes gave different answers";
      throw errors[isAgreed ? 0 : unclear] ?? new RpcError("broken", request.method, different);
    }
  }

  async #sendOnce(nodes: readonly RpcNode[], request: RpcRequest, deadline: number) {
    const all = await askNodes(
      nodes.map((node) => () => this.nodes.exchange(node, request, deadline)),
      { ...this.#waiting(0), isEnough: ({ error }) => error === null },
    );
    const taken = all.answers.find(({ error }) => error === null);
    const isSilent = all.missing > 0;
    const silent = isSilent ? new RpcError("timeout", request.method, "a node is silent") : null;
    const failed = all.errors.find((error) => error instanceof RpcError);
    const errors = all.answers.flatMap(({ error }) => error ?? []);
    return { taken, errors, failure: failed ?? silent ?? all.errors[0] ?? null };
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
        else if (!(await this.#hasOthers(request, asked))) throw error;
      }
    }
  }

  /** Whether there is a node that was left out when the request began, and may have come back. */
  async #hasOthers(request: RpcRequest, asked: ReadonlySet<RpcNode>): Promise<boolean> {
    const nodes = await this.nodes.candidates(request).catch(() => []);
    return nodes.some((node) => !asked.has(node));
  }

  /** Asks the nodes in turn, or all for what only all of them prove. */
  async #readOnce(
    nodes: readonly RpcNode[],
    request: RpcRequest,
    deadline: number,
  ): Promise<RpcAnswer> {
    const { clock } = this.nodes;
    const merging = nodes.length > 1 ? mergingOf(request) : null;
    // Read before the request is sent: its answer may be older than what others show by the time it arrives.
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
    // A request that itself takes long says nothing about the other nodes, nor may an agent's bytes.
    if (first.tookMs < PATIENCE_MS && !isOfBytes(request.method)) this.nodes.blameLater(open);
    const good = answers.filter(({ error }) => error === null);
    return merging && good.length > 0 ? merging.merge(good) : first;
  }

  /** A node's answer, not from below the floor. @throws {RpcError} the next may have one */
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
    // A late answer does not excuse the node, and whether one is behind only a comparison shows.
    if (wasLeftOut && node.fault !== "behind") this.nodes.recover(node);
    return answer;
  }

  #pause(): Promise<void> {
    return sleep(this.nodes.clock, this.nodes.msPerSlot);
  }
}

/** What to report if no node has an answer: that they are behind, an error of one, or its failure. */
function pickError(errors: readonly unknown[]): unknown {
  const known = errors.filter((each) => each instanceof RpcError);
  const behind = known.find(({ kind }) => kind === "behind");
  return behind ?? known.find(({ code }) => code !== null) ?? known[0] ?? errors[0];
}

function isTooEarly(error: RpcError): boolean {
  return error.kind === "behind" || sendRefusalKind(error) === "blockhash";
}

/** Lets a node that is behind say so, instead of refusing the transaction by an old state. */
function atFloor(request: RpcRequest, floor: number): RpcRequest {
  const [transaction, config] = request.params;
  if (floor === 0 || typeof config !== "object" || config === null) return request;
  if ("skipPreflight" in config && config.skipPreflight === true) return request;
  const params = [transaction, { minContextSlot: floor, ...config }];
  const body = JSON.stringify({ ...JSON.parse(request.body), params });
  return { ...request, params, body };
}

export interface Rpc extends Disposable {
  /** Each request has to be answered in time, and waits for `before`. */
  connect(options?: Pick<ConnectionOptions, "timeoutMs" | "before">): Connection;
  readonly nodes: RpcNodes | null;
}

/** Opens the RPC. One node is asked directly; several are watched until it is disposed of. */
export function openRpc(urls: readonly string[], options: RpcNodesOptions = {}): Rpc {
  const [only = "", ...others] = urls;
  if (others.length > 0) {
    const nodes = new RpcNodes(urls, options);
    const failover = new RpcFailover(nodes);
    return {
      connect: (connectOptions) => failover.connect(connectOptions),
      nodes,
      [Symbol.dispose]: () => nodes.close(),
    };
  }
  const { fetch, onRpc, clock } = options;
  return {
    connect: (connectOptions) => createConnection(only, { fetch, onRpc, clock, ...connectOptions }),
    nodes: null,
    [Symbol.dispose]: () => {},
  };
}

interface Merging {
  isEnough(result: unknown): boolean;
  merge(answers: readonly RpcAnswer[]): RpcAnswer;
}

interface Statuses {
  readonly context: { readonly slot: number };
  readonly value: readonly ({ readonly slot?: unknown } | null)[];
}

const statuses: Merging = {
  isEnough: (result) => (result as Statuses).value.every((entry) => certaintyOf(entry) > 0),
  merge(answers) {
    const all = answers.map(({ result }) => result as Statuses);
    // That a transaction is unknown holds for the oldest state of those that do not know it.
    const slot = Math.min(...all.map(({ context }) => context.slot));
    const value = (all[0]?.value ?? []).map((_, index) =>
      all
        .map((each) => each.value[index] ?? null)
        .reduce((best, entry) => (certaintyOf(entry) > certaintyOf(best) ? entry : best)),
    );
    return { result: { context: { slot }, value }, error: null, slot };
  },
};

const transaction: Merging = {
  isEnough: (result) => result !== null,
  merge: (answers) => first(answers.filter(({ result }) => result !== null).concat(answers)),
};

const height: Merging = {
  isEnough: () => false,
  merge: (answers) => first(answers.toSorted((a, b) => heightOf(a) - heightOf(b))),
};

const heightOf = ({ result }: RpcAnswer) => (result as { blockHeight: number }).blockHeight;

function first(answers: readonly RpcAnswer[]): RpcAnswer {
  const [answer] = answers;
  if (!answer) throw new Error("no answers to merge");
  return answer;
}

/**
 * Requests whose answer may end the wait for a transaction. That it has expired is the one wrong
 * answer that could have it signed twice, so no node alone is believed: the lowest block height of
 * all nodes in use must be past its last one, and after that slot none may find it in its history.
 * In use are nodes of the right cluster that answer sensibly, at most 12 s behind; if only one is
 * left, its word counts.
 */
function mergingOf({ method, params }: RpcRequest): Merging | null {
  if (method === "getTransaction") return transaction;
  if (method === "getEpochInfo") return height;
  if (method !== "getSignatureStatuses") return null;
  const { searchTransactionHistory } = Object(params[1]) as Record<string, unknown>;
  return searchTransactionHistory === true ? statuses : null;
}

/**
 * A confirmed slot that an answer proves. Statuses are read at the processed slot, which is ahead of
 * the confirmed one; only the slots of confirmed transactions count.
 */
function confirmedSlot({ method }: RpcRequest, { error, result, slot }: RpcAnswer): number {
  if (error || method !== "getSignatureStatuses") return slot ?? 0;
  const { value } = result as Statuses;
  const slots = value.map((entry) => (certaintyOf(entry) > 0 ? entry?.slot : 0));
  return Math.max(0, ...slots.filter((each): each is number => Number.isSafeInteger(each)));
}
