import { createHash } from "node:crypto";
import {
  ACCOUNT_SIZE,
  createApproveInstruction,
  createInitializeAccount3Instruction,
  NATIVE_MINT,
  type RawAccount,
  TOKEN_PROGRAM_ID,
} from "@solana/spl-token";
import { PublicKey, SystemProgram, type TransactionInstruction } from "@solana/web3.js";
import type { FeeKind } from "../../domain/token.ts";
import type { FeeTotals } from "../launchpad.ts";

/** The largest amount that a token account can be approved for (u64). */
const U64_MAX = 0xffff_ffff_ffff_ffffn;

/** The seeds of a pool's vaults, which the SDK's claim check knows. */
const SEEDS: Readonly<Record<FeeKind, string>> = {
  bondingCurve: "curve",
  liquidityPool: "liquidity",
};

/** @returns the address that `createAccountWithSeed` derives for a pool's fee vault */
export function feeVaultAddress(pool: PublicKey, kind: FeeKind): PublicKey {
  const seed = createHash("sha256");
  seed.update(pool.toBuffer()).update(SEEDS[kind]).update(TOKEN_PROGRAM_ID.toBuffer());
  return new PublicKey(seed.digest());
}

/**
 * Creates a fee vault: wrapped SOL of the pool, all of which the agent may take as its delegate. The
 * approval is never renewed, so its remainder shows how much was ever taken.
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
    createApproveInstruction(address, vault.agent, vault.pool, U64_MAX),
  ];
}

/** Reads a fee vault: its balance can be claimed, and what the approval lacks was claimed. */
export function feeTotals(vault: RawAccount | null): FeeTotals {
  if (!vault) return { claimable: 0n, claimed: 0n, total: 0n };
  const claimed = U64_MAX - vault.delegatedAmount;
  return { claimable: vault.amount, claimed, total: vault.amount + claimed };
}
