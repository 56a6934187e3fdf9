import {
  DYNAMIC_BONDING_CURVE_PROGRAM_ID,
  deriveDammV1MigrationMetadataAddress,
  deriveDbcEventAuthority,
} from "@meteora-ag/dynamic-bonding-curve-sdk";
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
  TOKEN_2022_PROGRAM_ID,
} from "@solana/spl-token";
import type { Connection, PublicKey, TransactionInstruction } from "@solana/web3.js";
import { ChainUnavailableError, CreatorChangedError } from "../errors.ts";
import {
  creatorChange,
  type HeldPosition,
  type HeldToken,
  type LiquidityHolding,
} from "./liquidity-reader.ts";
import type { MeteoraPrograms } from "./programs.ts";

/**
 * Most positions that fit into one transaction beside the role. A token's agent has one; of more, which anyone can
 * send to it, another hand-over gives the others.
 */
const MAX_POSITIONS = 3;
/** Positions whose openers are looked up. */
const MOST_CHECKED = 10;

interface HandOverParties {
  readonly agent: PublicKey;
  readonly to: PublicKey;
}

/**
 * The instructions that give another wallet what the fees of a token follow: the role of the pool's
 * creator, and the NFTs of the positions that the migration gave it. If the receiver has the role already,
 * they give it the positions alone.
 *
 * @throws {CreatorChangedError} the wallet has nothing of that
 */
export async function handOverInstructions(
  programs: MeteoraPrograms,
  { agent, to }: HandOverParties,
  { curve, holding }: HeldToken,
): Promise<TransactionInstruction[]> {
  const { creator } = curve.pool;
  const isCreator = creator.equals(agent);
  const mayGive = isCreator || creator.equals(to);
  const positions =
    holding && mayGive ? await givenByOthers(programs, agent, { curve, holding }) : [];
  const given = await Promise.all(
    positions.map((position) => givePosition(programs, { agent, to }, position)),
  );
  if (!isCreator && given.length === 0) {
    throw new CreatorChangedError(creatorChange(curve, holding, agent.toBase58()) ?? {});
  }
  return [...(isCreator ? [await giveRole(programs, { agent, to }, curve)] : []), ...given.flat()];
}

/**
 * The positions that the migration may have given, the largest first. Those that the wallet opened itself have
 * its own liquidity, and stay its own; so do those without any that is locked, if the migration locks it.
 */
async function givenByOthers(
  { liquidity }: MeteoraPrograms,
  agent: PublicKey,
  {
    curve: { config },
    holding,
  }: { readonly curve: HeldToken["curve"]; readonly holding: LiquidityHolding },
): Promise<readonly HeldPosition[]> {
  if (!config.creatorHasPosition) return [];
  const largest = holding.positions
    .filter(({ locked }) => locked > 0n || !config.locksCreatorPosition)
    .sort((a, b) => (a.liquidity < b.liquidity ? 1 : -1))
    .slice(0, MOST_CHECKED);
  const { connection } = liquidity.provider;
  const own = await Promise.all(largest.map(({ nftMint }) => opened(connection, agent, nftMint)));
  return largest.filter((_, index) => !own[index]).slice(0, MAX_POSITIONS);
}

function giveRole(
  { curve: program }: MeteoraPrograms,
  { agent, to }: HandOverParties,
  { address, pool }: HeldToken["curve"],
): Promise<TransactionInstruction> {
  const metadata = deriveDammV1MigrationMetadataAddress(address);
  return program.methods
    .transferPoolCreator()
    .accountsStrict({
      virtualPool: address,
      config: pool.config,
      creator: agent,
      newCreator: to,
      eventAuthority: deriveDbcEventAuthority(),
      program: program.programId,
    })
    .remainingAccounts([{ pubkey: metadata, isSigner: false, isWritable: false }])
    .instruction();
}

/**
 * Gives a position's NFT away. `refresh_vesting` changes nothing of a position without vesting; it fails
 * unless the NFT is that of a position in this pool, so that the agent's client can see which one it is.
 */
async function givePosition(
  { liquidity }: MeteoraPrograms,
  { agent, to }: HandOverParties,
  { pool, address, nftMint, nftAccount }: HeldPosition,
): Promise<TransactionInstruction[]> {
  const program = TOKEN_2022_PROGRAM_ID;
  const account = getAssociatedTokenAddressSync(nftMint, to, true, program);
  const prove = liquidity.methods.refreshVesting().accountsStrict({
    pool,
    position: address,
    positionNftAccount: nftAccount,
    owner: agent,
  });
  return [
    await prove.instruction(),
    createAssociatedTokenAccountIdempotentInstruction(agent, account, to, nftMint, program),
    createTransferCheckedInstruction(nftAccount, nftMint, account, agent, 1, 0, [], program),
  ];
}

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
