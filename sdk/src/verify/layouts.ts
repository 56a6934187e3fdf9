import { ByteReader } from "@tokenctl/shared/wire-transaction";
import bs58 from "bs58";
import {
  DAMM_V2_PROGRAM,
  DBC_PROGRAM,
  METADATA_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from "../claim-check/addresses.ts";
import type { ChainAccount } from "../internal/chain-accounts.ts";
import { ACCOUNT_TYPE, anchorFields, isOfKind, textIn, tokenFields } from "../internal/layouts.ts";

// What accounts hold that only a verification reads.

/** The kinds of accounts that have names here. Sources: the IDLs of DBC 0.2.1 and DAMM v2 0.2.5. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  [DBC_PROGRAM]: [
    "VirtualPool",
    "PoolConfig",
    "TransferHookPool",
    "ConfigWithTransferHook",
    "VirtualPoolMetadata",
    "PartnerMetadata",
    "MeteoraDammMigrationMetadata",
  ],
  [DAMM_V2_PROGRAM]: ["Pool", "Position", "Config", "Vesting", "TokenBadge"],
};

/** @returns for example `a TransferHookPool of Dynamic Bonding Curve`, or `an unknown account of program …` */
export function kindOf({ owner, data }: ChainAccount): string {
  const kind = KINDS[owner]?.find((one) => isOfKind({ data }, one));
  const program = PROGRAMS[owner] ?? `program ${owner}`;
  return kind ? `a ${kind} of ${program}` : `an unknown account of ${program}`;
}

const PROGRAMS: Readonly<Record<string, string>> = {
  [DBC_PROGRAM]: "Dynamic Bonding Curve",
  [DAMM_V2_PROGRAM]: "DAMM v2",
  [TOKEN_PROGRAM]: "SPL Token",
  [TOKEN_2022_PROGRAM]: "Token-2022",
  [METADATA_PROGRAM]: "Token Metadata",
};

export type CurvePool = NonNullable<ReturnType<typeof readCurvePool>>;

/** Source: `VirtualPool` of DBC's IDL 0.2.1. */
export function readCurvePool(account: ChainAccount | null | undefined) {
  const at = anchorFields(account, [DBC_PROGRAM, "VirtualPool", 424]);
  if (!at) return null;
  return {
    config: at.address(72),
    creator: at.address(104),
    mint: at.address(CURVE_POOL_MINT_AT),
    baseVault: at.address(168),
    quoteVault: at.address(200),
    isMigrated: at.byte(305) !== 0,
  };
}

export const CURVE_POOL_MINT_AT = 136;

/** Source: `Pool` of DAMM v2's IDL 0.2.5. */
export function readLiquidityPool(account: ChainAccount | null | undefined) {
  const at = anchorFields(account, [DAMM_V2_PROGRAM, "Pool", 1_112]);
  if (!at) return null;
  return {
    tokenAMint: at.address(168),
    tokenAVault: at.address(232),
    liquidity: at.uint(360, 16),
    collectFeeMode: at.byte(484),
    permanentlyLocked: at.uint(552, 16),
    layoutVersion: at.byte(696),
  };
}

export type Position = NonNullable<ReturnType<typeof readPosition>>;

/** Source: `Position` of DAMM v2's IDL 0.2.5. */
export function readPosition(account: ChainAccount | null | undefined) {
  const at = anchorFields(account, [DAMM_V2_PROGRAM, "Position", 408]);
  if (!at) return null;
  return {
    pool: at.address(POSITION_POOL_AT),
    nftMint: at.address(40),
    withdrawable: at.uint(152, 16) + at.uint(168, 16),
    permanentlyLocked: at.uint(184, 16),
  };
}

export const POSITION_POOL_AT = 8;

const TOKEN_ACCOUNT_BYTES = 165;

/** Source: spl-token's `Account`. */
export function readTokenAccount(account: ChainAccount | null | undefined) {
  const at = tokenFields(account, TOKEN_ACCOUNT_BYTES, ACCOUNT_TYPE.account);
  if (!at || at.byte(108) === 0) return null;
  return {
    mint: at.address(0),
    owner: at.address(32),
    amount: at.uint(64, 8),
    delegate: at.optional(72),
  };
}

/** A token's name on chain, where its document is, and who may change that. */
export interface ChainMetadata {
  /** Null if it can never change. */
  readonly updateAuthority: string | null;
  readonly mint: string;
  readonly name: string;
  readonly symbol: string;
  readonly uri: string;
}

/** Source: spl-token-metadata's `TokenMetadata`. @throws {RangeError} if it is something else */
export function readMetadataExtension(data: Uint8Array): ChainMetadata {
  const reader = new ByteReader(data);
  const [authority, mint] = [reader.take(32), reader.take(32)];
  const [name, symbol, uri] = [textIn(reader), textIn(reader), textIn(reader)];
  const isNone = authority.every((byte) => byte === 0);
  const updateAuthority = isNone ? null : bs58.encode(authority);
  return { updateAuthority, mint: bs58.encode(mint), name, symbol, uri };
}

/** Of `Key`. Source: Metaplex's Token Metadata. */
const METADATA_V1 = 4;
/** A share of a creator: address, whether verified, percent. */
const CREATOR_BYTES = 34;

/** Source: `Metadata` of Metaplex's Token Metadata. */
export function readMetaplex(account: ChainAccount | null | undefined): ChainMetadata | null {
  if (account?.owner !== METADATA_PROGRAM || account.data[0] !== METADATA_V1) return null;
  const reader = new ByteReader(account.data.subarray(1));
  try {
    const [authority, mint] = [reader.take(32), reader.take(32)].map((one) => bs58.encode(one));
    const [name, symbol, uri] = [textIn(reader), textIn(reader), textIn(reader)];
    reader.uint(2);
    if (reader.byte() === 1) reader.take(Number(reader.uint(4)) * CREATOR_BYTES);
    reader.byte();
    const isMutable = reader.byte() !== 0;
    const updateAuthority = isMutable ? (authority ?? "") : null;
    return { updateAuthority, mint: mint ?? "", name, symbol, uri };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
