import type { DevAirdrop, DevGraduation, DevTrade } from "@tokenctl/shared/types";
import { answers } from "./internal/answers.ts";
import type { Api } from "./internal/api.ts";
import type { CallOptions } from "./options.ts";

/**
 * Calls that only a sandbox server (`CHAIN=local`) has; on other servers they throw
 * an {@link ApiError} `not_found`. An amount of SOL is more than 0 and at most 100 000.
 *
 * @example
 * await client.dev.airdrop({ sol: 0.1 }); // pays the network fee of claims
 * await client.dev.trade({ tokenMint: mint, side: "buy", sol: 10 });
 * await client.dev.graduate({ tokenMint: mint });
 */
export class DevClient {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /**
   * Mints SOL into a wallet.
   *
   * @param order `wallet` is the agent's own by default
   * @throws {ApiError} `sandbox_refused`
   */
  async airdrop(
    order: { sol: number; wallet?: string | undefined },
    options: CallOptions = {},
  ): Promise<DevAirdrop> {
    const answer = answers.DevAirdrop;
    return this.#api.change({ path: "/dev/airdrop", body: order, answer }, options);
  }

  /**
   * Makes the sandbox's trader buy or sell a token, which earns the token's agent a fee.
   *
   * @throws {ApiError} `token_not_found`, `sandbox_refused`
   */
  async trade(
    order: { tokenMint: string; side: "buy" | "sell"; sol: number },
    options: CallOptions = {},
  ): Promise<DevTrade> {
    return this.#api.change({ path: "/dev/trade", body: order, answer: answers.DevTrade }, options);
  }

  /**
   * Fills a token's bonding curve, so that the token migrates to the liquidity pool.
   *
   * @throws {ApiError} `token_not_found`, `sandbox_refused`
   */
  async graduate(order: { tokenMint: string }, options: CallOptions = {}): Promise<DevGraduation> {
    const answer = answers.DevGraduation;
    return this.#api.change({ path: "/dev/graduate", body: order, answer }, options);
  }
}
