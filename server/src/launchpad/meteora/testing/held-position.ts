import { derivePositionAddress, getAllPositionNftAccountByOwner } from "@meteora-ag/cp-amm-sdk";
import type { Connection, PublicKey } from "@solana/web3.js";

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
