import bs58 from "bs58";
import { ADDRESS_BYTES, ByteReader } from "../wire-transaction.ts";

/*
 * Reads and writes accounts and arguments of programs in Borsh: little-endian integers, texts and
 * lists after their length (u32), options after a byte. A type is data, so reading and writing
 * share one table.
 */

const UINT_BYTES = { u8: 1, u16: 2, u32: 4, u64: 8, u128: 16, u256: 32 } as const;
const LENGTH_BYTES = { string: 4, string64: 8 } as const;
/** Keeps the invisible U+FEFF at the start: without it, a text would look like another. */
const TEXT = new TextDecoder("utf-8", { ignoreBOM: true });

interface Primitives {
  readonly u8: number;
  readonly u16: number;
  readonly u32: number;
  readonly u64: bigint;
  readonly u128: bigint;
  readonly u256: bigint;
  readonly bool: boolean;
  /** Base58. */
  readonly pubkey: string;
  readonly string: string;
  /** With a length of 64 bits, as Solana's own programs write it. */
  readonly string64: string;
}

export type Type =
  | keyof Primitives
  | readonly ["bytes", number]
  | readonly ["array", Type, number]
  | readonly ["vec" | "option" | "coption", Type]
  | Struct;

/** Fields in order. A name that begins with `_` is padding: written as zeros, skipped when read. */
export interface Struct {
  readonly [field: string]: Type;
}

export type ValueOf<T> = T extends keyof Primitives
  ? Primitives[T]
  : T extends readonly ["bytes", number]
    ? Uint8Array
    : T extends readonly ["array" | "vec", infer Item, ...unknown[]]
      ? readonly ValueOf<Item>[]
      : T extends readonly ["option" | "coption", infer Some]
        ? ValueOf<Some> | null
        : { readonly [F in keyof T as F extends `_${string}` ? never : F]: ValueOf<T[F]> };

type Words<S extends string> = S extends `${infer First} ${infer Rest}` ? First | Words<Rest> : S;

/** Returns neighbouring fields of the same type, from names that are separated by spaces. */
export function all<const T, S extends string>(same: T, names: S): { readonly [N in Words<S>]: T } {
  return Object.fromEntries(names.split(" ").map((name) => [name, same])) as never;
}

/** @throws {RangeError} if a number is too large for its type */
export function encode<T extends Type>(type: T, value: ValueOf<T>): Uint8Array {
  const bytes: number[] = [];
  write(bytes, type, value);
  return Uint8Array.from(bytes);
}

/** @throws {RangeError} if the bytes end too early or contain no such value */
export function decode<T extends Type>(type: T, from: Uint8Array | ByteReader): ValueOf<T> {
  return read(from instanceof ByteReader ? from : new ByteReader(from), type) as ValueOf<T>;
}

/** Returns the number of bytes of a type with a fixed size. */
export function sizeOf(type: Type): number {
  if (typeof type === "string") {
    if (type === "pubkey") return ADDRESS_BYTES;
    if (type === "bool") return 1;
    if (type in UINT_BYTES) return UINT_BYTES[type as keyof typeof UINT_BYTES];
  } else if (isStruct(type)) {
    return Object.values(type).reduce((sum, field) => sum + sizeOf(field), 0);
  } else if (type[0] === "bytes") return type[1];
  else if (type[0] === "array") return type[2] * sizeOf(type[1]);
  else if (type[0] === "coption") return UINT_BYTES.u32 + sizeOf(type[1]);
  throw new RangeError(`${String(type)} has no fixed size`);
}

export function offsetOf<S extends Struct>(struct: S, field: keyof S & string): number {
  const names = Object.keys(struct);
  const before = names.slice(0, names.indexOf(field));
  return before.reduce((sum, name) => sum + sizeOf(struct[name] as Type), 0);
}

function isStruct(type: Type): type is Struct {
  return typeof type === "object" && !Array.isArray(type);
}

