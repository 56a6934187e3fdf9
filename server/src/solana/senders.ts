import { PublicKey, SystemProgram, type TransactionInstruction } from "@solana/web3.js";
import type { RpcErrorKind } from "@tokenctl/shared/rpc-error-kinds";
import type { TipTerms } from "../domain/cluster-pace.ts";
import type { ConnectionOptions } from "./connection.ts";
import { clusterName } from "./health.ts";
import type { RpcError } from "./rpc-answer.ts";
import { RpcNode } from "./rpc-node.ts";
import { PATIENCE_MS } from "./rpc-nodes.ts";

const OF_SENDER = new Set<RpcErrorKind>(["network", "timeout", "limited", "unauthorised"]);

class Sender extends RpcNode {
  /** The cluster that the operator names for a sender without `getGenesisHash`; "" for none. */
  readonly #declared: string;

  constructor(name: string, url: string, options: ConnectionOptions) {
    const [address = "", declared = ""] = url.split("#");
    super(name, address, options);
    this.#declared = declared;
  }

  /**
   * Returns whether it is on a cluster. One on another cluster is never asked again.
   * @throws {RpcError} if that cannot be read
   */
  async isOn(expected: string): Promise<boolean> {
    if (this.genesis === null) {
      try {
        await this.readGenesis(PATIENCE_MS);
      } catch (error) {
        if (this.#declared === "" || !(error as RpcError).isOfMethod) throw error;
        const isSame = this.#declared === expected || this.#declared === clusterName(expected);
        this.genesis = isSame ? expected : this.#declared;
      }
    }
    if (this.genesis !== expected) this.banish();
    return !this.isForeign;
  }
}

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
    this.#senders = urls.map((url, index) => new Sender(`sender ${index + 1}`, url, options));
  }

  send(transaction: Uint8Array): void {
    const expected = this.genesisHash();
    if (expected === null) return;
    const text = Buffer.from(transaction).toString("base64");
    const params = [text, { encoding: "base64", skipPreflight: true, maxRetries: 0 }];
    for (const sender of this.#senders) {
      if (!sender.isForeign && sender.restMs === 0) void this.#sendTo(sender, params, expected);
    }
  }

  async #sendTo(sender: Sender, params: readonly unknown[], expected: string): Promise<void> {
    try {
      if (!(await sender.isOn(expected))) return;
      const { error } = await sender.call("sendTransaction", params, PATIENCE_MS);
      if (error) throw error;
      sender.recover();
    } catch (error) {
      const { kind, method, retryAfterSeconds } = error as RpcError;
      // A refusal of one transaction, for example because it has no tip, is not the sender's fault.
      if (method === "sendTransaction" && !OF_SENDER.has(kind)) return;
      sender.fail(kind, retryAfterSeconds);
    }
  }

  /** Asks each sender for its cluster. `problem` is a public text; null if transactions go there. */
  check() {
    const expected = this.genesisHash() ?? "";
    return Promise.all(
      this.#senders.map(async (sender) => {
        const failure = await sender.isOn(expected).then(
          () => null,
          (error: RpcError) => error,
        );
        const unproven = failure?.isOfMethod ? "does not say which cluster it is on" : null;
        const { name, genesis, isForeign } = sender;
        const problem = isForeign ? sender.problem : (unproven ?? failure?.sentence ?? null);
        return { name, genesis, problem };
      }),
    );
  }
}

export class Tips {
  #turn = 0;

  constructor(private readonly terms: TipTerms) {}

  get lamports(): bigint {
    return this.terms.lamports;
  }

  next(payer: PublicKey): TransactionInstruction | null {
    const { accounts, lamports } = this.terms;
    const account = accounts[this.#turn++ % accounts.length];
    if (account === undefined) return null;
    const toPubkey = new PublicKey(account);
    return SystemProgram.transfer({ fromPubkey: payer, toPubkey, lamports });
  }
}
