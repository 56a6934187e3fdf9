import { ByteReader } from "../wire-transaction.ts";
import { all, decode, sizeOf, type ValueOf } from "./codec.ts";
import * as ids from "./ids.ts";
import type { Program } from "./program.ts";

const AMOUNT = { amount: "u64" } as const;
const CHECKED = { amount: "u64", decimals: "u8" } as const;
const OF_MINT = { account: "w", mint: "w", owner: "s" } as const;
const MINTING = { mint: "w", account: "w", owner: "s" } as const;

const ACCOUNT = {
  ...all("pubkey", "mint owner"),
  amount: "u64",
  delegate: ["coption", "pubkey"],
  /** 0 if uninitialized, 2 if frozen. */
  state: "u8",
  isNative: ["coption", "u64"],
  delegatedAmount: "u64",
  closeAuthority: ["coption", "pubkey"],
} as const;
const MINT = {
  mintAuthority: ["coption", "pubkey"],
  supply: "u64",
  decimals: "u8",
  isInitialized: "bool",
  freezeAuthority: ["coption", "pubkey"],
} as const;

/** A multisig owner does not sign: its signers do. Source: spl-token 0.4, `TokenInstruction`. */
export const token = {
  id: ids.TOKEN,
  name: "SPL Token",
  instructions: {
    Transfer: { tag: [3], args: AMOUNT, accounts: { source: "w", destination: "w", owner: "s" } },
    Approve: { tag: [4], args: AMOUNT, accounts: { source: "w", delegate: "", owner: "s" } },
    Revoke: { tag: [5], args: {}, accounts: { source: "w", owner: "s" } },
    SetAuthority: {
      tag: [6],
      args: { kind: "u8", authority: ["option", "pubkey"] },
      accounts: { account: "w", owner: "s" },
    },
    MintTo: { tag: [7], args: AMOUNT, accounts: MINTING },
    Burn: { tag: [8], args: AMOUNT, accounts: OF_MINT },
    CloseAccount: {
      tag: [9],
      args: {},
      accounts: { ...all("w", "account destination"), owner: "s" },
    },
    FreezeAccount: { tag: [10], args: {}, accounts: { ...OF_MINT, mint: "" } },
    ThawAccount: { tag: [11], args: {}, accounts: { ...OF_MINT, mint: "" } },
    TransferChecked: {
      tag: [12],
      args: CHECKED,
      accounts: { source: "w", mint: "", destination: "w", owner: "s" },
    },
    ApproveChecked: {
      tag: [13],
      args: CHECKED,
      accounts: { source: "w", mint: "", delegate: "", owner: "s" },
    },
    MintToChecked: { tag: [14], args: CHECKED, accounts: MINTING },
    BurnChecked: { tag: [15], args: CHECKED, accounts: OF_MINT },
    SyncNative: { tag: [17], args: {}, accounts: { account: "w" } },
    InitializeAccount3: {
      tag: [18],
      args: { owner: "pubkey" },
      accounts: { account: "w", mint: "" },
    },
    InitializeMint2: {
      tag: [20],
      args: { decimals: "u8", mintAuthority: "pubkey", freezeAuthority: ["option", "pubkey"] },
      accounts: { mint: "w" },
    },
    AmountToUiAmount: { tag: [23], args: AMOUNT, accounts: { mint: "" } },
  },
  accounts: { Account: { tag: [], fields: ACCOUNT }, Mint: { tag: [], fields: MINT } },
  errors: {
    0: "an account would hold less SOL than the chain requires of it",
    1: "an account holds less than it should pay",
    4: "an account has another owner than the wallet",
    17: "an account is frozen",
  },
} as const satisfies Program;

const ON_MINT = { mint: "w" } as const;

/**
 * SPL Token's instructions, accounts and errors, and those of Token-2022's own instructions that
 * name who gets power over a mint or an account. Source: `TokenInstruction` of spl-token-2022.
 */
