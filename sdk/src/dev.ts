import type { DevAirdrop, DevGraduation, DevTrade } from "@tokenctl/shared/types";
import type { Answer } from "./internal/answers.ts";
import { answers } from "./internal/answers.ts";
import type { CallOptions } from "./options.ts";

/** Makes a signed-in POST. */
export type Post = <T>(
  path: string,
  body: unknown,
  answer: Answer<T>,
  options: CallOptions,
) => Promise<T>;

/**
 * What can be done on a sandbox server (`CHAIN=local`) and on no other. Amounts are SOL: a number,
 * or a decimal string such as `"0.25"`, which is exact. Each call moves something, so it is sent
 * again only where the server said that it did nothing.
 *
 * On other servers every call throws {@link NotFoundError} with code `not_found`.
 */
export class DevClient {
  readonly #post: Post;

  constructor(post: Post) {
    this.#post = post;
  }

  /**
   * Gives a wallet SOL out of nowhere.
   *
   * @param order `wallet` defaults to the agent's own
   */
  airdrop(
    order: { sol: number | string; wallet?: string | undefined },
    options: CallOptions = {},
  ): Promise<DevAirdrop> {
    return this.#post("/dev/airdrop", order, answers.devAirdrop, options);
  }

  /**
   * Has the sandbox's trader buy or sell a token, which earns its agent a fee.
   *
   * @throws {NotFoundError} `token_not_found`
   */
  trade(
    order: { tokenMint: string; side: "buy" | "sell"; sol: number | string },
    options: CallOptions = {},
  ): Promise<DevTrade> {
    return this.#post("/dev/trade", order, answers.devTrade, options);
  }

  /**
   * Fills a token's bonding curve, so that it migrates to the liquidity pool.
   *
   * @throws {NotFoundError} `token_not_found`
   */
  graduate(order: { tokenMint: string }, options: CallOptions = {}): Promise<DevGraduation> {
    return this.#post("/dev/graduate", order, answers.devGraduation, options);
  }
}
