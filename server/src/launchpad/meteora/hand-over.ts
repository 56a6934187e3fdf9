import { type Connection, PublicKey, type TransactionInstruction } from "@solana/web3.js";
import { dbc } from "@tokenctl/shared/programs/dbc";
import { givePosition, giveRole } from "@tokenctl/shared/programs/recipes";
import { isOfUnknownVersion, readTransaction } from "../../solana/outcome.ts";
import { ChainUnavailableError, CreatorChangedError } from "../errors.ts";
import {
  creatorChange,
  type HeldPosition,
  type HeldToken,
  liquidityOf,
} from "./liquidity-reader.ts";
import { builder, creatorLiquidity, toInstruction } from "./programs.ts";

/**
 * The most positions that fit into a transaction besides the role. A token's agent has one, but
 * anyone can send it more; another hand-over transfers the rest.
 */
const MAX_POSITIONS = 3;
/** How many positions' openers are looked up. */
const MOST_CHECKED = 10;

/**
 * Returns the instructions that transfer what a token's fees follow: the role of the pool's
 * creator, unless the receiver has it, and the NFTs of the positions that came with the migration.
 * @throws {CreatorChangedError} if the wallet has none of that
 */
export async function handOverInstructions(
  connection: Connection,
  parties: { readonly from: string; readonly to: string },
  held: HeldToken,
): Promise<TransactionInstruction[]> {
  const { address, pool } = held.curve;
  const { creator, config } = pool;
  const isCreator = creator === parties.from;
  const mayGive = isCreator || creator === parties.to;
  const positions = mayGive ? await givenByOthers(connection, parties.from, held) : [];
  if (!isCreator && positions.length === 0) {
    throw new CreatorChangedError(creatorChange(held, parties.from) ?? {});
  }
  const role = { pool: address.toBase58(), config, ...parties };
  const given = positions.flatMap(({ pool, nftMint, nftAccount }) => {
    const nft = { nftMint, nftAccount: nftAccount.toBase58() };
    return givePosition(builder, { pool, ...nft, ...parties });
  });
  return [...(isCreator ? [giveRole(builder, role)] : []), ...given].map(toInstruction);
}

/**
 * Returns the positions that may come from the migration, the largest first. The wallet keeps those
 * that it opened itself and, if the migration locks liquidity, those without locked liquidity.
 */
async function givenByOthers(
  connection: Connection,
  wallet: string,
  { curve: { config }, holding }: HeldToken,
): Promise<HeldPosition[]> {
  if (holding === null || creatorLiquidity(config) === 0) return [];
  const isLocked = config.creatorPermanentLockedLiquidityPercentage > 0;
  const largest = holding.positions
    .filter((one) => one.permanentLockedLiquidity > 0n || !isLocked)
    .sort((a, b) => (liquidityOf(a) < liquidityOf(b) ? 1 : -1))
    .slice(0, MOST_CHECKED);
  const own = await Promise.all(
    largest.map(({ nftMint }) => opened(connection, new PublicKey(wallet), new PublicKey(nftMint))),
  );
  return largest.filter((_, index) => !own[index]).slice(0, MAX_POSITIONS);
}

/** The most signatures in one answer. Source: Solana's documentation, RPC. */
const PAGE = 1_000;
/** A position's NFT is rarely in ten transactions, but anyone can name it in more. */
const MOST_PAGES = 10;

/**
 * Whether a wallet opened a position itself, judged by the first transaction about its NFT. The
 * wallet may have sent the migration too, which is an instruction of the curve's program.
 * @returns true, so that the wallet keeps the position, also if too many transactions name the NFT,
 * or this program cannot read the version of the first
 * @throws {ChainUnavailableError} if the node does not show the first
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
    const found = await connection.getSignaturesForAddress(nftMint, part);
    first = found.findLast(({ err }) => err === null)?.signature ?? first;
    before = found.at(-1)?.signature;
    if (found.length < PAGE) break;
  }
  let found: Awaited<ReturnType<typeof readTransaction>> = null;
  try {
    if (first !== undefined) found = await readTransaction(connection, first);
  } catch (error) {
    if (isOfUnknownVersion(error)) return true;
    throw error;
  }
  if (!found) {
    throw new ChainUnavailableError(
      `The node does not show how the position of the NFT ${nftMint.toBase58()} was opened`,
    );
  }
  const { header, staticAccountKeys, compiledInstructions } = found.transaction.message;
  const isSigned = staticAccountKeys
    .slice(0, header.numRequiredSignatures)
    .some((key) => key.equals(wallet));
  const isMigration = compiledInstructions.some(
    ({ programIdIndex }) => staticAccountKeys[programIdIndex]?.toBase58() === dbc.id,
  );
  return isSigned && !isMigration;
}
