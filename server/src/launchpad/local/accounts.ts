import { createHmac } from "node:crypto";
import { getAssociatedTokenAddressSync, NATIVE_MINT } from "@solana/spl-token";
import { type Keypair, PublicKey } from "@solana/web3.js";
import { keypairFromSeed } from "../../base/native-keys.ts";
import { feeVaultAddress } from "./fee-vault.ts";

/** The accounts of one pool of the embedded chain. */
export interface PoolAccounts {
  /** The pool's address; it owns the vaults. */
  readonly pool: PublicKey;
  readonly mint: PublicKey;
  /** The tokens that are for sale. */
  readonly baseVault: PublicKey;
  /** The wrapped SOL that buyers paid. */
  readonly quoteVault: PublicKey;
  /** The agent's fees from the bonding curve. */
  readonly curveFeeVault: PublicKey;
  /** The agent's fees from the liquidity pool; it exists once the pool has migrated. */
  readonly liquidityFeeVault: PublicKey;
}

/**
 * Finds a pool's accounts. The vaults' addresses follow from the pool's, as they do for the
 * programs of a real cluster.
 */
export function poolAccounts(token: {
  readonly tokenMint: string;
  readonly poolAddress: string;
}): PoolAccounts {
  const pool = new PublicKey(token.poolAddress);
  const mint = new PublicKey(token.tokenMint);
  return {
    pool,
    mint,
    baseVault: getAssociatedTokenAddressSync(mint, pool),
    quoteVault: getAssociatedTokenAddressSync(NATIVE_MINT, pool),
    curveFeeVault: feeVaultAddress(pool, "bondingCurve"),
    liquidityFeeVault: feeVaultAddress(pool, "liquidityPool"),
  };
}

/** What a key is for; each purpose has its own keys. */
type KeyPurpose = "mint" | "pool" | "wallet" | "trader";

/** A key of the embedded chain: the same for the same secret, purpose and subject. */
export function deriveKeypair(secret: Uint8Array, purpose: KeyPurpose, subject = ""): Keypair {
  const label = `tokend local ${purpose}:${subject}`;
  return keypairFromSeed(createHmac("sha256", secret).update(label).digest());
}
