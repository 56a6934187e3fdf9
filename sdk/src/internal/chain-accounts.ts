import type { dammV2 } from "@tokenctl/shared/programs/damm-v2";
import type { dbc } from "@tokenctl/shared/programs/dbc";
import { type AccountOf, type Program, readAccount } from "@tokenctl/shared/programs/program";
import { answer, list, number, orNull, shape, string } from "./answer.ts";
import { decodeBase64 } from "./bytes.ts";
import { CONFIRMED, type Rpc } from "./rpc.ts";

export interface ChainAccount {
  readonly lamports: number;
  readonly owner: string;
  /** Empty if the node sends anything but base64. */
  readonly data: Uint8Array;
}

interface RawAccount {
  lamports: number;
  owner: string;
  /** The data, and the name of its encoding, `base64`. */
  data: string[];
}

const account = shape({ lamports: number, owner: string, data: list(string) });
const listed = answer<{ value: (RawAccount | null)[] }>(shape({ value: list(orNull(account)) }));
const found = answer<{ pubkey: string; account: RawAccount }[]>(
  list(shape({ pubkey: string, account })),
);

const CONFIG = { ...CONFIRMED, encoding: "base64" };

export async function readAccounts(
  rpc: Rpc,
  addresses: readonly string[],
): Promise<(ChainAccount | null)[]> {
  const { value } = await rpc.read("getMultipleAccounts", [addresses, CONFIG], listed);
  return addresses.map((_, index) => {
    const raw = value[index];
    return raw ? toAccount(raw) : null;
  });
}

/** Bytes, base58, that an account's data must have at an offset. */
export interface Filter {
  readonly offset: number;
  readonly bytes: string;
}

/** Searches a program's accounts; not every node can. */
export async function findAccounts(
  rpc: Rpc,
  program: string,
  filters: readonly Filter[],
): Promise<{ readonly address: string; readonly account: ChainAccount }[]> {
  const config = { ...CONFIG, filters: filters.map((memcmp) => ({ memcmp })) };
  const raw = await rpc.read("getProgramAccounts", [program, config], found);
  return raw.map(({ pubkey, account }) => ({ address: pubkey, account: toAccount(account) }));
}

function toAccount({ lamports, owner, data: [data = ""] }: RawAccount): ChainAccount {
  return { lamports, owner, data: decodeBase64(data) ?? new Uint8Array() };
}

export type CurvePool = AccountOf<typeof dbc, "VirtualPool">;
export type LiquidityPool = AccountOf<typeof dammV2, "Pool">;
export type Position = AccountOf<typeof dammV2, "Position">;

/** Returns null for an account of another program or kind. */
export function tryAccount<P extends Program, K extends keyof P["accounts"] & string>(
  program: P,
  kind: K,
  account: ChainAccount | null | undefined,
): AccountOf<P, K> | null {
  try {
    return account ? readAccount(program, kind, account) : null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

export function kindOf({ owner }: ChainAccount): string {
  return `an account of program ${owner}`;
}

export const withdrawable = (one: Position) => one.unlockedLiquidity + one.vestedLiquidity;
