import { getAllPositionNftAccountByOwner } from "@meteora-ag/cp-amm-sdk";
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
  TOKEN_2022_PROGRAM_ID,
} from "@solana/spl-token";
import type { Connection, Keypair, PublicKey } from "@solana/web3.js";
import { meteoraClients } from "./clients.ts";
import { send } from "./send.ts";

/** Moves the NFTs of all DAMM v2 positions of a wallet to another one. */
export async function givePositions(
  connection: Connection,
  owner: Keypair,
  heir: PublicKey,
): Promise<void> {
  const positions = await getAllPositionNftAccountByOwner(connection, owner.publicKey);
  for (const { positionNft: mint, positionNftAccount } of positions) {
    const destination = getAssociatedTokenAddressSync(mint, heir, false, TOKEN_2022_PROGRAM_ID);
    await send(
      connection,
      [
        createAssociatedTokenAccountIdempotentInstruction(
          owner.publicKey,
          destination,
          heir,
          mint,
          TOKEN_2022_PROGRAM_ID,
        ),
        createTransferCheckedInstruction(
          positionNftAccount,
          mint,
          destination,
          owner.publicKey,
          1,
          0,
          [],
          TOKEN_2022_PROGRAM_ID,
        ),
      ],
      [owner],
    );
  }
}

export async function giveCreator(
  connection: Connection,
  pool: PublicKey,
  creator: Keypair,
  heir: PublicKey,
): Promise<void> {
  const { instructions } = await meteoraClients(connection).curve.creator.transferPoolCreator({
    pool,
    creator: creator.publicKey,
    newCreator: heir,
  });
  await send(connection, instructions, [creator]);
}
