import { type StoredAccount, sameBytes } from "./account.ts";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "./well-known.ts";

/** The start of a token account (spl-token `state::Account`, in solana-program/token). */
interface TokenAccount {
  readonly mint: Uint8Array;
  readonly owner: Uint8Array;
  readonly amount: bigint;
}

export interface Mint {
  readonly supply: bigint;
  readonly decimals: number;
}

const ACCOUNT_BYTES = 165;
const MINT_BYTES = 82;
/** With extensions, the byte at 165 is the account's type (spl-token-2022 `AccountType`). */
const TYPE_OFFSET = 165;
const TYPE_MINT = 1;
const TYPE_ACCOUNT = 2;

/** The data of a mint without authorities, supply and decimals: byte 45 says that it is initialized. */
export const MARKER_MINT: Uint8Array = new Uint8Array(MINT_BYTES).fill(1, 45, 46);

export function isTokenProgram(program: Uint8Array): boolean {
  return sameBytes(program, TOKEN_PROGRAM) || sameBytes(program, TOKEN_2022_PROGRAM);
}

/** @returns null unless it is an initialized token account of SPL Token or Token-2022 */
export function readTokenAccount(account: StoredAccount | null): TokenAccount | null {
  const data = dataOf(account, ACCOUNT_BYTES, TYPE_ACCOUNT);
  const state = data?.[108];
  // Initialized, or frozen.
  if (!data || (state !== 1 && state !== 2)) return null;
  const amount = data.readBigUInt64LE(64);
  return { mint: data.subarray(0, 32), owner: data.subarray(32, 64), amount };
}

export function readMint(account: StoredAccount | null): Mint | null {
  const data = dataOf(account, MINT_BYTES, TYPE_MINT);
  if (data?.[45] !== 1) return null;
  return { supply: data.readBigUInt64LE(36), decimals: data.readUInt8(44) };
}

function dataOf(account: StoredAccount | null, bytes: number, type: number): Buffer | null {
  if (account === null || !isTokenProgram(account.owner)) return null;
  const { buffer, byteOffset, length } = account.data;
  const data = Buffer.from(buffer, byteOffset, length);
  return length === bytes || data[TYPE_OFFSET] === type ? data : null;
}
