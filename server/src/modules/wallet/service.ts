import { lamportsToSol } from "@tokenctl/shared/sol";
import type { WalletBalance } from "@tokenctl/shared/types";
import { unavailableAnswer } from "../../launchpad/errors.ts";
import type { Launchpad } from "../../launchpad/launchpad.ts";

type Chain = Pick<Launchpad, "readBalances">;

/** What the chain says of an agent's wallet. */
export class WalletService {
  readonly #chain: Chain;

  constructor(chain: Chain) {
    this.#chain = chain;
  }

  /** @throws {ServiceError} 503 if the chain does not answer */
  async balance(wallet: string): Promise<WalletBalance> {
    try {
      const [balance = 0n] = await this.#chain.readBalances([wallet]);
      return { wallet, balanceSOL: lamportsToSol(balance) };
    } catch (fault) {
      throw unavailableAnswer(fault) ?? fault;
    }
  }
}
