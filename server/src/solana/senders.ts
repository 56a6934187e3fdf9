import { PublicKey, SystemProgram, type TransactionInstruction } from "@solana/web3.js";
import type { RpcErrorKind } from "@tokenctl/shared/rpc-error-kinds";
import { type Clock, systemClock } from "../base/clock.ts";
import type { TipTerms } from "../domain/cluster-pace.ts";
import type { ConnectionOptions } from "./connection.ts";
import { clusterName } from "./health.ts";
import { RpcError } from "./rpc-answer.ts";
import { RpcNode } from "./rpc-node.ts";
import { PATIENCE_MS, ROUND_MS } from "./rpc-nodes.ts";

interface SenderReport {
  readonly name: string;
  /** Genesis hash of the cluster that it is on. */
  readonly genesis: string | null;
  /** Public; null if transactions go there. */
  readonly problem: string | null;
}

interface Sender {
  readonly node: RpcNode;
  /** What the operator says of one that knows no `getGenesisHash`. */
  readonly declared: string | null;
}

/** Why a sender rests after it was sent a transaction. */
const OF_SENDER: ReadonlySet<RpcErrorKind> = new Set([
  "network",
  "timeout",
  "limited",
  "unauthorised",
]);

/**
 * Further ways to send, beside the RPC. Nothing waits for them and no answer of theirs decides anything: the RPC says
 * what landed. None gets a transaction before it has proven to be on the cluster.
 */
export class Senders {
  readonly #clock: Pick<Clock, "elapsed">;
  readonly #senders: readonly Sender[];

  /**
   * @param urls that of a sender which only sends ends with `#` and its cluster's name or genesis hash
   * @param genesisHash of the cluster; null while it is not known, when nothing is sent
   */
  constructor(
    urls: readonly string[],
    private readonly genesisHash: () => string | null,
    options: Omit<ConnectionOptions, "timeoutMs" | "before"> = {},
  ) {
    this.#clock = options.clock ?? systemClock;
    this.#senders = urls.map((url, index) => {
      const [address = "", declared = ""] = url.split("#");
      const node = new RpcNode(`sender ${index + 1}`, address, options);
      return { node, declared: declared === "" ? null : declared };
    });
  }

  send(transaction: Uint8Array): void {
    const expected = this.genesisHash();
    if (expected === null) return;
    const text = Buffer.from(transaction).toString("base64");
    const params = [text, { encoding: "base64", skipPreflight: true, maxRetries: 0 }];
    for (const sender of this.#senders) {
      const { node } = sender;
      if (!node.isForeign && node.restMs === 0) void this.#sendTo(sender, params, expected);
    }
  }

  async #sendTo(sender: Sender, params: readonly unknown[], expected: string): Promise<void> {
    const { node } = sender;
    const deadline = this.#clock.elapsed() + PATIENCE_MS;
    try {
      if (!(await this.#isOn(sender, expected))) return;
      const left = Math.max(1, deadline - this.#clock.elapsed());
      const { error } = await node.call("sendTransaction", params, left);
      if (error) throw error;
      node.recover();
    } catch (error) {
      const { kind, method, retryAfterSeconds } = asRpcError(error);
      // What it says of one transaction, such as that it has no tip, is nothing against the sender.
      if (method === "sendTransaction" && !OF_SENDER.has(kind)) return;
      node.fail(kind === "unhealthy" ? "behind" : kind, ROUND_MS, retryAfterSeconds);
    }
  }

  /** @returns whether it is on the cluster; one of another is never asked again */
  async #isOn({ node, declared }: Sender, expected: string): Promise<boolean> {
    if (node.genesis === null) {
      try {
        await node.readGenesis(PATIENCE_MS);
      } catch (error) {
        const isSilent = asRpcError(error).isOfMethod;
        if (declared === null || !isSilent) throw error;
        const isSame = declared === expected || declared === clusterName(expected);
        node.genesis = isSame ? expected : declared;
      }
    }
    if (node.genesis !== expected) node.banish();
    return !node.isForeign;
  }

  /** Asks each for its cluster. */
  check(): Promise<SenderReport[]> {
    const expected = this.genesisHash() ?? "";
    return Promise.all(
      this.#senders.map(async (sender) => {
        const { node } = sender;
        const failure = await this.#isOn(sender, expected).then(() => null, asRpcError);
        const unproven = failure?.isOfMethod ? `does not say which cluster it is on` : null;
        const problem = node.isForeign ? node.problem : (unproven ?? failure?.sentence ?? null);
        return { name: node.name, genesis: node.genesis, problem };
      }),
    );
  }
}

function asRpcError(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  throw error;
}

/** How long a signer that refused a tip is not asked for another, in milliseconds. */
const REFUSED_FOR_MS = 600_000;

/** Pays the tips, as long as the wallet's signer signs them. */
export class Tips {
  #turn = 0;
  #refusedUntil = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly terms: TipTerms,
    private readonly clock: Pick<Clock, "elapsed">,
  ) {}

  get lamports(): bigint {
    return this.terms.lamports;
  }

  /** @returns the next tip; null while the wallet's signer signs none */
  next(payer: PublicKey): TransactionInstruction | null {
    const { accounts, lamports } = this.terms;
    const account = accounts[this.#turn++ % accounts.length];
    if (account === undefined || this.clock.elapsed() < this.#refusedUntil) return null;
    const toPubkey = new PublicKey(account);
    return SystemProgram.transfer({ fromPubkey: payer, toPubkey, lamports });
  }

  refuse(): void {
    this.#refusedUntil = this.clock.elapsed() + REFUSED_FOR_MS;
  }
}
