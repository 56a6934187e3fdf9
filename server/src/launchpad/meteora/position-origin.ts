import { DYNAMIC_BONDING_CURVE_PROGRAM_ID } from "@meteora-ag/dynamic-bonding-curve-sdk";
import type { Connection, PublicKey } from "@solana/web3.js";

/**
 * Whether a wallet opened a position itself, by the first transaction about its NFT. A migration, which the wallet
 * may have sent, is an instruction of the curve's program.
 *
 * @returns false if the node does not show it
 */
export async function opened(
  connection: Connection,
  wallet: PublicKey,
  nftMint: PublicKey,
): Promise<boolean> {
  const history = await connection.getSignaturesForAddress(nftMint, {}, "confirmed");
  const first = history.findLast(({ err }) => err === null);
  const found =
    first &&
    (await connection.getTransaction(first.signature, {
      commitment: "confirmed",
      maxSupportedTransactionVersion: 0,
    }));
  if (!found) return false;
  const { header, staticAccountKeys, compiledInstructions } = found.transaction.message;
  const isSigned = staticAccountKeys
    .slice(0, header.numRequiredSignatures)
    .some((key) => key.equals(wallet));
  const isMigration = compiledInstructions.some(({ programIdIndex }) =>
    staticAccountKeys[programIdIndex]?.equals(DYNAMIC_BONDING_CURVE_PROGRAM_ID),
  );
  return isSigned && !isMigration;
}
