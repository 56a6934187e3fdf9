import { sha256 } from "@noble/hashes/sha2.js";
import { ByteReader } from "@tokenctl/shared/wire-transaction";
import bs58 from "bs58";
import { DBC_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../claim-check/addresses.ts";
import { equalBytes } from "./bytes.ts";
import type { ChainAccount } from "./chain-accounts.ts";

// What accounts hold. Each reader returns null for an account of another program or another kind.

/** @returns the eight bytes with which Anchor begins the accounts of a kind */
export function discriminatorOf(kind: string): Uint8Array {
  return sha256(new TextEncoder().encode(`account:${kind}`)).subarray(0, 8);
}

export function isOfKind({ data }: Pick<ChainAccount, "data">, kind: string): boolean {
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

export function anchorFields(
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

const MINT_BYTES = 82;
/** No account with extensions has this length. */
const MULTISIG_BYTES = 355;
/** Behind the longest account without extensions, Token-2022 says which kind of account it is. */
const ACCOUNT_TYPE_AT = 165;
export const ACCOUNT_TYPE = { mint: 1, account: 2 } as const;

export function tokenFields(
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

/** A text as Borsh writes it; Token Metadata fills it up with zeros. */
export function textIn(reader: ByteReader): string {
  return new TextDecoder().decode(reader.take(Number(reader.uint(4)))).replace(/\0+$/, "");
}
