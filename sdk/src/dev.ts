import type { DevAirdrop, DevGraduation, DevTrade } from "@tokenctl/shared/types";
import { answers } from "./internal/answers.ts";
import type { Api } from "./internal/api.ts";
import type { CallOptions } from "./options.ts";

/**
 * What only a sandbox server (`CHAIN=local`) can do. Amounts are SOL: a number, or a decimal string
 * such as `"0.25"`, which is exact; more than 0 and at most 100 000. Each call changes something,
 * so it is sent again only if the server said that it did nothing.
 *
 * On other servers every call throws {@link NotFoundError} with code `not_found`.
 *
 * @example
 * ```ts
 * await client.dev.airdrop({ sol: 0.1 }); // pays the network fee of claims
 * await client.dev.trade({ tokenMint: mint, side: "buy", sol: 10 });
 * await client.dev.graduate({ tokenMint: mint });
 * ```
 */
export class DevClient {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /**
   * Mints SOL into a wallet.
   *
   * @param order `wallet` defaults to the agent's own
   * @returns the transaction's `signature`, the wallet, and the SOL it got, for example 0.1
   * @throws {ValidationError} if the amount is out of range
   * @throws {ConflictError} `sandbox_refused` if it is too little for a new wallet to hold
   * @example
   * ```ts
   * const { wallet, sol } = await client.dev.airdrop({ sol: "0.25" });
   * console.log(`${wallet} got ${sol} SOL`);
   * ```
   */
  airdrop(
    order: { sol: number | string; wallet?: string | undefined },
    options: CallOptions = {},
  ): Promise<DevAirdrop> {
    return this.#api.change(
      { path: "/dev/airdrop", body: order, answer: answers.DevAirdrop },
      options,
    );
  }

  /**
   * Makes the sandbox's trader buy or sell a token, which earns the token's agent a fee.
   *
   * @returns what changed hands, for example with `creatorFeeSOL: 0.1` for a trade of 10 SOL
   * @throws {NotFoundError} `token_not_found`
   * @throws {ConflictError} `sandbox_refused` if the trade is too small, or more than the trader holds
   * @example
   * ```ts
   * const order = { tokenMint: mint, side: "buy", sol: 10 } as const;
   * const { creatorFeeSOL, tokens } = await client.dev.trade(order);
   * ```
   */
  trade(
    order: { tokenMint: string; side: "buy" | "sell"; sol: number | string },
    options: CallOptions = {},
  ): Promise<DevTrade> {
    return this.#api.change({ path: "/dev/trade", body: order, answer: answers.DevTrade }, options);
  }

  /**
   * Fills a token's bonding curve, so that it migrates to the liquidity pool.
   *
   * @throws {NotFoundError} `token_not_found`
   * @throws {ConflictError} `sandbox_refused` if the token has graduated already
   * @example
   * ```ts
   * await client.dev.graduate({ tokenMint: mint });
   * const { isMigrated } = await client.dev.trade({ tokenMint: mint, side: "buy", sol: 1 });
   * ```
   */
  graduate(order: { tokenMint: string }, options: CallOptions = {}): Promise<DevGraduation> {
    return this.#api.change(
      { path: "/dev/graduate", body: order, answer: answers.DevGraduation },
      options,
    );
  }
}
