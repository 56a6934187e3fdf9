import type { TransactionInstruction } from "@solana/web3.js";
import { givePosition, giveRole } from "@tokenctl/shared/programs/recipes";
import { CreatorChangedError } from "../errors.ts";
import {
  creatorChange,
  type HeldPosition,
  type HeldToken,
  liquidityOf,
} from "./liquidity-reader.ts";
import { builder, toInstruction } from "./programs.ts";

/**
 * Returns the instructions that transfer what a token's fees follow: the role of the pool's
 * creator, unless the receiver has it, and the NFT of the position that came with the migration.
 * @throws {CreatorChangedError} if the wallet has none of that
 */
export function handOverInstructions(
  parties: { readonly from: string; readonly to: string },
  held: HeldToken,
): TransactionInstruction[] {
  const { address, pool } = held.curve;
  const { creator, config } = pool;
  const isCreator = creator === parties.from;
  const position = isCreator || creator === parties.to ? migratedPosition(held) : undefined;
  if (!isCreator && !position) {
    throw new CreatorChangedError(creatorChange(held, parties.from) ?? {});
  }
  const given = position
    ? givePosition(builder, {
        pool: position.pool,
        nftMint: position.nftMint,
        nftAccount: position.nftAccount.toBase58(),
        ...parties,
      })
    : [];
  const role = { pool: address.toBase58(), config, ...parties };
  return [...(isCreator ? [giveRole(builder, role)] : []), ...given].map(toInstruction);
}

/**
 * Returns the largest position with locked or vesting liquidity. Anyone can give the wallet smaller
 * ones, which another hand-over transfers. Liquidity that can be withdrawn is the wallet's own.
 */
function migratedPosition({ holding }: HeldToken): HeldPosition | undefined {
  return holding?.positions
    .filter((one) => one.permanentLockedLiquidity + one.vestedLiquidity > 0n)
    .toSorted((a, b) => (liquidityOf(a) < liquidityOf(b) ? 1 : -1))[0];
}
