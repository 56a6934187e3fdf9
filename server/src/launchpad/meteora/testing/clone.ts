import { derivePositionAddress, derivePositionNftAccount } from "@meteora-ag/cp-amm-sdk";
import { Keypair, PublicKey } from "@solana/web3.js";
import type { LocalChain } from "../../../localnet/chain.ts";
import type { TokenRef } from "../../launchpad.ts";
import { liquidityPoolAddress } from "../addresses.ts";

// Byte offsets of the fields that a clone changes, the 8-byte discriminator included. Source: the IDLs
// in Meteora's SDKs, and SPL Token's account layout.
const CURVE_POOL = { mint: 136, creatorFee: 360 };
const LIQUIDITY_POOL = { tokenAMint: 168 };
const POSITION = { pool: 8, nftMint: 40, feePending: 144 };
const TOKEN_ACCOUNT = { mint: 0 };

/** A token that has migrated, and its creator's position. */
export interface MigratedToken {
  readonly curvePool: PublicKey;
  readonly liquidityPool: PublicKey;
  readonly position: PublicKey;
  readonly nftAccount: PublicKey;
  readonly migrationFeeOption: number;
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
): TokenRef {
  const mint = Keypair.generate().publicKey;
  const curvePool = Keypair.generate().publicKey;
  const liquidityPool = liquidityPoolAddress(source.migrationFeeOption, mint);
  copyAccount(chain, source.curvePool, curvePool, (data) => {
    mint.toBuffer().copy(data, CURVE_POOL.mint);
    data.writeBigUInt64LE(creatorFee, CURVE_POOL.creatorFee);
  });
  copyAccount(chain, source.liquidityPool, liquidityPool, (data) => {
    mint.toBuffer().copy(data, LIQUIDITY_POOL.tokenAMint);
  });
  clonePosition(chain, source, { pool: liquidityPool, pending });
  return { tokenMint: mint.toBase58(), poolAddress: curvePool.toBase58() };
}

/** Writes one more position of the same owner and size into the ledger. */
export function clonePosition(
  chain: LocalChain,
  source: Pick<MigratedToken, "position" | "nftAccount">,
  { pool, pending }: { pool: PublicKey; pending: bigint },
): void {
  const nftMint = Keypair.generate().publicKey;
  copyAccount(chain, source.position, derivePositionAddress(nftMint), (data) => {
    pool.toBuffer().copy(data, POSITION.pool);
    nftMint.toBuffer().copy(data, POSITION.nftMint);
    data.writeBigUInt64LE(pending, POSITION.feePending);
  });
  copyAccount(chain, source.nftAccount, derivePositionNftAccount(nftMint), (data) => {
    nftMint.toBuffer().copy(data, TOKEN_ACCOUNT.mint);
  });
}

function copyAccount(
  chain: LocalChain,
  from: PublicKey,
  to: PublicKey,
  change: (data: Buffer) => void,
): void {
  const account = chain.getAccount(from);
  if (!account) throw new Error(`there is no account ${from}`);
  const data = Buffer.from(account.data);
  change(data);
  chain.setAccount(to, { lamports: account.lamports, owner: new PublicKey(account.owner), data });
}
