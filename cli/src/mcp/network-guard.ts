import type { TokenctlClient } from "@tokenctl/sdk";
import { Refusal } from "./refusal.ts";

/** Chains on which nothing is worth money. */
const playgrounds: readonly unknown[] = ["sandbox", "localnet"];

/** Keeps tools from a server on a public chain unless the person who started them allows it. */
export class NetworkGuard {
  readonly #client: Pick<TokenctlClient, "health">;
  readonly #allowsMainnet: boolean;
  #wasAllowed = false;

  constructor(client: Pick<TokenctlClient, "health">, allowsMainnet: boolean) {
    this.#client = client;
    this.#allowsMainnet = allowsMainnet;
  }

  /** @returns the chain that the server names, for example `sandbox`; null if it names none */
  async read(signal?: AbortSignal): Promise<string | null> {
    return (await this.#client.health({ signal })).network ?? null;
  }

  /**
   * @param isWrite whether the call changes something: then the server is asked each time, as another
   * one may have taken its address
   * @throws {Refusal} `mainnet_not_allowed` if the server's chain is neither a sandbox nor a localnet
   */
  async check(isWrite: boolean, signal?: AbortSignal): Promise<void> {
    if (this.#allowsMainnet || (this.#wasAllowed && !isWrite)) return;
    const network = await this.read(signal);
    this.#wasAllowed = playgrounds.includes(network);
    if (this.#wasAllowed) return;
    throw new Refusal(
      "mainnet_not_allowed",
      network === null
        ? "The service does not say which chain it is on"
        : `The service is on ${network}, and only sandbox and localnet services are allowed`,
      "Only the person who starts this MCP server can change that, with --allow-mainnet.",
    );
  }
}
