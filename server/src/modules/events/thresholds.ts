import { LAMPORTS_PER_SOL, limits } from "@tokenctl/shared/limits";
import { lamportsToSol } from "@tokenctl/shared/sol";
import type { FeeThresholdList } from "@tokenctl/shared/types";
import { ServiceError } from "../../base/service-error.ts";
import { parseSolAmount } from "../../http/validation.ts";
import type { Store } from "../../store/store.ts";

const MAX_LAMPORTS = BigInt(limits.feeThresholdSOL.max) * LAMPORTS_PER_SOL;

/** The fees at which an agent is notified: for all of its tokens, or for one of them. */
export class FeeThresholds {
  readonly #store: Pick<Store, "watch" | "tokens">;

  constructor(store: Pick<Store, "watch" | "tokens">) {
    this.#store = store;
  }

  async list(wallet: string): Promise<FeeThresholdList> {
    const thresholds = await this.#store.watch.thresholds(wallet);
    return {
      thresholds: thresholds.map(({ tokenMint, lamports }) => ({
        tokenMint,
        claimableSOL: lamportsToSol(lamports),
      })),
    };
  }

  /**
   * @param tokenMint null for all tokens that have no threshold of their own
   * @returns all of the wallet's thresholds
   * @throws {ServiceError} 400 if the amount is invalid, 404 if the wallet has no such token
   */
  async set(
    wallet: string,
    tokenMint: string | null,
    claimableSOL: number | string,
  ): Promise<FeeThresholdList> {
    const lamports = parseSolAmount("claimableSOL", claimableSOL, MAX_LAMPORTS);
    await this.#requireToken(wallet, tokenMint);
    await this.#store.watch.setThreshold(wallet, { tokenMint, lamports });
    return this.list(wallet);
  }

  /**
   * @returns the thresholds that the wallet still has
   * @throws {ServiceError} 404 if the wallet has no such token
   */
  async delete(wallet: string, tokenMint: string | null): Promise<FeeThresholdList> {
    await this.#requireToken(wallet, tokenMint);
    await this.#store.watch.deleteThreshold(wallet, tokenMint);
    return this.list(wallet);
  }

  async #requireToken(wallet: string, tokenMint: string | null): Promise<void> {
    if (tokenMint === null) return;
    const token = await this.#store.tokens.find(wallet, tokenMint);
    if (!token) throw new ServiceError("token_not_found");
  }
}
