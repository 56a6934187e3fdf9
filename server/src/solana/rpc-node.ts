import { type ConnectionOptions, RpcEndpoint } from "./connection.ts";
import { clusterName } from "./health.ts";
import { RPC_ERROR_TEXTS, type RpcAnswer, readRequest } from "./rpc-answer.ts";

/** Why a node is left out; public. */
const TEXTS = {
  ...RPC_ERROR_TEXTS,
  unknown: "has not answered yet",
  foreign: "is on another cluster",
};

export type NodeFault = keyof typeof TEXTS;

const MAX_REST_MS = 60_000;

/**
 * One of several nodes: what it last said, and whether it may be asked. Its state is its `fault`:
 *
 *     unknown ── well ──▶ null (used) ── fault ──▶ left out: rests 4 s, then 8, … 60 s
 *                          ▲                         │ another fault: rests longer
 *                          └── well in a comparison, ┘
 *                              or a good answer while none is used, unless it was behind
 *     any ── names another cluster ──▶ foreign, which has no end
 *
 * {@link RpcNodes} moves it. That a transaction expired is none of this: `outcome.ts` decides it by what the
 * nodes answered, and `RpcFailover` returns no answer older than an earlier one.
 */
export class RpcNode extends RpcEndpoint {
  /** Null until it has said which cluster it is on. */
  genesis: string | null = null;
  #naming: Promise<string> | null = null;
  fault: NodeFault | null = "unknown";
  /** The highest confirmed slot that it showed when it was last compared with the others. */
  slot: number | null = null;
  /** Slots behind the best node; null if that is not known. */
  lag: number | null = null;
  #restsUntil = 0;
  #failures = 0;
  #wellSince = 0;

  /** @param name `node 1`, `node 2`, …: in public, nothing else names it */
  constructor(
    readonly name: string,
    url: string,
    options: ConnectionOptions,
  ) {
    super(url, { ...options, node: name });
  }

  get isUsable(): boolean {
    return this.fault === null;
  }

  get isForeign(): boolean {
    return this.fault === "foreign";
  }

  get restMs(): number {
    return Math.max(0, this.#restsUntil - this.clock.elapsed());
  }

  /** Why it is left out, in words for people; null if it is not. */
  get problem(): string | null {
    const where = this.isForeign ? `: ${clusterName(this.genesis ?? "")}` : "";
    return this.fault && TEXTS[this.fault] + where;
  }

  call(method: string, params: readonly unknown[], timeoutMs: number): Promise<RpcAnswer> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: method, method, params });
    return this.ask(readRequest(body), timeoutMs);
  }

  /** @returns the genesis hash of its cluster, which it is asked for until it has answered */
  readGenesis(timeoutMs: number): Promise<string> {
    if (this.genesis !== null) return Promise.resolve(this.genesis);
    this.#naming ??= this.#askGenesis(timeoutMs).finally(() => {
      this.#naming = null;
    });
    return this.#naming;
  }

  async #askGenesis(timeoutMs: number): Promise<string> {
    const { result, error } = await this.call("getGenesisHash", [], timeoutMs);
    if (error) throw error;
    this.genesis = String(result);
    return this.genesis;
  }

  banish(): void {
    this.fault = "foreign";
  }

  /** Leaves it out until it is well. It rests longer each time, or for as long as it asked. */
  fail(fault: NodeFault, pauseMs: number, retryAfterSeconds: number | null = null): void {
    if (this.isForeign) return;
    const now = this.clock.elapsed();
    // Requests side by side that fail together are one failure.
    if (this.restMs === 0) {
      // A node that was well for long starts again with short rests.
      const wasWell = this.fault === null && now - this.#wellSince > MAX_REST_MS;
      this.#failures = wasWell ? 1 : this.#failures + 1;
      this.#restsUntil = now + Math.min(pauseMs * 2 ** (this.#failures - 1), MAX_REST_MS);
    }
    this.#restsUntil = Math.max(this.#restsUntil, now + (retryAfterSeconds ?? 0) * 1000);
    this.fault = fault;
  }

  /** Uses it from now on. @returns whether it had been left out for a fault */
  recover(): boolean {
    if (this.fault === null || this.isForeign) return false;
    const hadFailed = this.fault !== "unknown";
    this.fault = null;
    this.#restsUntil = 0;
    this.#wellSince = this.clock.elapsed();
    return hadFailed;
  }
}
