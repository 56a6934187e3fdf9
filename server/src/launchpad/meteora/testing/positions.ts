import {
  derivePositionAddress,
  derivePositionNftAccount,
  getAllPositionNftAccountByOwner,
  getTokenProgram,
} from "@meteora-ag/cp-amm-sdk";
import { MigrationFeeOption } from "@meteora-ag/dynamic-bonding-curve-sdk";
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from "@solana/spl-token";
import type { Connection, Keypair, PublicKey } from "@solana/web3.js";
import BN from "bn.js";
import { generateKeypair } from "../../../base/native-keys.ts";
import { liquidityPoolAddress } from "../liquidity-reader.ts";
import { meteoraClients } from "./sdk.ts";
import { send } from "./send.ts";

/** @returns the first DAMM v2 position of a wallet, and the account that holds its NFT */
export async function heldPosition(connection: Connection, owner: PublicKey) {
  const [held] = await getAllPositionNftAccountByOwner(connection, owner);
  if (!held) throw new Error(`${owner} has no position`);
  return {
    address: derivePositionAddress(held.positionNft),
    nftMint: held.positionNft,
    nftAccount: held.positionNftAccount,
  };
}

/**
 * Opens another position in the pool that a token has migrated to, with a little liquidity: a power
 * of two, which is too little by default to earn a lamport. @returns its NFT
 */
export async function openPosition(
  connection: Connection,
  owner: Keypair,
  mint: PublicKey,
  { power = 70, isLocked = false } = {},
): Promise<PublicKey> {
  const { liquidity } = meteoraClients(connection);
  const nft = generateKeypair();
  const pool = liquidityPoolAddress(MigrationFeeOption.Customizable, mint);
  const { tokenAMint, tokenBMint, tokenAFlag } = await liquidity.fetchPoolState(pool);
  // The SDK wraps the most that may be paid.
  const most = power > 84 ? [60, 40] : [30, 20];
  const powers = [power, ...most].map((it) => new BN(2).pow(new BN(it)));
  const [liquidityDelta, units, lamports] = powers as [BN, BN, BN];
  const opened = await liquidity.createPositionAndAddLiquidity({
    ...{ owner: owner.publicKey, pool, positionNft: nft.publicKey, liquidityDelta },
    ...{ maxAmountTokenA: units, maxAmountTokenB: lamports },
    ...{ tokenAAmountThreshold: units, tokenBAmountThreshold: lamports },
    ...{ tokenAMint, tokenBMint, tokenBProgram: TOKEN_PROGRAM_ID },
    tokenAProgram: getTokenProgram(tokenAFlag),
  });
  await send(connection, opened.instructions, [owner, nft]);
  if (!isLocked) return nft.publicKey;
  const locked = await liquidity.permanentLockPosition({
    owner: owner.publicKey,
    position: derivePositionAddress(nft.publicKey),
    positionNftAccount: derivePositionNftAccount(nft.publicKey),
    pool,
    unlockedLiquidity: liquidityDelta,
  });
  await send(connection, locked.instructions, [owner]);
  return nft.publicKey;
}

export const openLockedPosition = (
  connection: Connection,
  owner: Keypair,
  mint: PublicKey,
  power = 70,
) => openPosition(connection, owner, mint, { power, isLocked: true });

/** Moves the NFTs of all DAMM v2 positions of a wallet to another one. */
export async function givePositions(
  connection: Connection,
  owner: Keypair,
  newCreator: PublicKey,
): Promise<void> {
  const positions = await getAllPositionNftAccountByOwner(connection, owner.publicKey);
  for (const { positionNft: mint, positionNftAccount } of positions) {
    const program = TOKEN_2022_PROGRAM_ID;
    const to = getAssociatedTokenAddressSync(mint, newCreator, false, program);
    const { publicKey: from } = owner;
    const instructions = [
      createAssociatedTokenAccountIdempotentInstruction(from, to, newCreator, mint, program),
      createTransferCheckedInstruction(positionNftAccount, mint, to, from, 1, 0, [], program),
    ];
    await send(connection, instructions, [owner]);
  }
}

export async function giveCreator(
  connection: Connection,
  pool: PublicKey,
  creator: Keypair,
  newCreator: PublicKey,
): Promise<void> {
  const { instructions } = await meteoraClients(connection).curve.creator.transferPoolCreator({
    pool,
    creator: creator.publicKey,
    newCreator,
  });
  await send(connection, instructions, [creator]);
}
