import { type ConnectionOptions, RpcEndpoint } from "./connection.ts";
import { clusterName } from "./health.ts";
import {
  isAgainstNode,
  RPC_ERROR_TEXTS,
  type RpcAnswer,
  RpcError,
  readRequest,
} from "./rpc-answer.ts";

/** Public texts that say why a node is left out. */
const TEXTS = {
  ...RPC_ERROR_TEXTS,
  unknown: "has not answered yet",
  foreign: "is on another cluster",
};

export type NodeFault = keyof typeof TEXTS;

/** How often nodes are compared, and how long one that fails rests, in milliseconds. */
export const ROUND_MS = 4_000;

/**
 * One of several nodes. Its state is its `fault`:
 *
 *     unknown ── well ──▶ null (used) ── fault ──▶ left out: rests 4 s, or as long as it asks for
 *                          ▲                         │
 *                          └── well in a comparison ─┘
 *     any ── names another cluster ──▶ foreign, permanently
 */
export class RpcNode extends RpcEndpoint {
  /** Null until the node has named its cluster. */
  genesis: string | null = null;
  #naming: Promise<RpcAnswer> | null = null;
  fault: NodeFault | null = "unknown";
  #restsUntil = 0;

  /**
   * @param name `node 1`, `node 2`, …: the only public name of the node
   * @param onChange called with the reason when it is left out, and with null when it is back
   */
  constructor(
    readonly name: string,
    url: string,
    options: ConnectionOptions,
    private readonly onChange: (node: string, problem: string | null) => void = () => {},
  ) {
    super(url, options);
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

  /** Why the node is left out, as a public text; null if it is used. */
  get problem(): string | null {
    const where = this.isForeign ? `: ${clusterName(this.genesis ?? "")}` : "";
    return this.fault && TEXTS[this.fault] + where;
  }

  call(method: string, params: readonly unknown[], timeoutMs: number): Promise<RpcAnswer> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: method, method, params });
    return this.ask(readRequest(body), timeoutMs);
  }

  /** Returns the genesis hash of the node's cluster. Asks until the node has answered once. */
  async readGenesis(timeoutMs: number): Promise<string> {
    if (this.genesis !== null) return this.genesis;
    this.#naming ??= this.call("getGenesisHash", [], timeoutMs).finally(() => {
      this.#naming = null;
    });
    const { result, error } = await this.#naming;
    if (error) throw error;
    this.genesis = String(result);
    return this.genesis;
  }

  banish(): void {
    if (!this.isForeign) this.#leaveOut("foreign");
  }

  /** Leaves the node out if the failure is its own. */
  failBy(error: unknown): void {
    if (!(error instanceof RpcError) || !isAgainstNode(error)) return;
    this.fail(error.kind, error.retryAfterSeconds);
  }

  fail(fault: NodeFault, retryAfterSeconds: number | null = null): void {
    if (this.isForeign) return;
    const restMs = Math.max(ROUND_MS, (retryAfterSeconds ?? 0) * 1000);
    this.#restsUntil = Math.max(this.#restsUntil, this.clock.elapsed() + restMs);
    this.#leaveOut(fault);
  }

  #leaveOut(fault: NodeFault): void {
    const before = this.problem;
    this.fault = fault;
    if (this.problem !== before) this.onChange(this.name, this.problem);
  }

  recover(): void {
    if (this.fault === null || this.isForeign) return;
    const hadFailed = this.fault !== "unknown";
    this.fault = null;
    this.#restsUntil = 0;
    if (hadFailed) this.onChange(this.name, null);
  }
}
