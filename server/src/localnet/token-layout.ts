import type { StoredAccount } from "./account.ts";
import { sameBytes } from "./bytes.ts";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "./well-known.ts";

/** The start of a token account (spl-token `state::Account`, in solana-program/token). */
export interface TokenAccount {
  readonly mint: Uint8Array;
  readonly owner: Uint8Array;
  readonly amount: bigint;
  readonly delegate: Uint8Array | null;
  readonly state: "initialized" | "frozen";
  /** The lamports reserved for rent if the account holds wrapped SOL; otherwise null. */
  readonly nativeReserve: bigint | null;
  readonly delegatedAmount: bigint;
  readonly closeAuthority: Uint8Array | null;
}

/** The start of a mint (spl-token `state::Mint`, in solana-program/token). */
export interface Mint {
  readonly mintAuthority: Uint8Array | null;
  readonly supply: bigint;
  readonly decimals: number;
  readonly freezeAuthority: Uint8Array | null;
}

const ACCOUNT_BYTES = 165;
const MINT_BYTES = 82;
/** With extensions, the byte at 165 is the account's type (spl-token-2022 `AccountType`). */
const TYPE_OFFSET = 165;
const TYPE_MINT = 1;
const TYPE_ACCOUNT = 2;

export function isTokenProgram(program: Uint8Array): boolean {
  return sameBytes(program, TOKEN_PROGRAM) || sameBytes(program, TOKEN_2022_PROGRAM);
}

/** @returns null if it is no initialized token account of SPL Token or Token-2022 */
export function readTokenAccount(account: StoredAccount | null): TokenAccount | null {
  if (account === null) return null;
  const { owner, data } = account;
  if (!isTokenProgram(owner) || !hasType(data, ACCOUNT_BYTES, TYPE_ACCOUNT)) return null;
  const state = data[108];
  if (state !== 1 && state !== 2) return null;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return {
    mint: data.subarray(0, 32),
    owner: data.subarray(32, 64),
    amount: view.getBigUint64(64, true),
    delegate: optionalKey(view, data, 72),
    state: state === 2 ? "frozen" : "initialized",
    nativeReserve: view.getUint32(109, true) === 1 ? view.getBigUint64(113, true) : null,
    delegatedAmount: view.getBigUint64(121, true),
    closeAuthority: optionalKey(view, data, 129),
  };
}

/** @returns null if it is no initialized mint of SPL Token or Token-2022 */
export function readMint(account: StoredAccount | null): Mint | null {
  if (account === null) return null;
  const { owner, data } = account;
  if (!isTokenProgram(owner) || !hasType(data, MINT_BYTES, TYPE_MINT)) return null;
  if (data[45] !== 1) return null;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return {
    mintAuthority: optionalKey(view, data, 0),
    supply: view.getBigUint64(36, true),
    decimals: data[44] ?? 0,
    freezeAuthority: optionalKey(view, data, 46),
  };
}

function hasType(data: Uint8Array, bytes: number, type: number): boolean {
  return data.length === bytes || (data.length > TYPE_OFFSET && data[TYPE_OFFSET] === type);
}

function optionalKey(view: DataView, data: Uint8Array, offset: number): Uint8Array | null {
  return view.getUint32(offset, true) === 1 ? data.subarray(offset + 4, offset + 36) : null;
}
