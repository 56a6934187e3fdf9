import { DYNAMIC_BONDING_CURVE_PROGRAM_ID } from "@meteora-ag/dynamic-bonding-curve-sdk";
import type { Connection, PublicKey } from "@solana/web3.js";
import { ChainUnavailableError } from "../errors.ts";

/** The most signatures in one answer. Source: Solana's documentation, RPC. */
const PAGE = 1_000;
/** The NFT of a position is rarely in ten transactions, but anyone may name it in others. */
const MOST_PAGES = 10;

/**
 * Whether a wallet opened a position itself, by the first transaction about its NFT. A migration, which the wallet
 * may have sent, is an instruction of the curve's program.
 *
 * @returns true also if too many transactions name the NFT to find the first: the wallet keeps such a position
 * @throws {ChainUnavailableError} the node does not show the first
 */
export async function opened(
  connection: Connection,
  wallet: PublicKey,
  nftMint: PublicKey,
): Promise<boolean> {
  let first: string | undefined;
  let before: string | undefined;
  for (let page = 0; ; page++) {
    if (page === MOST_PAGES) return true;
    const part = { limit: PAGE, ...(before !== undefined && { before }) };
    const found = await connection.getSignaturesForAddress(nftMint, part, "confirmed");
    first = found.findLast(({ err }) => err === null)?.signature ?? first;
    before = found.at(-1)?.signature;
    if (found.length < PAGE) break;
  }
  const found =
    first === undefined
      ? null
      : await connection.getTransaction(first, {
          commitment: "confirmed",
          maxSupportedTransactionVersion: 0,
        });
  if (!found) {
    throw new ChainUnavailableError(
      `The node does not show how the position of the NFT ${nftMint.toBase58()} was opened`,
    );
  }
  const { header, staticAccountKeys, compiledInstructions } = found.transaction.message;
  const isSigned = staticAccountKeys
    .slice(0, header.numRequiredSignatures)
    .some((key) => key.equals(wallet));
  const isMigration = compiledInstructions.some(({ programIdIndex }) =>
    staticAccountKeys[programIdIndex]?.equals(DYNAMIC_BONDING_CURVE_PROGRAM_ID),
  );
  return isSigned && !isMigration;
}