function read(reader: ByteReader, type: Type): unknown {
  if (typeof type === "string") {
    if (type === "pubkey") return bs58.encode(reader.take(ADDRESS_BYTES));
    if (type === "bool") return flag(reader, 1);
    if (type === "string" || type === "string64") {
      return TEXT.decode(reader.take(Number(reader.uint(LENGTH_BYTES[type]))));
    }
    return numberIn(reader.take(UINT_BYTES[type]));
  }
  if (isStruct(type)) {
    const fields = Object.entries(type).map(
      ([name, field]) => [name, read(reader, field)] as const,
    );
    return Object.fromEntries(fields.filter(([name]) => !name.startsWith("_")));
  }
  switch (type[0]) {
    case "bytes":
      return reader.take(type[1]);
    case "array":
      return Array.from({ length: type[2] }, () => read(reader, type[1]));
    case "vec":
      return Array.from({ length: Number(reader.uint(UINT_BYTES.u32)) }, () =>
        read(reader, type[1]),
      );
    case "option":
      return flag(reader, 1) ? read(reader, type[1]) : null;
    case "coption": {
      if (flag(reader, UINT_BYTES.u32)) return read(reader, type[1]);
      reader.take(sizeOf(type[1]));
      return null;
    }
  }
}

/** Returns a bigint above four bytes. Reads words, because pools have dozens of numbers. */
function numberIn(bytes: Uint8Array): number | bigint {
  const word = (at: number, count: number) => {
    let value = 0;
    for (let byte = count - 1; byte >= 0; byte--) value = value * 256 + (bytes[at + byte] ?? 0);
    return value;
  };
  if (bytes.length <= 4) return word(0, bytes.length);
  let value = 0n;
  for (let at = bytes.length - 4; at >= 0; at -= 4) value = (value << 32n) | BigInt(word(at, 4));
  return value;
}

function flag(reader: ByteReader, bytes: number): boolean {
  const value = reader.uint(bytes);
  if (value > 1n) throw new RangeError(`${value} is neither 0 nor 1`);
  return value === 1n;
}

function write(bytes: number[], type: Type, value: unknown): void {
  if (typeof type === "string") {
    if (type === "pubkey") bytes.push(...bs58.decode(value as string));
    else if (type === "bool") bytes.push(value ? 1 : 0);
    else if (type === "string" || type === "string64") {
      const text = new TextEncoder().encode(value as string);
      write(bytes, type === "string" ? "u32" : "u64", text.length);
      bytes.push(...text);
    } else {
      const size = UINT_BYTES[type];
      const number = BigInt(value as bigint | number);
      if (BigInt.asUintN(8 * size, number) !== number)
        throw new RangeError(`${number} is no ${type}`);
      for (let at = 0; at < size; at++) bytes.push(Number((number >> BigInt(8 * at)) & 0xffn));
    }
  } else if (isStruct(type)) {
    for (const [name, field] of Object.entries(type)) {
      if (name.startsWith("_")) for (let left = sizeOf(field); left > 0; left--) bytes.push(0);
      else write(bytes, field, (value as Record<string, unknown>)[name]);
    }
  } else if (type[0] === "bytes") {
    const given = value as Uint8Array;
    if (given.length !== type[1])
      throw new RangeError(`${given.length} bytes instead of ${type[1]}`);
    bytes.push(...given);
  } else if (type[0] === "array" || type[0] === "vec") {
    const items = value as readonly unknown[];
    if (type[0] === "vec") write(bytes, "u32", items.length);
    else if (items.length !== type[2]) {
      throw new RangeError(`${items.length} items instead of ${type[2]}`);
    }
    for (const item of items) write(bytes, type[1], item);
  } else {
    write(bytes, type[0] === "option" ? "u8" : "u32", value === null ? 0 : 1);
    if (value !== null) write(bytes, type[1], value);
    else if (type[0] === "coption")
      for (let left = sizeOf(type[1]); left > 0; left--) bytes.push(0);
  }
}
