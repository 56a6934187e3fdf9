import type { TokenctlClient } from "@tokenctl/sdk";
import { PLAY } from "../network.ts";
import { Refusal } from "./refusal.ts";

/** Keeps tools from a server on a public chain, unless the owner allows it. */
export class NetworkGuard {
  #wasAllowed = false;

  constructor(
    private readonly client: Pick<TokenctlClient, "health">,
    private readonly allowsMainnet: boolean,
  ) {}

  /** @returns for example `sandbox`; null if the server does not name its chain */
  async read(signal?: AbortSignal): Promise<string | null> {
    return (await this.client.health({ signal })).network ?? null;
  }

  /** A write reads the chain again, as the server may have changed. @throws {Refusal} */
  async check(isWrite: boolean, signal?: AbortSignal): Promise<void> {
    if (this.allowsMainnet || (this.#wasAllowed && !isWrite)) return;
    const network = await this.read(signal);
    this.#wasAllowed = PLAY.includes(network);
    if (this.#wasAllowed) return;
    throw new Refusal(
      "mainnet_not_allowed",
      network === null
        ? "The service does not name its chain"
        : `The service is on ${network}, and only sandbox and localnet services are allowed`,
      "Only the person who starts this MCP server can change that, with --allow-mainnet.",
    );
  }
}
