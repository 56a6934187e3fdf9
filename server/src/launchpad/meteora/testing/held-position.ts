import { derivePositionAddress, getAllPositionNftAccountByOwner } from "@meteora-ag/cp-amm-sdk";
import { MigrationFeeOption } from "@meteora-ag/dynamic-bonding-curve-sdk";
import { type Connection, Keypair, type PublicKey } from "@solana/web3.js";
import { liquidityPoolAddress } from "../liquidity-reader.ts";
import { meteoraClients } from "./clients.ts";
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

/** Opens another position in the pool that a token has migrated to, without liquidity. */
export async function openPosition(
  connection: Connection,
  owner: Keypair,
  mint: PublicKey,
): Promise<void> {
  const nft = Keypair.generate();
  const { instructions } = await meteoraClients(connection).liquidity.createPosition({
    owner: owner.publicKey,
    payer: owner.publicKey,
    pool: liquidityPoolAddress(MigrationFeeOption.Customizable, mint),
    positionNft: nft.publicKey,
  });
  await send(connection, instructions, [owner, nft]);
}
