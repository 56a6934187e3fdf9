import type {
  ConfigState,
  PoolState as LiquidityPoolState,
  PositionState,
} from "@meteora-ag/cp-amm-sdk";
import {
  getTokenProgram,
  type PoolConfig,
  type VirtualPool,
} from "@meteora-ag/dynamic-bonding-curve-sdk";
import type { AccountInfo, PublicKey } from "@solana/web3.js";
import { ChainUnavailableError, TokenUnreadableError } from "../errors.ts";
import type { MeteoraPrograms } from "./programs.ts";

export interface CurvePool {
  readonly config: PublicKey;
  readonly creator: PublicKey;
  readonly mint: PublicKey;
  readonly tokenProgram: PublicKey;
  readonly baseVault: PublicKey;
  readonly quoteVault: PublicKey;
  readonly creatorFee: bigint;
  readonly partnerFee: bigint;
  /** Fees of all trades so far, creator's and partner's together. */
  readonly tradingFees: bigint;
  /** What the curve holds beside fees. Stays as it is once the curve is complete. */
  readonly quoteReserve: bigint;
  /** The root of the lamports that one base unit costs, × 2⁶⁴. */
  readonly sqrtPrice: bigint;
  /** When the curve became complete, in seconds since the Unix epoch; 0 while it is not. */
  readonly completedAt: bigint;
  readonly isMigrated: boolean;
  /** Whether it may migrate now: it is complete, and needs no locker or has one. */
  readonly mayMigrate: boolean;
  readonly hasPartnerSurplus: boolean;
  readonly hasPartnerMigrationFee: boolean;
  /** Whether the partner's share of what a new pool pays is still there, if the config takes anything. */
  readonly hasPartnerCreationFee: boolean;
}

/** The part of a bonding curve config that decides about fees. No instruction changes a config. */
export interface CurveConfig {
  /** The creator's share of trading fees in percent, 0 to 100. */
  readonly creatorFeePercentage: number;
  /** As `MigrationFeeOption` of the DBC SDK: 0 to 5 fixed fees, 6 set by the config. */
  readonly migrationFeeOption: number;
  /** SPL Token or Token-2022, to which mints of new pools belong. */
  readonly tokenProgram: PublicKey;
  /** Whether the creator gets a position in the pool after the curve. */
  readonly creatorHasPosition: boolean;
  /** Whether part of that position is locked permanently. */
  readonly locksCreatorPosition: boolean;
  /** Whose share is what is not the creator's. */
  readonly partner: PublicKey;
  /** Lamports in the curve at which it is complete. */
  readonly migrationThreshold: bigint;
  /** What the config takes of them at migration, in percent. */
  readonly migrationFeePercentage: number;
  /** The creator's share of that in percent. */
  readonly creatorMigrationFeePercentage: number;
  /** What a new pool pays beside its rent, most of it to the partner. */
  readonly creationLamports: bigint;
}

/** Set once the partner took the fee (`migration_fee_withdraw_status` of DBC's IDL). */
const PARTNER_TOOK_MIGRATION_FEE = 0b100;

/** The bit that a pool sets when its partner has taken its creation fee, as the program does it. */
const PARTNER_TOOK_CREATION_FEE = 0b10;

/** `LockedVesting` of the program's `MigrationProgress`: what needs a locker has one. */
const READY_TO_MIGRATE = 2;

/** A DAMM v2 pool whose token B is wrapped SOL. */
export interface LiquidityPool {
  readonly tokenAVault: PublicKey;
  readonly tokenBVault: PublicKey;
  /** Lamports × 2¹²⁸ that one unit of liquidity has earned since the pool was made. */
  readonly feePerLiquidity: bigint;
  /** As that of a {@link CurvePool}. */
  readonly sqrtPrice: bigint;
}

/** A share of a DAMM v2 pool; amounts in lamports. */
export interface Position {
  readonly pool: PublicKey;
  readonly liquidity: bigint;
  /** The part of it that can never be taken out. */
  readonly locked: bigint;
  /** The pool's `feePerLiquidity` up to which `pending` is counted. */
  readonly feeCheckpoint: bigint;
  readonly pending: bigint;
  readonly claimed: bigint;
  /** A bit for each `PositionDelegatePermission` that the owner has granted to the delegate of its NFT. */
  readonly delegatePermission: number;
}

export type Found = Pick<AccountInfo<Buffer>, "owner" | "data">;

export type AccountFault = ChainUnavailableError | TokenUnreadableError;

/** @param name what errors call it if it is missing, and `kind` if it is something else */
export function tryDecode<T>(
  account: Found | null | undefined,
  decode: (account: Found) => T,
  { address, name, kind }: { readonly address: PublicKey; readonly name: string; kind: string },
): T | AccountFault {
  if (!account) return new ChainUnavailableError(`The ${name} ${address} was not found`);
  try {
    return decode(account);
  } catch (error) {
    return new TokenUnreadableError(`The account ${address} is not a ${kind}`, error);
  }
}

