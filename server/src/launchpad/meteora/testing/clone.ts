import { derivePositionAddress, derivePositionNftAccount } from "@meteora-ag/cp-amm-sdk";
import { MigrationFeeOption } from "@meteora-ag/dynamic-bonding-curve-sdk";
import { type Connection, PublicKey } from "@solana/web3.js";
import { generateKeypair } from "../../../base/native-keys.ts";
import type { TokenRef } from "../../../domain/token.ts";
import type { LocalChain } from "../../../localnet/chain.ts";
import { liquidityPoolAddress } from "../liquidity-reader.ts";
import type { TestToken } from "./launchpad.ts";
import { heldPosition } from "./positions.ts";

// Byte offsets of the fields that a clone changes, the 8-byte discriminator included. Source: the IDLs
// in Meteora's SDKs, and SPL Token's account layout.
const CURVE_POOL = { mint: 136, quoteVault: 200, quoteReserve: 240, creatorFee: 360 };
const LIQUIDITY_POOL = { tokenAMint: 168 };
const POSITION = { pool: 8, nftMint: 40, feePending: 144 };
const TOKEN_ACCOUNT = { mint: 0, amount: 64 };

export type MigratedToken = Awaited<ReturnType<typeof migratedToken>>;

/** The accounts of a migrated token whose agent holds one position. */
export async function migratedToken(
  connection: Connection,
  { mint, pool: curvePool }: Pick<TestToken, "mint" | "pool">,
  agent: PublicKey,
) {
  const { address: position, nftAccount } = await heldPosition(connection, agent);
  const liquidityPool = liquidityPoolAddress(MigrationFeeOption.Customizable, mint);
  return { mint, curvePool, liquidityPool, position, nftAccount };
}

/**
 * Writes the accounts of one more migrated token straight into the ledger: a copy of another with
 * its own mint, addresses and claimable fees.
 *
 * @param creatorFee claimable lamports of the curve
 * @param pending claimable lamports of the position, beside what it has earned
 */
export function cloneMigratedToken(
  chain: LocalChain,
  source: MigratedToken,
  { creatorFee, pending }: { creatorFee: bigint; pending: bigint },
): TokenRef & { readonly position: PublicKey } {
  const mint = generateKeypair().publicKey;
  const curvePool = generateKeypair().publicKey;
  const liquidityPool = liquidityPoolAddress(MigrationFeeOption.Customizable, mint);
  copyAccount(chain, source.curvePool, curvePool, (data) => {
    mint.toBuffer().copy(data, CURVE_POOL.mint);
    data.writeBigUInt64LE(creatorFee, CURVE_POOL.creatorFee);
  });
  copyAccount(chain, source.mint, mint, () => {});
  copyAccount(chain, source.liquidityPool, liquidityPool, (data) => {
    mint.toBuffer().copy(data, LIQUIDITY_POOL.tokenAMint);
  });
  const position = clonePosition(chain, source, { pool: liquidityPool, pending });
  return { tokenMint: mint.toBase58(), poolAddress: curvePool.toBase58(), position };
}

/** Writes one more position of the same owner and size into the ledger. @returns its address */
export function clonePosition(
  chain: LocalChain,
  source: Pick<MigratedToken, "position" | "nftAccount">,
  { pool, pending }: { pool: PublicKey; pending: bigint },
): PublicKey {
  const nftMint = generateKeypair().publicKey;
  const position = derivePositionAddress(nftMint);
  copyAccount(chain, source.position, position, (data) => {
    pool.toBuffer().copy(data, POSITION.pool);
    nftMint.toBuffer().copy(data, POSITION.nftMint);
    data.writeBigUInt64LE(pending, POSITION.feePending);
  });
  copyAccount(chain, source.nftAccount, derivePositionNftAccount(nftMint), (data) => {
    nftMint.toBuffer().copy(data, TOKEN_ACCOUNT.mint);
  });
  return position;
}

/**
 * Lets a curve hold more than it needs to migrate, as in pools of former versions of the program: in the
 * present one no trade pays beyond a curve's end.
 */
export function addSurplus(chain: LocalChain, pool: PublicKey, lamports: bigint): void {
  const account = chain.getAccount(pool);
  if (!account) throw new Error(`there is no pool ${pool}`);
  const at = CURVE_POOL.quoteVault;
  const vault = new PublicKey(account.data.subarray(at, at + 32));
  const add = (data: Buffer, offset: number) =>
    data.writeBigUInt64LE(data.readBigUInt64LE(offset) + lamports, offset);
  copyAccount(chain, pool, pool, (data) => add(data, CURVE_POOL.quoteReserve));
  copyAccount(chain, vault, vault, (data) => add(data, TOKEN_ACCOUNT.amount), lamports);
}

function copyAccount(
  chain: LocalChain,
  from: PublicKey,
  to: PublicKey,
  change: (data: Buffer) => void,
  more = 0n,
): void {
  const account = chain.getAccount(from);
  if (!account) throw new Error(`there is no account ${from}`);
  const data = Buffer.from(account.data);
  change(data);
  const lamports = account.lamports + more;
  chain.setAccount(to, { lamports, owner: new PublicKey(account.owner), data });
}
