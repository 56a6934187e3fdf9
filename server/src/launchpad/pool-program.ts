import type { Connection, Keypair, TransactionInstruction } from "@solana/web3.js";
import type { LaunchOrder, TokenFees, TokenRef, UnreadableFees } from "./launchpad.ts";
import type { PoolTerms } from "./pool-terms.ts";

/**
 * What the service needs of a launchpad program: the instructions of a launch and of a claim, and
 * how fees are read. It signs nothing for the agent and sends nothing.
 */
export interface PoolProgram {
  /** Mint and pool of a launch: the same for the same event, so a retry cannot make a second token. */
  addresses(eventId: string): TokenRef;

  /**
   * The instructions that create mint and pool in one transaction, and the keypairs that sign it
   * beside the launch wallet, which pays.
   */
  launch(order: LaunchOrder): Promise<LaunchInstructions>;

  /** What the pools of new launches are made under. */
  terms(): Promise<PoolTerms>;

  /** See `Launchpad.readFees`. */
  readFees(agent: string, tokens: readonly TokenRef[]): Promise<(TokenFees | UnreadableFees)[]>;

  /** The instructions by which the agent alone takes all fees of a token; null if there are none. */
  claim(agent: string, token: TokenRef): Promise<readonly TransactionInstruction[] | null>;

  /**
   * Why launches cannot work (programs missing, config unusable); null if they can.
   *
   * @param connection asks through this one instead of the program's own
   */
  checkConfig(connection?: Connection): Promise<string | null>;
}

export interface LaunchInstructions {
  readonly instructions: readonly TransactionInstruction[];
  readonly signers: readonly Keypair[];
}
