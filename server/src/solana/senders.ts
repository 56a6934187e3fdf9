import { PublicKey, SystemProgram, type TransactionInstruction } from "@solana/web3.js";
import type { RpcErrorKind } from "@tokenctl/shared/rpc-error-kinds";
import type { Clock } from "../base/clock.ts";
import type { TipTerms } from "../domain/cluster-pace.ts";
import type { ConnectionOptions } from "./connection.ts";
import { clusterName } from "./health.ts";
import { RpcError } from "./rpc-answer.ts";
import { RpcNode } from "./rpc-node.ts";
import { PATIENCE_MS } from "./rpc-nodes.ts";

interface Sender {
  readonly node: RpcNode;
  /** The cluster that the operator names for a sender without `getGenesisHash`. */
  readonly declared: string | null;
}

/** The failures of a send after which a sender rests. */
const OF_SENDER: ReadonlySet<RpcErrorKind> = new Set([
  "network",
  "timeout",
  "limited",
  "unauthorised",
]);

/**
 * Further ways to send, besides the RPC. Nothing waits for their answers or depends on them: the
 * RPC shows what landed. A sender gets no transaction before it is known to be on the cluster.
 */
export class Senders {
  readonly #senders: readonly Sender[];

  /**
   * @param urls a send-only sender's URL ends with `#` and its cluster's name or genesis hash
   * @param genesisHash returns the cluster's; null while it is unknown, and nothing is sent
   */
  constructor(
    urls: readonly string[],
    private readonly genesisHash: () => string | null,
    options: Omit<ConnectionOptions, "timeoutMs" | "before"> = {},
  ) {
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
    try {
      if (!(await this.#isOn(sender, expected))) return;
      const { error } = await node.call("sendTransaction", params, PATIENCE_MS);
      if (error) throw error;
      node.recover();
    } catch (error) {
      const { kind, method, retryAfterSeconds } = asRpcError(error);
      // A refusal of one transaction, for example because it has no tip, is not the sender's fault.
      if (method === "sendTransaction" && !OF_SENDER.has(kind)) return;
      node.fail(kind, retryAfterSeconds);
    }
  }

  /** Returns whether a sender is on the cluster. One on another cluster is never asked again. */
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

  /** Asks each sender for its cluster. `problem` is a public text; null if transactions go there. */
  check() {
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

/** For how many milliseconds after a refusal the signer is asked for no tips. */
const REFUSED_FOR_MS = 600_000;

/** Makes the tip instructions, as long as the wallet's signer signs them. */
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

  /** Returns the next tip; null while the wallet's signer refuses tips. */
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
