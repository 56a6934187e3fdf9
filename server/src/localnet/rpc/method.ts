import bs58 from "bs58";
import type { LocalChain } from "../chain.ts";
import type { Allowance } from "./allowance.ts";
import { invalidParam, invalidParams, RPC_CODES, RpcError } from "./rpc-error.ts";

export type Config = Readonly<Record<string, unknown>>;

/** The parameters of one call, checked when they are read. Type errors read as serde's in agave. */
export class Params {
  constructor(private readonly values: readonly unknown[]) {}

  hasString(index: number): boolean {
    return typeof this.values[index] === "string";
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

  /** An object; an empty one if the call leaves it out. */
  config(index: number): Config {
    const value = this.values[index];
    if (value === undefined || value === null) return {};
    if (typeof value !== "object" || Array.isArray(value)) throw wrongType(value, "a map");
    return value as Config;
  }

  address(index: number): Uint8Array {
    return parseAddress(this.string(index));
  }
}

export function asInteger(value: unknown): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw wrongType(value, "u64");
  return value as number;
}

export function parseAddress(text: string): Uint8Array {
  return parseBase58(text, 32, 44);
}

export function parseSignature(text: string): Uint8Array {
  return parseBase58(text, 64, 88);
}

/** The reasons are agave's: `ParsePubkeyError` and `ParseSignatureError` have the same two. */
function parseBase58(text: string, bytes: number, maxLength: number): Uint8Array {
  // Decoding takes time quadratic in the length, so the length is checked first.
  const decoded = text.length > maxLength ? new Uint8Array() : bs58.decodeUnsafe(text);
  if (decoded === undefined) throw invalidParam("Invalid");
  if (decoded.length !== bytes) throw invalidParam("WrongSize");
  return decoded;
}

const COMMITMENTS = ["processed", "confirmed", "finalized"] as const;
type Commitment = (typeof COMMITMENTS)[number];

/** The commitment of a configuration; `finalized` by default, as on a node. */
export function commitmentOf({ commitment }: Config): Commitment {
  const known = COMMITMENTS.find((each) => each === (commitment ?? "finalized"));
  if (known === undefined) throw invalidParams(`unknown variant \`${String(commitment)}\``);
  return known;
}

/** Refuses a call that requires a later slot than its answer would have. */
export function requireMinContextSlot(config: Config, slot: number): void {
  const { minContextSlot } = config;
  if (minContextSlot === undefined || minContextSlot === null) return;
  if (asInteger(minContextSlot) > slot) {
    throw new RpcError(
      RPC_CODES.minContextSlotNotReached,
      "Minimum context slot has not been reached",
      { contextSlot: slot },
    );
  }
}

function wrongType(value: unknown, expected: string): RpcError {
  const kind = value === null || value === undefined ? "null" : typeof value;
  return invalidParams(`invalid type: ${kind}, expected ${expected}`);
}

/** One RPC method. Returns the result, or throws an {@link RpcError}. */
type Method = (chain: LocalChain, params: Params, allowance: Allowance) => unknown;

export type Methods = Readonly<Record<string, Method>>;

/** The answers follow this version of agave. */
export const API_VERSION = "3.0.0";

/** The slot of a call's commitment; accounts are always the latest, as there are no forks. */
export function slotAt(chain: LocalChain, config: Config): number {
  const slot = commitmentOf(config) === "finalized" ? chain.finalizedSlot() : chain.slot();
  requireMinContextSlot(config, slot);
  return slot;
}

/** A value with the slot of its reading, as most methods return it (agave `Response`). */
export function withContext(chain: LocalChain, config: Config, value: unknown) {
  return { context: { slot: slotAt(chain, config), apiVersion: API_VERSION }, value };
}