/** @throws {Error} as every decoder here: the account is missing bytes, of another kind or program */
export function decodeCurvePool(programs: MeteoraPrograms, account: Found): CurvePool {
  const { poolState: pool } = decode<VirtualPool>(programs.curve, "virtualPool", account);
  return {
    config: pool.config,
    creator: pool.creator,
    mint: pool.baseMint,
    tokenProgram: getTokenProgram(pool.poolType),
    baseVault: pool.baseVault,
    quoteVault: pool.quoteVault,
    creatorFee: toBigInt(pool.creatorQuoteFee),
    partnerFee: toBigInt(pool.partnerQuoteFee),
    tradingFees: toBigInt(pool.metrics.totalTradingQuoteFee),
    quoteReserve: toBigInt(pool.quoteReserve),
    sqrtPrice: toBigInt(pool.sqrtPrice),
    completedAt: toBigInt(pool.finishCurveTimestamp),
    isMigrated: pool.isMigrated !== 0,
    mayMigrate: pool.migrationProgress === READY_TO_MIGRATE,
    hasPartnerSurplus: pool.isPartnerWithdrawSurplus === 0,
    hasPartnerMigrationFee: (pool.migrationFeeWithdrawStatus & PARTNER_TOOK_MIGRATION_FEE) === 0,
    hasPartnerCreationFee: (pool.creationFeeBits & PARTNER_TOOK_CREATION_FEE) === 0,
  };
}

export function decodeCurveConfig(programs: MeteoraPrograms, account: Found): CurveConfig {
  const config = decodePoolConfig(programs, account);
  return {
    creatorFeePercentage: config.creatorTradingFeePercentage,
    creatorHasPosition:
      config.creatorPermanentLockedLiquidityPercentage + config.creatorLiquidityPercentage > 0,
    locksCreatorPosition: config.creatorPermanentLockedLiquidityPercentage > 0,
    migrationFeeOption: config.migrationFeeOption,
    tokenProgram: getTokenProgram(config.tokenType),
    partner: config.feeClaimer,
    migrationThreshold: toBigInt(config.migrationQuoteThreshold),
    migrationFeePercentage: config.migrationFeePercentage,
    creatorMigrationFeePercentage: config.creatorMigrationFeePercentage,
    creationLamports: toBigInt(config.poolCreationFee),
  };
}

export function decodePoolConfig(programs: MeteoraPrograms, account: Found): PoolConfig {
  return decode<PoolConfig>(programs.curve, "poolConfig", account);
}

export function decodeDammConfig(programs: MeteoraPrograms, account: Found): ConfigState {
  return decode<ConfigState>(programs.liquidity, "config", account);
}

export function decodeLiquidityPool(programs: MeteoraPrograms, account: Found): LiquidityPool {
  const pool = decode<LiquidityPoolState>(programs.liquidity, "pool", account);
  return {
    tokenAVault: pool.tokenAVault,
    tokenBVault: pool.tokenBVault,
    feePerLiquidity: littleEndian(pool.feeBPerLiquidity),
    sqrtPrice: toBigInt(pool.sqrtPrice),
  };
}

export function decodePosition(programs: MeteoraPrograms, account: Found): Position {
  const position = decode<PositionState>(programs.liquidity, "position", account);
  const locked = toBigInt(position.permanentLockedLiquidity);
  return {
    pool: position.pool,
    liquidity: toBigInt(position.unlockedLiquidity) + toBigInt(position.vestedLiquidity) + locked,
    locked,
    feeCheckpoint: littleEndian(position.feeBPerTokenCheckpoint),
    pending: toBigInt(position.feeBPending),
    claimed: toBigInt(position.metrics.totalClaimedBFee),
    delegatePermission: position.delegatePermission,
  };
}

/** @returns Dynamic Bonding Curve's name for the kind of an account, such as `TransferHookPool`; or null */
export function curveAccountKind(
  { curve }: MeteoraPrograms,
  { owner, data }: Found,
): string | null {
  if (!owner.equals(curve.programId)) return null;
  const name = curve.idl.accounts.find(({ discriminator }) =>
    Buffer.from(discriminator).equals(data.subarray(0, discriminator.length)),
  )?.name;
  return name === undefined ? null : `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}

interface AnchorProgram {
  readonly programId: PublicKey;
  readonly coder: {
    readonly accounts: {
      size(name: string): number;
      decode<T>(name: string, data: Buffer): T;
    };
  };
}

/** Bytes of each kind of account, whose names no two of the programs share. */
const sizes = new Map<string, number>();

/** A program that adds fields adds them at the end, so an account may be longer than its layout. */
function decode<T>({ programId, coder }: AnchorProgram, name: string, { owner, data }: Found): T {
  if (!owner.equals(programId)) throw new Error(`it belongs to ${owner}, not to ${programId}`);
  const size = sizes.get(name) ?? coder.accounts.size(name);
  sizes.set(name, size);
  if (data.length < size) throw new Error(`it has ${data.length} bytes, not ${size}`);
  return coder.accounts.decode<T>(name, data);
}

export function toBigInt(number: { toString(base: 16): string }): bigint {
  return BigInt(`0x${number.toString(16)}`);
}

function littleEndian(bytes: readonly number[]): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);
}
