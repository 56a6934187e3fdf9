import type { Connection } from "@solana/web3.js";
import { sleep } from "../base/clock.ts";
import { askAll, askInTurn } from "./ask-nodes.ts";
import {
  type ConnectionOptions,
  connectThrough,
  DEFAULT_TIMEOUT_MS,
  RpcFailure,
  type RpcFetch,
} from "./connection.ts";
import { confirmedSlot, mergingOf } from "./merge-answers.ts";
import {
  answerText,
  meaningOf,
  type RpcAnswer,
  type RpcRequest,
  readRequest,
} from "./rpc-answer.ts";
import { behindAnswer, type RpcNode } from "./rpc-node.ts";
import { PATIENCE_MS, type RpcNodes } from "./rpc-nodes.ts";
import { sendToAll } from "./send-to-all.ts";

/** Milliseconds without an answer after which the next node is asked too. */
export const HEDGE_MS = 1_000;

/** How often a request is repeated because all nodes are a little behind what is known already. */
const BEHIND_TRIES = 5;

/** What a request to one node came to, if not to an answer that counts. */
class Unanswered extends Error {
  constructor(
    readonly failure: RpcFailure | null,
    /** The JSON-RPC error; null without an answer. */
    readonly text: string | null,
    readonly isBehind: boolean,
  ) {
    super("unanswered");
  }
}

/**
 * Several nodes of one cluster behind one connection. Reads stay with one node until it fails, and
 * transactions go to all. No answer is older than what an earlier answer has shown.
 */
export class RpcFailover {
  readonly #nodes: RpcNodes;
  /** The highest confirmed slot of an answer that was returned. */
  #floor = 0;

  constructor(nodes: RpcNodes) {
    this.#nodes = nodes;
  }

  /** @param timeoutMs milliseconds within which one of the nodes answers a request, or it fails */
  connect({
    timeoutMs = DEFAULT_TIMEOUT_MS,
    before,
  }: Pick<ConnectionOptions, "timeoutMs" | "before"> = {}): Connection {
    const carrier: RpcFetch = async (_, init) => new Response(await this.#answer(init, timeoutMs));
    return connectThrough("http://nodes.invalid", carrier, before);
  }

  async #answer(init: RequestInit, timeoutMs: number): Promise<string> {
    const request = readRequest(String(init.body));
    const deadline = this.#nodes.clock.elapsed() + timeoutMs;
    if (request.method === "getGenesisHash") {
      return answerText(request, { result: await this.#nodes.genesisHash() });
    }
    if (request.method === "sendTransaction") {
      return sendToAll(request, {
        nodes: await this.#nodes.candidates(request),
        floor: this.#floor,
        ask: (node, sent) => this.#nodes.exchange(node, sent, init, deadline),
        blameLater: (silent) => this.#nodes.blameLater(silent),
        clock: this.#nodes.clock,
        pause: () => this.#pause(),
      });
    }
    return this.#read(request, init, deadline);
  }

  async #read(request: RpcRequest, init: RequestInit, deadline: number): Promise<string> {
    const asked = new Set<RpcNode>();
    for (let tries = 1; ; tries++) {
      const nodes = await this.#nodes.candidates(request);
      for (const node of nodes) asked.add(node);
      try {
        const answer = await this.#readOnce(nodes, request, init, deadline);
        this.#floor = Math.max(this.#floor, confirmedSlot(request, answer));
        return answer.text;
      } catch (error) {
        const worst = pickError(error);
        const mayWait = this.#nodes.clock.elapsed() + this.#nodes.msPerSlot < deadline;
        if (worst.isBehind && tries < BEHIND_TRIES && mayWait) {
          await this.#pause();
          continue;
        }
        if (await this.#hasOthers(request, asked)) continue;
        if (worst.text !== null) return worst.text;
        throw worst.failure ?? error;
      }
    }
  }

  /** Whether there is a node that was left out when the request began, and may have come back. */
  async #hasOthers(request: RpcRequest, asked: ReadonlySet<RpcNode>): Promise<boolean> {
    const nodes = await this.#nodes.candidates(request).catch(() => []);
    return nodes.some((node) => !asked.has(node));
  }

  async #readOnce(
    nodes: readonly RpcNode[],
    request: RpcRequest,
    init: RequestInit,
    deadline: number,
  ): Promise<RpcAnswer> {
    const merging = mergingOf(request);
    // Read before the request is sent: its answer may be older than what others show by the time it arrives.
    const floor = this.#floor;
    if (!merging || nodes.length === 1) {
      return this.#inTurn(nodes, (node) => this.#ask(node, request, init, deadline, floor));
    }
    const open = new Set(nodes);
    const { clock } = this.#nodes;
    const started = clock.elapsed();
    const { answers, errors, isLate } = await askAll(
      nodes.map((node) =>
        this.#ask(node, request, init, deadline, 0).finally(() => open.delete(node)),
      ),
      ({ error, result }) => error === null && merging.isEnough(result),
      { clock, milliseconds: PATIENCE_MS },
    );
    const [refused] = answers;
    if (!refused) throw new AggregateError(errors);
    if (!isLate) this.#nodes.blameLater(open, started);
    const good = answers.filter(({ error }) => error === null);
    return good.length > 0 ? merging.merge(request, good) : refused;
  }

