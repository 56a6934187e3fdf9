import type { Connection, Keypair, TransactionInstruction } from "@solana/web3.js";
import type { LaunchOrder, TokenFees, TokenRef, UnreadableFees } from "./launchpad.ts";

/**
 * What a launchpad program is to the service: the instructions of a launch and of a claim, and
 * the reading of fees. It signs nothing for the agent and sends nothing.
 */
export interface PoolProgram {
  /** Mint and pool of a launch: the same for the same event, so that no retry makes a second token. */
  addresses(eventId: string): TokenRef;

  /**
   * The instructions that create mint and pool in one transaction, and the keypairs that must
   * sign it beside the launch wallet, which pays.
   */
  launch(order: LaunchOrder): Promise<LaunchInstructions>;

  /** See `Launchpad.readFees`. */
  readFees(agent: string, tokens: readonly TokenRef[]): Promise<(TokenFees | UnreadableFees)[]>;

  /** The instructions by which the agent alone takes all fees of a token; null when there are none. */
  claim(agent: string, token: TokenRef): Promise<readonly TransactionInstruction[] | null>;

  /**
   * What stands in the way of launching (programs missing, config unusable); null when nothing.
   *
   * @param connection asks through this one instead of the program's own
   */
  problem(connection?: Connection): Promise<string | null>;
}

export interface LaunchInstructions {
  readonly instructions: readonly TransactionInstruction[];
  readonly signers: readonly Keypair[];
}
