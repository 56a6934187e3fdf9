import { formatSol } from "@tokenctl/shared/sol";
import type { ByteReader } from "@tokenctl/shared/wire-transaction";
import { accountNames as associatedNames } from "../claim-check/associated-token.ts";
import { tokenInstructionName } from "../claim-check/token.ts";
import { addressIn, type Explainer, type Form, type MintOf, type Names, wordsOf } from "./words.ts";

// Explains the programs that belong to Solana itself. Forms are found by the tag of an instruction.

type Forms = Readonly<Record<number, Form>>;

/** Source: Solana's `ComputeBudgetInstruction`. */
const computeBudget: Forms = {
  1: setting("RequestHeapFrame", 4, (value) => `Asks for ${value} bytes of memory`),
  2: setting("SetComputeUnitLimit", 4, (value) => `Allows at most ${value} compute units`),
  3: setting(
    "SetComputeUnitPrice",
    8,
    (value) => `Offers ${value} millionths of a lamport for each compute unit`,
  ),
  4: setting("SetLoadedAccountsDataSizeLimit", 4, (value) => `Loads at most ${value} bytes`),
};

function setting(name: string, bytes: number, text: (value: bigint) => string): Form {
  return { name, accounts: 0, words: (_, data) => ({ text: text(data.uint(bytes)) }) };
}

/** Source: Solana's `SystemInstruction`. */
const system: Forms = {
  0: { name: "CreateAccount", accounts: 2, words: createsAccount },
  1: {
    name: "Assign",
    accounts: 1,
    words: ([account = ""], data, { names }) => ({
      text: `Gives ${names.of(account)} to program ${addressIn(data)}, which may then take its SOL`,
    }),
  },
  2: {
    name: "Transfer",
    accounts: 2,
    words: ([from = "", to = ""], data, { names }) => {
      const amount = data.uint(8);
      const text = `Transfers ${formatSol(amount)} SOL from ${names.of(from)} to ${names.of(to)}`;
      return { text, moves: [{ asset: "SOL", amount, from, to }] };
    },
  },
  3: {
    name: "CreateAccountWithSeed",
    accounts: 2,
    words: (accounts, data, told) => {
      // The base, and the seed.
      data.take(32);
      data.take(Number(data.uint(8)));
      return createsAccount(accounts, data, told);
    },
  },
  4: {
    name: "AdvanceNonceAccount",
    accounts: 3,
    words: ([account = ""]) => ({
      text: `Advances the nonce of ${account}; as first instruction, it keeps the transaction valid until then`,
    }),
  },
};

function createsAccount(
  [from = "", to = ""]: readonly string[],
  data: ByteReader,
  { names }: { readonly names: Names },
) {
  const [amount, space] = [data.uint(8), data.uint(8)];
  const what = `account ${to} of ${space} bytes for program ${addressIn(data)}`;
  const text = `Makes ${what}, with ${formatSol(amount)} SOL from ${names.of(from)}`;
  return { text, moves: [{ asset: "SOL", amount, from, to }] };
}

/** Source: the Associated Token Account program's `AssociatedTokenAccountInstruction`. */
const associatedToken: Forms = {
  0: makesAccount("Create", ""),
  1: makesAccount("CreateIdempotent", " unless it exists"),
};

function makesAccount(name: string, condition: string): Form {
  return {
    name,
    accounts: associatedNames.length,
    words: ([payer = "", account = "", owner = "", mint = ""], _, { names }) => {
      names.isAccountOf(account, owner, mint);
      const text = `Makes ${names.of(account)}${condition}; ${names.of(payer)} pays its rent`;
      return { text, moves: [{ asset: "SOL", amount: null, from: payer, to: account }] };
    },
  };
}

/** What the holder of an authority may do. Source: spl-token 0.4, `AuthorityType`. */
const AUTHORITIES = ["may mint", "may freeze accounts of", "owns", "may close"];

