import { WRAPPED_SOL_MINT } from "../payout.ts";
import { all } from "./codec.ts";
import * as ids from "./ids.ts";
import { at, type Program, pda } from "./program.ts";

// The programs of Solana itself, except the token programs.

const CREATED = { ...all("u64", "lamports space"), owner: "pubkey" } as const;

/** Source: Solana's `SystemInstruction`. */
export const system = {
  id: ids.SYSTEM,
  name: "System",
  instructions: {
    CreateAccount: { tag: [0, 0, 0, 0], args: CREATED, accounts: all("ws", "from to") },
    Assign: { tag: [1, 0, 0, 0], args: { owner: "pubkey" }, accounts: { account: "ws" } },
    Transfer: { tag: [2, 0, 0, 0], args: { lamports: "u64" }, accounts: { from: "ws", to: "w" } },
    CreateAccountWithSeed: {
      tag: [3, 0, 0, 0],
      args: { base: "pubkey", seed: "string64", ...CREATED },
      accounts: { from: "ws", to: "w" },
    },
    AdvanceNonceAccount: {
      tag: [4, 0, 0, 0],
      args: {},
      accounts: { account: "w", recentBlockhashes: "", authority: "s" },
    },
    WithdrawNonceAccount: {
      tag: [5, 0, 0, 0],
      args: { lamports: "u64" },
      accounts: { ...all("w", "account to"), ...all("", "recentBlockhashes rent"), authority: "s" },
    },
    InitializeNonceAccount: {
      tag: [6, 0, 0, 0],
      args: { newAuthority: "pubkey" },
      accounts: { account: "w", ...all("", "recentBlockhashes rent") },
    },
    AuthorizeNonceAccount: {
      tag: [7, 0, 0, 0],
      args: { newAuthority: "pubkey" },
      accounts: { account: "w", authority: "s" },
    },
    Allocate: { tag: [8, 0, 0, 0], args: { space: "u64" }, accounts: { account: "ws" } },
    AllocateWithSeed: {
      tag: [9, 0, 0, 0],
      args: { base: "pubkey", seed: "string64", space: "u64", owner: "pubkey" },
      accounts: { account: "w", baseSigner: "s" },
    },
    AssignWithSeed: {
      tag: [10, 0, 0, 0],
      args: { base: "pubkey", seed: "string64", owner: "pubkey" },
      accounts: { account: "w", baseSigner: "s" },
    },
    TransferWithSeed: {
      tag: [11, 0, 0, 0],
      args: { lamports: "u64", seed: "string64", owner: "pubkey" },
      accounts: { from: "w", baseSigner: "s", to: "w" },
    },
  },
  accounts: {},
  errors: {},
} as const satisfies Program;

/** Source: Solana's `ComputeBudgetInstruction`. */
export const computeBudget = {
  id: ids.COMPUTE_BUDGET,
  name: "Compute Budget",
  instructions: {
    RequestHeapFrame: { tag: [1], args: { bytes: "u32" }, accounts: {} },
    SetComputeUnitLimit: { tag: [2], args: { units: "u32" }, accounts: {} },
    SetComputeUnitPrice: { tag: [3], args: { microLamports: "u64" }, accounts: {} },
    SetLoadedAccountsDataSizeLimit: { tag: [4], args: { bytes: "u32" }, accounts: {} },
  },
  accounts: {},
  errors: {},
} as const satisfies Program;

const MADE_ACCOUNT = {
  payer: "ws",
  account: pda(ids.ASSOCIATED_TOKEN, null, "owner", "tokenProgram", "mint"),
  owner: "",
  mint: at(WRAPPED_SOL_MINT),
  systemProgram: at(ids.SYSTEM),
  tokenProgram: at(ids.TOKEN),
} as const;

/** Source: `AssociatedTokenAccountInstruction`. Create has no data; a single 0 is the same. */
export const associatedToken = {
  id: ids.ASSOCIATED_TOKEN,
  name: "Associated Token Account",
  instructions: {
    CreateIdempotent: { tag: [1], args: {}, accounts: MADE_ACCOUNT },
    Create: { tag: [], args: {}, accounts: MADE_ACCOUNT },
  },
  accounts: {},
  errors: {},
} as const satisfies Program;
