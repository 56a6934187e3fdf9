import bs58 from "bs58";
import { ByteReader } from "../wire-transaction.ts";
import { decode, encode, offsetOf, type Struct, sizeOf, type Type, type ValueOf } from "./codec.ts";
import { ASSOCIATED_TOKEN } from "./ids.ts";

/** A program as data. Names are those of its interface; fields and accounts are in camel case. */
export interface Program {
  /** Its address, base58. */
  readonly id: string;
  readonly name: string;
  readonly instructions: Readonly<Record<string, Instruction>>;
  readonly accounts: Readonly<Record<string, Layout>>;
  /** The errors that users can cause, in words, by the code of `custom program error`. */
  readonly errors: Readonly<Record<number, string>>;
}

export interface Instruction {
  /** The first bytes of the instruction's data. */
  readonly tag: readonly number[];
  readonly args: Struct;
  /** In the interface's order. */
  readonly accounts: Readonly<Record<string, Role | Known>>;
}

/** `s`: signer. `w`: writable. `?`: optional; the program's own address means none. */
type Role = "" | "s" | "w" | "ws" | "?w" | "?ws";

/** An account that the caller may omit: a constant, or an address derived from other accounts. */
interface Known {
  readonly role: Role;
  readonly address?: string;
  /** `of` has the names of other accounts. */
  readonly seeds?: {
    readonly program: string;
    readonly label: string | null;
    readonly of: readonly string[];
  };
}

export interface Layout {
  /** The first bytes of the account's data; empty for SPL Token. */
  readonly tag: readonly number[];
  readonly fields: Struct;
  /** Padding where earlier versions stored data. */
  readonly formerly?: readonly string[];
}

export function at(address: string, role: Role = "") {
  return { role, address } as const;
}

export function pda(program: string, label: string | null, ...of: readonly string[]) {
  return { role: "w", seeds: { program, label, of } } as const;
}

type Optional<A> = {
  [N in keyof A]: A[N] extends Known | `?${string}` ? N : never;
}[keyof A];

export type InstructionName<P extends Program> = keyof P["instructions"] & string;

/** The required and the optional accounts; base58. */
export type Given<P extends Program, N extends InstructionName<P>> = P["instructions"][N] extends {
  readonly accounts: infer A;
}
  ? { readonly [R in Exclude<keyof A, Optional<A>>]: string } & {
      readonly [O in Optional<A>]?: string | undefined;
    }
  : never;

export type Args<P extends Program, N extends InstructionName<P>> = P["instructions"][N] extends {
  readonly args: infer A;
}
  ? ValueOf<A>
  : never;

export interface AccountMeta {
  /** The interface's name. */
  readonly name: string;
  readonly address: string;
  readonly isSigner: boolean;
  readonly isWritable: boolean;
}

/** An instruction with everything that its program receives. */
export interface BuiltInstruction {
  readonly name: string;
  /** Base58, like all addresses. */
  readonly program: string;
  readonly accounts: readonly AccountMeta[];
  readonly data: Uint8Array;
}

/** Solana's `Pubkey::find_program_address`. */
export type FindAddress = (seeds: readonly Uint8Array[], program: Uint8Array) => Uint8Array;

const MOST_FOUND = 1_000;

/** Derives addresses and builds instructions. The caller provides the search for an address. */
export class InstructionBuilder {
  /** Each search takes about a millisecond, and a claim needs the same few addresses many times. */
  readonly #found = new Map<string, string>();

  constructor(private readonly find: FindAddress) {}

