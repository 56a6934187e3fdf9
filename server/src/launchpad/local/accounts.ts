import { createHash, createHmac } from "node:crypto";
import {
  ACCOUNT_SIZE,
  createApproveInstruction,
  createAssociatedTokenAccountIdempotentInstruction,
  createInitializeAccount3Instruction,
  createSyncNativeInstruction,
  createTransferInstruction,
  getAssociatedTokenAddressSync,
  NATIVE_MINT,
  TOKEN_PROGRAM_ID,
} from "@solana/spl-token";
import {
  type Keypair,
  PublicKey,
  SystemProgram,
  type TransactionInstruction,
} from "@solana/web3.js";
import { NO_LIMIT } from "@tokenctl/shared/programs/recipes";
import { readTokenAccount, type TokenAccount } from "@tokenctl/shared/programs/token";
import { keypairFromSeed } from "../../base/native-keys.ts";
import type { FeeKind } from "../../domain/signing.ts";
import type { TokenRef } from "../../domain/token.ts";
import { type FeeTotals, NO_FEES } from "../pool-program.ts";
import type { Quote } from "./curve.ts";

export interface PoolAccounts {
  readonly pool: PublicKey;
  readonly mint: PublicKey;
  readonly baseVault: PublicKey;
  readonly quoteVault: PublicKey;
  readonly curveFeeVault: PublicKey;
  /** The agent's fees from the liquidity pool; it exists once the pool has migrated. */
  readonly liquidityFeeVault: PublicKey;
}

/** Derives the vaults' addresses from the pool's, like the programs of a real cluster. */
export function poolAccounts({ tokenMint, poolAddress }: TokenRef): PoolAccounts {
  const pool = new PublicKey(poolAddress);
  const mint = new PublicKey(tokenMint);
  return {
    pool,
    mint,
    baseVault: getAssociatedTokenAddressSync(mint, pool),
    quoteVault: getAssociatedTokenAddressSync(NATIVE_MINT, pool),
    curveFeeVault: feeVaultAddress(pool, "bondingCurve"),
    liquidityFeeVault: feeVaultAddress(pool, "liquidityPool"),
  };
}

type KeyPurpose = "mint" | "pool" | "wallet" | "trader";

export function deriveKeypair(secret: Uint8Array, purpose: KeyPurpose, subject = ""): Keypair {
  const label = `tokend local ${purpose}:${subject}`;
  return keypairFromSeed(createHmac("sha256", secret).update(label).digest());
}

interface AccountLike {
  readonly data: Uint8Array;
  readonly owner: PublicKey | Uint8Array;
}

export function decodeTokenAccount(account: AccountLike | null | undefined): TokenAccount | null {
  if (account?.data.length !== ACCOUNT_SIZE) return null;
  return readTokenAccount({ owner: new PublicKey(account.owner), data: account.data });
}

export function decodeFeeVault(account: AccountLike | null | undefined) {
  const vault = decodeTokenAccount(account);
  return vault?.delegate ? { ...vault, delegate: vault.delegate } : null;
}

/** The seeds of a pool's vaults, which the SDK's claim check knows. */
const SEEDS: Readonly<Record<FeeKind, string>> = {
  bondingCurve: "curve",
  liquidityPool: "liquidity",
};

export function feeVaultAddress(pool: PublicKey, kind: FeeKind): PublicKey {
  const seed = createHash("sha256");
  seed.update(pool.toBuffer()).update(SEEDS[kind]).update(TOKEN_PROGRAM_ID.toBuffer());
  return new PublicKey(seed.digest());
}

/**
 * Creates a fee vault: wrapped SOL of the pool, with the agent as a delegate that may take all of
 * it. The approval is never renewed, so its remainder shows how much was ever taken.
 */
export function createFeeVault(vault: {
  readonly pool: PublicKey;
  readonly kind: FeeKind;
  readonly agent: PublicKey;
  readonly payer: PublicKey;
  readonly rentLamports: bigint;
}): TransactionInstruction[] {
  const address = feeVaultAddress(vault.pool, vault.kind);
  return [
    SystemProgram.createAccountWithSeed({
      fromPubkey: vault.payer,
      newAccountPubkey: address,
      basePubkey: vault.pool,
      seed: SEEDS[vault.kind],
      lamports: Number(vault.rentLamports),
      space: ACCOUNT_SIZE,
      programId: TOKEN_PROGRAM_ID,
    }),
    createInitializeAccount3Instruction(address, NATIVE_MINT, vault.pool),
    createApproveInstruction(address, vault.agent, vault.pool, NO_LIMIT),
  ];
}

/** Returns a buyer's instructions for a quote: they pay pool and fee vault, and transfer tokens. */
export function buyInstructions(
  { mint, pool, baseVault, quoteVault }: PoolAccounts,
  { buyer, feeVault, quote }: BuyOrder,
): TransactionInstruction[] {
  const holdings = getAssociatedTokenAddressSync(mint, buyer, true);
  const pay = (vault: PublicKey, lamports: bigint) => [
    SystemProgram.transfer({ fromPubkey: buyer, toPubkey: vault, lamports }),
    createSyncNativeInstruction(vault),
  ];
  return [
    createAssociatedTokenAccountIdempotentInstruction(buyer, holdings, buyer, mint),
    ...pay(quoteVault, quote.lamports),
    ...pay(feeVault, quote.feeLamports),
    createTransferInstruction(baseVault, holdings, pool, quote.tokens),
  ];
}

interface BuyOrder {
  readonly buyer: PublicKey;
  readonly feeVault: PublicKey;
  readonly quote: Quote;
}

/** Reads a fee vault: its balance is claimable, and the used part of the approval was claimed. */
export function feeTotals(vault: TokenAccount | null): FeeTotals {
  if (!vault) return NO_FEES;
  const claimed = NO_LIMIT - vault.delegatedAmount;
  return { claimable: vault.amount, claimed, total: vault.amount + claimed };
}