  async #inTurn(nodes: readonly RpcNode[], ask: (node: RpcNode) => Promise<RpcAnswer>) {
    const { clock } = this.#nodes;
    const open: { readonly node: Set<RpcNode>; readonly askedAt: number }[] = [];
    const questions = nodes.map((node) => async () => {
      const asked = { node: new Set([node]), askedAt: clock.elapsed() };
      open.push(asked);
      const answer = await ask(node).finally(() => asked.node.clear());
      return { answer, tookMs: clock.elapsed() - asked.askedAt };
    });
    const patience = { clock, milliseconds: HEDGE_MS };
    const { answer, tookMs } = await askInTurn(questions, patience);
    // A request that itself takes long says nothing about the other nodes.
    if (tookMs < PATIENCE_MS) {
      for (const { node, askedAt } of open) this.#nodes.blameLater(node, askedAt);
    }
    return answer;
  }

  /**
   * One node's answer to a read.
   *
   * @param floor an answer from an older slot does not count
   * @throws {Unanswered} the next node may have an answer
   */
  async #ask(
    node: RpcNode,
    request: RpcRequest,
    init: RequestInit,
    deadline: number,
    floor: number,
  ): Promise<RpcAnswer> {
    const wasLeftOut = !node.isUsable;
    let answer: RpcAnswer;
    try {
      answer = await this.#nodes.exchange(node, request, init, deadline);
    } catch (error) {
      throw new Unanswered(error instanceof RpcFailure ? error : null, null, false);
    }
    if (answer.error) {
      const meaning = meaningOf(answer.error);
      if (meaning === "request") return answer;
      throw new Unanswered(null, answer.text, meaning === "behind");
    }
    if (answer.slot !== null && answer.slot < floor) {
      throw new Unanswered(null, behindAnswer(request), true);
    }
    // A late answer does not excuse the node, and whether one is behind only a comparison shows.
    if (wasLeftOut && node.fault !== "behind") this.#nodes.recover(node);
    return answer;
  }

  /** Waits for a slot. */
  #pause(): Promise<void> {
    return sleep(this.#nodes.clock, this.#nodes.msPerSlot);
  }
}

/** What to report if no node has an answer: that they are behind, an error of one, or its failure. */
function pickError(error: unknown): Unanswered {
  const all = error instanceof AggregateError ? error.errors : [error];
  const known = all.filter((each): each is Unanswered => each instanceof Unanswered);
  const behind = known.find((each) => each.isBehind);
  const answered = known.find((each) => each.text !== null);
  const fallback = new Unanswered(error instanceof RpcFailure ? error : null, null, false);
  return behind ?? answered ?? known[0] ?? fallback;
}
