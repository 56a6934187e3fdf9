import { sha256 } from "@noble/hashes/sha2.js";
import { ByteReader } from "@tokenctl/shared/wire-transaction";
import bs58 from "bs58";
import {
  DAMM_V2_PROGRAM,
  DBC_PROGRAM,
  METADATA_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from "../claim-check/addresses.ts";
import { equalBytes } from "./bytes.ts";
import type { ChainAccount } from "./chain-accounts.ts";

// What accounts hold. Each reader returns null for an account of another program or another kind.

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

/** @returns the eight bytes with which Anchor begins the accounts of a kind */
export function discriminatorOf(kind: string): Uint8Array {
  return sha256(new TextEncoder().encode(`account:${kind}`)).subarray(0, 8);
}

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

function isOfKind({ data }: Pick<ChainAccount, "data">, kind: string): boolean {
  return equalBytes(data.subarray(0, 8), discriminatorOf(kind));
}

/** Reads fields of an account at their offsets. */
class Fields {
  readonly #data: Uint8Array;

  constructor(data: Uint8Array) {
    this.#data = data;
  }

  byte(at: number): number {
    return this.#data[at] as number;
  }

  uint(at: number, bytes: number): bigint {
    return new ByteReader(this.#data.subarray(at, at + bytes)).uint(bytes);
  }

  address(at: number): string {
    return bs58.encode(this.#data.subarray(at, at + 32));
  }

  /** An address behind a u32 that is 0 for none. */
  optional(at: number): string | null {
    return this.uint(at, 4) === 0n ? null : this.address(at + 4);
  }
}

function anchorFields(
  account: ChainAccount | null | undefined,
  [program, kind, bytes]: readonly [program: string, kind: string, bytes: number],
): Fields | null {
  if (account?.owner !== program || !isOfKind(account, kind)) return null;
  // A program that adds fields adds them at the end.
  return account.data.length < bytes ? null : new Fields(account.data);
}

export type CurveConfig = NonNullable<ReturnType<typeof readCurveConfig>>;

/** Source: `PoolConfig` of DBC's IDL 0.2.1. */
export function readCurveConfig(account: ChainAccount | null | undefined) {
  const at = anchorFields(account, [DBC_PROGRAM, "PoolConfig", 1_048]);
  if (!at) return null;
  return {
    quoteMint: at.address(8),
    partner: at.address(40),
    baseFee: {
      cliff: at.uint(104, 8),
      reduction: at.uint(120, 8),
      periods: at.uint(128, 2),
      mode: at.byte(130),
    },
    partnerVestingPercent: at.byte(185),
    creatorVestingPercent: at.byte(201),
    migrationOption: at.byte(233),
    tokenDecimals: at.byte(235),
    version: at.byte(236),
    partnerLockedPercent: at.byte(239),
    partnerLiquidityPercent: at.byte(240),
    creatorLockedPercent: at.byte(241),
    creatorLiquidityPercent: at.byte(242),
    migrationFeeOption: at.byte(243),
    creatorSharePercent: at.byte(245),
    migratedFeeBps: Number(at.uint(362, 2)),
    creationLamports: at.uint(368, 8),
  };
}

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

const MINT_BYTES = 82;
const TOKEN_ACCOUNT_BYTES = 165;
/** No account with extensions has this length. */
const MULTISIG_BYTES = 355;
/** Behind the longest account without extensions, Token-2022 says which kind of account it is. */
const ACCOUNT_TYPE_AT = 165;
const ACCOUNT_TYPE = { mint: 1, account: 2 } as const;

function tokenFields(
  account: ChainAccount | null | undefined,
  bytes: number,
  type: number,
): Fields | null {
  const { owner, data } = account ?? {};
  if (!data || (owner !== TOKEN_PROGRAM && owner !== TOKEN_2022_PROGRAM)) return null;
  if (data.length === bytes) return new Fields(data);
  const isExtended = owner === TOKEN_2022_PROGRAM && data.length !== MULTISIG_BYTES;
  return isExtended && data[ACCOUNT_TYPE_AT] === type ? new Fields(data) : null;
}

export type Mint = NonNullable<ReturnType<typeof readMint>>;

/** Source: spl-token's `Mint`. */
export function readMint(account: ChainAccount | null | undefined) {
  const at = tokenFields(account, MINT_BYTES, ACCOUNT_TYPE.mint);
  if (!account || !at || at.byte(45) !== 1) return null;
  return {
    tokenProgram: account.owner,
    mintAuthority: at.optional(0),
    supply: at.uint(36, 8),
    decimals: at.byte(44),
    freezeAuthority: at.optional(46),
    extensions: readExtensions(account.data),
  };
}

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

/** An extension of Token-2022, by its number. */
interface Extension {
  readonly type: number;
  readonly data: Uint8Array;
}

/** Nothing follows it. */
const UNINITIALIZED = 0;

/** @returns the extensions behind a mint; those that cannot be read count as one of type -1 */
function readExtensions(data: Uint8Array): Extension[] {
  const extensions: Extension[] = [];
  const reader = new ByteReader(data.subarray(Math.min(data.length, ACCOUNT_TYPE_AT + 1)));
  let left = data.length - ACCOUNT_TYPE_AT - 1;
  try {
    while (left >= 2) {
      const type = Number(reader.uint(2));
      if (type === UNINITIALIZED) break;
      const length = Number(reader.uint(2));
      extensions.push({ type, data: reader.take(length) });
      left -= 4 + length;
    }
  } catch {
    extensions.push({ type: -1, data: new Uint8Array() });
  }
  return extensions;
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

/** A text as Borsh writes it; Token Metadata fills it up with zeros. */
export function textIn(reader: ByteReader): string {
  return new TextDecoder().decode(reader.take(Number(reader.uint(4)))).replace(/\0+$/, "");
}
