import bs58 from "bs58";
import type { AccountChange, StoredAccount } from "../accounts.ts";
import type { LocalChain } from "../chain.ts";

/** Codes of JSON-RPC 2.0, then of Solana's RPC (agave `rpc-client-api/src/custom_error.rs`). */
export const RPC_CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  blockNotAvailable: -32004,
  preflightFailure: -32002,
  unsupportedTransactionVersion: -32015,
  minContextSlotNotReached: -32016,
  filterTransactionNotFound: -32020,
} as const;

export class RpcError extends Error {
  override readonly name = "RpcError";

  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

export function invalidParams(reason: string): RpcError {
  return new RpcError(RPC_CODES.invalidParams, `Invalid params: ${reason}.`);
}

export function refused(text: string): RpcError {
  return new RpcError(RPC_CODES.invalidParams, text);
}

export function invalidParam(reason: string): RpcError {
  return new RpcError(RPC_CODES.invalidParams, `Invalid param: ${reason}`);
}

export type CallConfig = Readonly<Record<string, unknown>>;

/** A call's parameters, checked when they are read. Type errors have the texts of agave's serde. */
export class Params {
  constructor(private readonly values: readonly unknown[]) {}

  has(index: number): boolean {
    return this.values[index] !== undefined && this.values[index] !== null;
  }

  string(index: number): string {
    const value = this.values[index];
    if (typeof value !== "string") throw wrongType(value, "a string");
    return value;
  }

  /** An integer from 0 to 2⁵³ − 1. */
  integer(index: number): number {
    return asInteger(this.values[index]);
  }

  strings(index: number, max: number): string[] {
    const value = this.values[index];
    if (!Array.isArray(value)) throw wrongType(value, "a sequence");
    const texts = value.map((item: unknown) => {
      if (typeof item !== "string") throw wrongType(item, "a string");
      return item;
    });
    if (texts.length > max) {
      throw new RpcError(RPC_CODES.invalidParams, `Too many inputs provided; max ${max}`);
    }
    return texts;
  }

  config(index: number): CallConfig {
    const value = this.values[index];
    if (value === undefined || value === null) return {};
    if (typeof value !== "object" || Array.isArray(value)) throw wrongType(value, "a map");
    return value as CallConfig;
  }

  address(index: number): Uint8Array {
    return parseAddress(this.string(index));
  }

  signature(index: number): string {
    const text = this.string(index);
    decodeSignature(text);
    return text;
  }
}

export function asInteger(value: unknown): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw wrongType(value, "u64");
  return value as number;
}

export const parseAddress = (text: string) => parseBase58(text, 32, 44);

export const decodeSignature = (text: string) => parseBase58(text, 64, 88);

/** Uses agave's reasons: `ParsePubkeyError` and `ParseSignatureError` have the same two. */
function parseBase58(text: string, bytes: number, maxLength: number): Uint8Array {
  // Decoding takes quadratic time, so the length is checked first.
  const decoded = text.length > maxLength ? new Uint8Array() : bs58.decodeUnsafe(text);
  if (decoded === undefined) throw invalidParam("Invalid");
  if (decoded.length !== bytes) throw invalidParam("WrongSize");
  return decoded;
}

const COMMITMENTS = ["processed", "confirmed", "finalized"] as const;
type Commitment = (typeof COMMITMENTS)[number];

/** Returns a configuration's commitment; `finalized` if absent or unknown, as on a node. */
function commitmentOf({ commitment }: CallConfig): Commitment {
  return COMMITMENTS.find((each) => each === commitment) ?? "finalized";
}

/** Returns the configuration of a history method. @throws {RpcError} it names `processed` */
export function requireConfirmed(config: CallConfig): CallConfig {
  if (commitmentOf(config) !== "processed") return config;
  throw refused("Method does not support commitment below `confirmed`");
}

function wrongType(value: unknown, expected: string): RpcError {
  const kind = value === null || value === undefined ? "null" : typeof value;
  return invalidParams(`invalid type: ${kind}, expected ${expected}`);
}

/** Refuses an encoding: `jsonParsed` needs parsers of programs, and base58 takes quadratic time. */
export function notOffered(encodings: string): RpcError {
  return refused(`Of the encodings this chain offers ${encodings} alone`);
}

type Method = (chain: LocalChain, params: Params, allowance: Allowance) => unknown;

export type Methods = Readonly<Record<string, Method>>;

/** The version of agave that the answers follow. */
export const API_VERSION = "3.0.0";

/** Returns the slot of a call's commitment. Accounts are always the latest: there are no forks. */
export function slotAt(chain: LocalChain, config: CallConfig): number {
  const current = chain.slot();
  const slot = commitmentOf(config) === "finalized" ? chain.slots.finalized : current;
  const { minContextSlot } = config;
  if (minContextSlot != null && asInteger(minContextSlot) > slot) {
    const text = "Minimum context slot has not been reached";
    throw new RpcError(RPC_CODES.minContextSlotNotReached, text, { contextSlot: slot });
  }
  return slot;
}

export function withContext(chain: LocalChain, config: CallConfig, value: unknown) {
  return { context: { slot: slotAt(chain, config), apiVersion: API_VERSION }, value };
}

/** The most accounts that a call may scan, and their bytes: about half a second. */
const MAX_SCANNED_ACCOUNTS = 100_000;
const MAX_SCANNED_BYTES = 256 * 1_024 * 1_024;
/** The most bytes in an answer: enough for the largest possible account, 10 MiB, in base64. */
const MAX_ANSWER_BYTES = 16 * 1_024 * 1_024;
/** The approximate bytes of an account in an answer, without its data. */
const ACCOUNT_BYTES = 512;

/** What is left of what one call may cost. */
export class Allowance {
  #scans = MAX_SCANNED_ACCOUNTS;
  #scannedBytes = MAX_SCANNED_BYTES;
  #bytes = MAX_ANSWER_BYTES;

  *scan(accounts: Iterable<AccountChange>): Generator<AccountChange> {
    for (const change of accounts) {
      this.#scans -= 1;
      this.#scannedBytes -= change.account.data.length;
      if (this.#scans < 0 || this.#scannedBytes < 0) {
        throw tooMuch(
          `The request would scan more than ${MAX_SCANNED_ACCOUNTS} accounts or ${MAX_SCANNED_BYTES} bytes: request less at a time`,
        );
      }
      yield change;
    }
  }

  countAccount(account: StoredAccount | null): void {
    this.countBytes(ACCOUNT_BYTES + Math.ceil(((account?.data.length ?? 0) * 4) / 3));
  }

  countBytes(bytes: number): void {
    this.#bytes -= bytes;
    if (this.#bytes < 0) {
      throw tooMuch(
        `The answer would be larger than ${MAX_ANSWER_BYTES} bytes: request less at a time`,
      );
    }
  }
}

function tooMuch(text: string): RpcError {
  return new RpcError(RPC_CODES.invalidRequest, text);
}