  /** Returns a program's address derived from a label, if any, and addresses; all in base58. */
  derived(program: string, label: string | null, ...addresses: readonly string[]): string {
    const key = [program, label, ...addresses].join();
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const seeds = addresses.map(bs58.decode);
    const all = label === null ? seeds : [new TextEncoder().encode(label), ...seeds];
    const address = bs58.encode(this.find(all, bs58.decode(program)));
    if (this.#found.size === MOST_FOUND) this.#found.clear();
    this.#found.set(key, address);
    return address;
  }

  associated(wallet: string, mint: string, tokenProgram: string): string {
    return this.derived(ASSOCIATED_TOKEN, null, wallet, tokenProgram, mint);
  }

  /** Returns the address of a Meteora pool. Its seeds have the greater mint first. */
  poolAddress(program: string, config: string, mints: readonly [string, string]): string {
    const sorted = mints.map(bs58.decode).sort((one, other) => compare(other, one));
    return this.derived(program, "pool", config, ...sorted.map(bs58.encode));
  }

  /** @param more readonly accounts after those of the interface */
  build<P extends Program, N extends InstructionName<P>>(
    program: P,
    name: N,
    given: Given<P, N>,
    args: Args<P, N>,
    more: readonly string[] = [],
  ): BuiltInstruction {
    const { tag, args: fields, accounts } = program.instructions[name] as Instruction;
    const known: Record<string, string | undefined> = { ...given };
    const addressOf = (account: string): string => {
      const entry = accounts[account];
      const source = typeof entry === "object" ? entry : undefined;
      known[account] ??=
        source?.address ??
        (source?.seeds &&
          this.derived(
            source.seeds.program,
            source.seeds.label,
            ...source.seeds.of.map(addressOf),
          ));
      const address = known[account];
      if (address === undefined) throw new Error(`${name} lacks ${account}`);
      return address;
    };
    const metas = Object.entries(accounts).map(([account, entry]): AccountMeta => {
      const role = typeof entry === "object" ? entry.role : entry;
      if (role.startsWith("?") && known[account] === undefined)
        return readOnly(account, program.id);
      const [isSigner, isWritable] = [role.includes("s"), role.includes("w")];
      return { name: account, address: addressOf(account), isSigner, isWritable };
    });
    return {
      name,
      program: program.id,
      accounts: [...metas, ...more.map((one) => readOnly("further account", one))],
      data: Uint8Array.from([...tag, ...encode(fields, args as ValueOf<Struct>)]),
    };
  }
}

function compare(one: Uint8Array, other: Uint8Array): number {
  const at = one.findIndex((byte, index) => byte !== other[index]);
  return (one[at] ?? 0) - (other[at] ?? 0);
}

function readOnly(name: string, address: string): AccountMeta {
  return { name, address, isSigner: false, isWritable: false };
}

const startsWith = (data: Uint8Array, tag: readonly number[]) =>
  data.length >= tag.length && tag.every((byte, index) => data[index] === byte);

export interface ReadInstruction {
  readonly name: string;
  /** By the interface's account names. */
  readonly accounts: Readonly<Record<string, string>>;
  /** The accounts after those of the interface. */
  readonly more: readonly string[];
  readonly args: Readonly<Record<string, unknown>>;
}

/** Returns null if the table lacks it. @throws {RangeError} if accounts or data do not match */
export function readInstruction(
  { instructions }: Program,
  accounts: readonly string[],
  data: Uint8Array,
): ReadInstruction | null {
  const found = Object.entries(instructions).find(([, { tag }]) => startsWith(data, tag));
  if (!found) return null;
  const [name, { tag, args, accounts: roles }] = found;
  const names = Object.keys(roles);
  if (accounts.length < names.length) {
    throw new RangeError(`${name} has ${accounts.length} accounts instead of ${names.length}`);
  }
  const reader = new ByteReader(data.subarray(tag.length));
  const read = decode(args, reader);
  reader.end();
  const named = Object.fromEntries(names.map((one, place) => [one, accounts[place] as string]));
  return { name, accounts: named, more: accounts.slice(names.length), args: read };
}

export type AccountOf<P extends Program, K extends keyof P["accounts"]> = P["accounts"][K] extends {
  readonly fields: infer F;
}
  ? ValueOf<F>
  : never;

/**
 * Reads an account. It may be longer than its layout, because programs add new fields at the end.
 * @throws {RangeError} if it belongs to another program, is of another kind, or is too short
 */
export function readAccount<P extends Program, K extends keyof P["accounts"] & string>(
  program: P,
  kind: K,
  { owner, data }: { readonly owner: { toString(): string }; readonly data: Uint8Array },
): AccountOf<P, K> {
  const { tag, fields } = program.accounts[kind] as Layout;
  if (String(owner) !== program.id) {
    throw new RangeError(`it belongs to ${owner}, not to ${program.id}`);
  }
  if (!startsWith(data, tag)) throw new RangeError(`it is not a ${kind}`);
  return decode(fields, data.subarray(tag.length)) as AccountOf<P, K>;
}

/** Returns whether every byte is understood: later versions may use the padding or add fields. */
export function isFullyKnown({ tag, fields, formerly = [] }: Layout, data: Uint8Array): boolean {
  const known = [...tag, ...encode(fields, decode(fields, data.subarray(tag.length)))];
  for (const name of formerly) {
    const from = tag.length + offsetOf(fields, name);
    const to = from + sizeOf(fields[name] as Type);
    known.splice(from, to - from, ...data.subarray(from, to));
  }
  return known.length === data.length && known.every((byte, index) => byte === data[index]);
}