export const token2022 = {
  ...token,
  id: ids.TOKEN_2022,
  name: "Token-2022",
  instructions: {
    ...token.instructions,
    InitializeMintCloseAuthority: {
      tag: [25],
      args: { authority: ["option", "pubkey"] },
      accounts: ON_MINT,
    },
    InitializePermanentDelegate: { tag: [35], args: { delegate: "pubkey" }, accounts: ON_MINT },
    TransferHookInitialize: {
      tag: [36, 0],
      args: { ...all("pubkey", "authority hookProgram") },
      accounts: ON_MINT,
    },
    TransferHookUpdate: {
      tag: [36, 1],
      args: { hookProgram: "pubkey" },
      accounts: { mint: "w", authority: "s" },
    },
    WithdrawExcessLamports: {
      tag: [38],
      args: {},
      accounts: { ...all("w", "account destination"), owner: "s" },
    },
  },
} as const satisfies Program;

/** The length of a multisig account. No account with extensions has it. */
const MULTISIG_BYTES = 355;
/** Token-2022 stores an account's kind here, after the longest account without extensions. */
const KIND_AT = sizeOf(ACCOUNT);
const KINDS = { Mint: 1, Account: 2 } as const;

interface Found {
  readonly owner: { toString(): string };
  readonly data: Uint8Array;
}

function fieldsOf(found: Found | null | undefined, kind: keyof typeof KINDS): Uint8Array | null {
  if (!found) return null;
  const { data } = found;
  const program = String(found.owner);
  if (program !== ids.TOKEN && program !== ids.TOKEN_2022) return null;
  if (data.length === sizeOf(token.accounts[kind].fields)) return data;
  const isExtended = program === ids.TOKEN_2022 && data.length !== MULTISIG_BYTES;
  return isExtended && data[KIND_AT] === KINDS[kind] ? data : null;
}

/** Returns null if the bytes are something else. */
function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

export type TokenAccount = ValueOf<typeof ACCOUNT>;

/** Returns null unless it is an account of SPL Token or Token-2022. */
export function readTokenAccount(found: Found | null | undefined): TokenAccount | null {
  const data = fieldsOf(found, "Account");
  const account = data && attempt(() => decode(ACCOUNT, data));
  return account?.state ? account : null;
}

export type Mint = NonNullable<ReturnType<typeof readMint>>;

/** Returns null unless it is a mint of SPL Token or Token-2022. */
export function readMint(found: Found | null | undefined) {
  const data = fieldsOf(found, "Mint");
  const mint = data && attempt(() => decode(MINT, data));
  return mint?.isInitialized ? { ...mint, extensions: readExtensions(data as Uint8Array) } : null;
}

interface Extension {
  readonly type: number;
  readonly data: Uint8Array;
}

/** Returns the extensions of a mint. An unreadable one has the type -1. */
function readExtensions(data: Uint8Array): Extension[] {
  const extensions: Extension[] = [];
  const reader = new ByteReader(data.subarray(KIND_AT + 1));
  try {
    for (let left = data.length - KIND_AT - 1; left >= 2; ) {
      const type = Number(reader.uint(2));
      // Type 0 marks the end of the extensions.
      if (type === 0) break;
      const length = Number(reader.uint(2));
      extensions.push({ type, data: reader.take(length) });
      left -= 4 + length;
    }
  } catch {
    extensions.push({ type: -1, data: new Uint8Array() });
  }
  return extensions;
}

const TEXTS = {
  ...all("pubkey", "updateAuthority mint"),
  ...all("string", "name symbol uri"),
} as const;

/** The mint extension with the metadata. Source: `TokenMetadata` of spl-token-metadata. */
export const METADATA_EXTENSION = TEXTS;

/** Metaplex's Token Metadata. Source: its `Metadata`, with the key `MetadataV1`. */
export const tokenMetadata = {
  id: ids.TOKEN_METADATA,
  name: "Token Metadata",
  instructions: {},
  accounts: {
    Metadata: {
      tag: [4],
      fields: {
        ...TEXTS,
        sellerFeeBasisPoints: "u16",
        creators: ["option", ["vec", { address: "pubkey", ...all("u8", "verified share") }]],
        ...all("bool", "primarySaleHappened isMutable"),
      },
    },
  },
  errors: {},
} as const satisfies Program;