/** By spl-token's names. Token-2022 has the same. */
const token: Readonly<Record<string, Omit<Form, "name">>> = {
  Transfer: transfers(false),
  TransferChecked: transfers(true),
  Approve: approves(false),
  ApproveChecked: approves(true),
  Revoke: {
    accounts: 2,
    words: ([account = ""], _, { names }) => ({
      text: `Lets no other wallet take from ${names.of(account)} any more`,
    }),
  },
  SetAuthority: {
    accounts: 2,
    words: ([account = ""], data, { names }) => {
      const kind = data.byte();
      const may = AUTHORITIES[kind] ?? `has authority ${kind} over`;
      return { text: `From then on ${authorityIn(data, names)} ${may} ${names.of(account)}` };
    },
  },
  MintTo: {
    accounts: 3,
    words: ([mint = "", to = ""], data, { names }) => {
      const amount = data.uint(8);
      const text = `Mints ${names.amount(amount, mint)} into ${names.of(to)}`;
      return { text, moves: [{ asset: mint, amount, from: mint, to }] };
    },
  },
  CloseAccount: {
    accounts: 3,
    words: ([account = "", to = ""], _, { names }) => ({
      text: `Closes ${names.of(account)} and pays its SOL, wrapped or not, to ${names.of(to)}`,
      moves: [{ asset: "SOL", amount: null, from: account, to }],
    }),
  },
  SyncNative: {
    accounts: 1,
    words: ([account = ""], _, { names }) => ({
      text: `Counts SOL that was sent to ${names.of(account)} as wrapped SOL`,
    }),
  },
  InitializeAccount3: {
    accounts: 2,
    words: ([account = "", mint = ""], data, { names }) => {
      names.isAccountOf(account, addressIn(data), mint);
      return { text: `Makes account ${account} into ${names.of(account)}` };
    },
  },
  InitializeMint2: {
    accounts: 1,
    words: ([mint = ""], data, { names }) => {
      const decimals = data.byte();
      const minter = names.of(addressIn(data));
      const freezer = authorityIn(data, names);
      const who = `${minter} may mint it, ${freezer} may freeze its accounts`;
      return { text: `Makes token ${mint} with ${decimals} decimals: ${who}` };
    },
  },
};

function authorityIn(data: ByteReader, names: Names): string {
  return data.byte() === 0 ? "no one" : names.of(addressIn(data));
}

/** @param isChecked whether the mint is the second account, and its decimals follow the amount */
function transfers(isChecked: boolean): Omit<Form, "name"> {
  return {
    accounts: isChecked ? 4 : 3,
    words: (accounts, data, { names, program }) => {
      const { amount, mint: named, from, to } = amountOf(accounts, data, isChecked);
      const mints: MintOf[] | undefined = named === null ? undefined : [[named, program]];
      const [source, receiver] = [names.of(from, mints), names.of(to, mints)];
      // Both accounts have the same mint.
      const mint = named ?? names.mintOf(from) ?? names.mintOf(to);
      if (from === to) {
        const text = `Moves nothing: fails unless ${source} holds ${names.amount(amount, mint)}`;
        return { text, moves: [] };
      }
      const text = `Transfers ${names.amount(amount, mint)} from ${source} to ${receiver}`;
      return { text, moves: [{ asset: mint, amount, from, to }] };
    },
  };
}

function approves(isChecked: boolean): Omit<Form, "name"> {
  return {
    accounts: isChecked ? 4 : 3,
    words: (accounts, data, { names }) => {
      const { amount, mint, from, to } = amountOf(accounts, data, isChecked);
      const what = `${names.amount(amount, mint)} from ${names.of(from)}`;
      const text = `Lets ${names.of(to)} take ${what} at any time`;
      return { text, moves: [{ asset: mint, amount, from, to }] };
    },
  };
}

function amountOf(accounts: readonly string[], data: ByteReader, isChecked: boolean) {
  const amount = data.uint(8);
  const [from = "", second = "", third = ""] = accounts;
  if (!isChecked) return { amount, mint: null, from, to: second };
  data.byte();
  return { amount, mint: second, from, to: third };
}

function byTag(forms: Forms, tagBytes: number): Explainer {
  return (told) => {
    if (told.data.length < tagBytes) return null;
    const tag = told.data.subarray(0, tagBytes).reduceRight((sum, byte) => sum * 256 + byte, 0);
    return wordsOf(forms[tag], told, tagBytes);
  };
}

export const explainComputeBudget = byTag(computeBudget, 1);
export const explainSystem = byTag(system, 4);

/** The program treats an instruction without data as Create. */
export const explainAssociatedToken: Explainer = (told) =>
  byTag(associatedToken, 1)(told.data.length === 0 ? { ...told, data: Uint8Array.of(0) } : told);

export const explainToken: Explainer = (told) => {
  const name = tokenInstructionName(told.data[0]);
  const form = token[name];
  return form ? wordsOf({ name, ...form }, told, 1) : null;
};
