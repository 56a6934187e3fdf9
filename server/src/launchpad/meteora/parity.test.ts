import { describe, expect, test } from "bun:test";
import { CpAmm, derivePoolAuthority } from "@meteora-ag/cp-amm-sdk";
import * as sdk from "@meteora-ag/dynamic-bonding-curve-sdk";
import {
  createDbcProgram,
  DAMM_V2_MIGRATION_FEE_ADDRESS,
  deriveDammV2EventAuthority,
  deriveDbcEventAuthority,
  deriveDbcPoolAuthority,
} from "@meteora-ag/dynamic-bonding-curve-sdk";
import * as spl from "@solana/spl-token";
import {
  ComputeBudgetProgram,
  Connection,
  Keypair,
  PublicKey,
  SystemProgram,
  type TransactionInstruction,
} from "@solana/web3.js";
import {
  encode,
  type Struct,
  sizeOf,
  type Type,
  type ValueOf,
} from "@tokenctl/shared/programs/codec";
import * as terms from "@tokenctl/shared/programs/curve-terms";
import { dammV2, TIME_SCHEDULER } from "@tokenctl/shared/programs/damm-v2";
import { dbc } from "@tokenctl/shared/programs/dbc";
import * as ids from "@tokenctl/shared/programs/ids";
import {
  type Instruction,
  type Program,
  readAccount,
  readInstruction,
} from "@tokenctl/shared/programs/program";
import { associatedToken, computeBudget, system } from "@tokenctl/shared/programs/solana";
import { token, token2022 } from "@tokenctl/shared/programs/token";
import BN from "bn.js";
import { instruction } from "./programs.ts";

// Compares the table of programs with the IDLs in Meteora's SDKs: a version that changes what this project uses
// fails by the name of the instruction or account.

type IdlType = string | { [kind: string]: unknown };
interface Named {
  readonly name: string;
  readonly type: IdlType;
}
interface Idl {
  readonly address: string;
  readonly instructions: readonly {
    readonly name: string;
    readonly args: readonly Named[];
    readonly accounts: readonly {
      readonly name: string;
      readonly writable?: boolean;
      readonly signer?: boolean;
      readonly optional?: boolean;
      readonly address?: string;
      readonly pda?: {
        readonly seeds: readonly { kind: string; value?: number[]; path?: string }[];
      };
    }[];
  }[];
  readonly accounts: readonly { readonly name: string; readonly discriminator: number[] }[];
  readonly types: readonly { readonly name: string; readonly type: { readonly fields: Named[] } }[];
  readonly errors: readonly { readonly code: number }[];
}

type Methods = Record<string, unknown>;

const connection = new Connection("http://127.0.0.1:1");
const curve = createDbcProgram(connection, "confirmed").program;
const liquidity = new CpAmm(connection)._program;
const idls = [
  {
    program: dbc as Program,
    idl: curve.rawIdl as unknown as Idl,
    methods: curve.methods as Methods,
  },
  {
    program: dammV2 as Program,
    idl: liquidity.rawIdl as unknown as Idl,
    methods: liquidity.methods as Methods,
  },
];

function camelCase(name: string): string {
  const camel = name.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter) => letter.toUpperCase());
  return camel.startsWith("padding") ? `_${camel}` : camel;
}

function typeOf(idl: Idl, type: IdlType, name = ""): Type {
  if (typeof type === "string") return type as Type;
  const [[kind, inner] = ["", null]] = Object.entries(type);
  if (kind === "defined") return structOf(idl, (inner as { name: string }).name);
  if (kind === "option" || kind === "vec") return [kind, typeOf(idl, inner as IdlType)];
  const [item, count] = inner as [IdlType, number];
  if (item !== "u8") return ["array", typeOf(idl, item), count];
  const isNumber = /^(fee.+(liquidity|checkpoint)|reward_per_token.*)$/.test(name);
  return isNumber ? "u256" : ["bytes", count];
}

/** A struct of one struct, or of nothing but bytes, is that. */
function structOf(idl: Idl, name: string): Type {
  const fields = idl.types.find((one) => one.name === name)?.type.fields ?? [];
  const [first] = fields;
  if (fields.length === 1 && first?.name === "data") return typeOf(idl, first.type);
  if (fields.length === 1 && typeof first?.type === "object" && "defined" in first.type) {
    return typeOf(idl, first.type);
  }
  return Object.fromEntries(
    fields.map(({ name, type }) => {
      const field = typeOf(idl, type, name);
      const isPadding = camelCase(name).startsWith("_");
      return [camelCase(name), isPadding ? (["bytes", sizeOf(field)] as const) : field];
    }),
  );
}

function someValue(type: Type, next: () => number): unknown {
  if (typeof type === "string") {
    if (type === "pubkey") return new PublicKey(Buffer.alloc(32, next())).toBase58();
    if (type === "string") return `text ${next()}`;
    if (type === "bool") return next() % 2 === 1;
    return ["u8", "u16", "u32"].includes(type) ? next() : BigInt(next());
  }
  if (!Array.isArray(type)) {
    const fields = Object.entries(type).filter(([name]) => !name.startsWith("_"));
    return Object.fromEntries(fields.map(([name, field]) => [name, someValue(field, next)]));
  }
  const [kind, inner, count = 2] = type as [string, Type, number?];
  if (kind === "bytes") return new Uint8Array(inner as unknown as number).fill(next());
  if (kind === "option") return someValue(inner, next);
  return Array.from({ length: count }, () => someValue(inner, next));
}

function counter(): () => number {
  let last = 0;
  return () => {
    last = (last % 250) + 1;
    return last;
  };
}

interface Method {
  accountsStrict(accounts: object): { instruction(): Promise<TransactionInstruction> };
}

function withBN(value: unknown): unknown {
  if (typeof value === "bigint") return new BN(`${value}`);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withBN);
  const fields = Object.entries(value).map(([name, field]) => [name, withBN(field)]);
  return Object.fromEntries(fields);
}

function shown({ programId, keys, data }: TransactionInstruction) {
  return {
    program: String(programId),
    keys: keys.map(({ pubkey, ...role }) => ({ ...role, pubkey: String(pubkey) })),
    data: [...data],
  };
}

for (const { program, idl, methods } of idls) {
  describe(`${program.name} in the table`, () => {
    test("has the IDL's address, and only kinds of accounts and codes of errors that it has", () => {
      expect(program.id).toBe(idl.address);
      for (const [name, { tag }] of Object.entries(program.accounts)) {
        const known = idl.accounts.find((kind) => kind.name === name);
        expect(tag, name).toEqual(known?.discriminator ?? []);
      }
      const codes = idl.errors.map(({ code }) => code);
      expect(codes).toEqual(expect.arrayContaining(Object.keys(program.errors).map(Number)));
    });

    test.each(Object.keys(program.instructions))("has %s as the IDL", (name) => {
      const { accounts } = program.instructions[name] as Instruction;
      const found = idl.instructions.find((one) => one.name === name);
      if (!found) throw new Error(`the IDL has no ${name}`);
      const roles = found.accounts.map(({ name: account, writable, signer, optional }) => [
        camelCase(account),
        `${optional ? "?" : ""}${writable ? "w" : ""}${signer ? "s" : ""}`,
      ]);
      const own = Object.entries(accounts);
      expect(
        own.map(([account, one]) => [account, typeof one === "object" ? one.role : one]),
      ).toEqual(roles);
      for (const { name: account, address, pda } of found.accounts) {
        const known = accounts[camelCase(account)];
        const source = typeof known === "object" ? known : undefined;
        if (address !== undefined) expect(source?.address, account).toBe(address);
        if (!pda) continue;
        const [label, ...of] = pda.seeds.map(({ value, path }) =>
          value ? String.fromCharCode(...value) : camelCase(path ?? ""),
        );
        expect(source?.seeds, account).toEqual({ program: program.id, label: label as string, of });
      }
    });

    test.each(Object.keys(program.instructions))("builds %s as Anchor does", async (name) => {
      const { args, accounts } = program.instructions[name] as Instruction;
      const value = someValue(args, counter()) as ValueOf<Struct>;
      const given = Object.fromEntries(
        Object.entries(accounts)
          .filter(([, one]) => typeof one === "string" && !one.startsWith("?"))
          .map(([account]) => [account, Keypair.generate().publicKey.toBase58()]),
      );
      const ours = instruction(program, name, given, value);
      const all = Object.entries(accounts).map(([account, one], place) => {
        const isNone = typeof one === "string" && one.startsWith("?");
        return [account, isNone ? null : ours.keys[place]?.pubkey];
      });
      const isStruct = idl.instructions
        .find((one) => one.name === name)
        ?.args.some(({ type }) => typeof type === "object");
      const params = withBN(value) as Record<string, unknown>;
      if (name === "create_config") params.padding = [0, 0];
      const method = methods[camelCase(name)] as (...given: unknown[]) => Method;
      const theirs = await method(...(isStruct ? [params] : Object.values(params)))
        .accountsStrict(Object.fromEntries(all))
        .instruction();
      expect(shown(ours)).toEqual(shown(theirs));
      expect(readInstruction(program, Object.keys(accounts), ours.data)?.args).toEqual(value);
    });

    test.each(Object.keys(program.accounts))(
      "reads %s as in the IDL, whole or longer, and neither cut short nor foreign",
      (kind) => {
        const { tag, fields } = program.accounts[kind] as { tag: number[]; fields: Struct };
        // As text, because the order matters.
        expect(JSON.stringify(fields)).toBe(JSON.stringify(structOf(idl, kind)));
        const value = someValue(fields, counter()) as ValueOf<Struct>;
        const data = Uint8Array.from([...tag, ...encode(fields, value)]);
        const owner = program.id;
        expect(readAccount(program, kind, { owner, data })).toEqual(value);
        const longer = Uint8Array.from([...data, ...new Uint8Array(100).fill(7)]);
        expect(readAccount(program, kind, { owner, data: longer })).toEqual(value);
        const wrong = [
          ...Array.from(data.keys(), (length) => ({ owner, data: data.subarray(0, length) })),
          { owner: ids.SYSTEM, data },
          { owner, data: data.slice().fill(9, 0, 8) },
          { owner, data: new Uint8Array(data.length) },
        ];
        for (const account of wrong) expect(() => readAccount(program, kind, account)).toThrow();
      },
    );
  });
}

test("the base fee of a DAMM v2 config is that of the IDL", () => {
  expect(TIME_SCHEDULER).toEqual(
    structOf(idls[1]?.idl as Idl, "PodAlignedFeeTimeScheduler") as typeof TIME_SCHEDULER,
  );
});

test("the numbers of a config are those of the DBC SDK", () => {
  expect({
    kept: terms.PROTOCOL_FEE_PERCENT,
    keptOfCreation: terms.PROTOCOL_CREATION_FEE_PERCENT,
    most: terms.MAX_MIGRATED_POOL_FEE_BPS,
    parts: Number(terms.FEE_DENOMINATOR),
    fixed: terms.FIXED_BPS.map((bps, option): [string, number] => [`FixedBps${bps}`, option]),
    modes: [terms.TO_DAMM_V2, terms.QUOTE_TOKEN, terms.QUOTE_TOKEN, terms.CUSTOMIZABLE],
  }).toEqual({
    kept: sdk.PROTOCOL_FEE_PERCENT,
    keptOfCreation: sdk.PROTOCOL_POOL_CREATION_FEE_PERCENT,
    most: sdk.MAX_MIGRATED_POOL_FEE_BPS,
    parts: sdk.FEE_DENOMINATOR,
    fixed: Object.entries(sdk.MigrationFeeOption).flatMap(([name, option]) =>
      name.startsWith("Fixed") ? [[name, option as number] as [string, number]] : [],
    ),
    modes: [
      sdk.MigrationOption.MET_DAMM_V2,
      sdk.CollectFeeMode.QuoteToken,
      sdk.MigratedCollectFeeMode.QuoteToken,
      sdk.MigrationFeeOption.Customizable,
    ],
  });
});

test("the addresses are those of Meteora's SDKs and of Solana's libraries", () => {
  const known: [string, { toString(): string }][] = [
    [ids.DBC_POOL_AUTHORITY, deriveDbcPoolAuthority()],
    [ids.DBC_EVENT_AUTHORITY, deriveDbcEventAuthority()],
    [ids.DAMM_V2_POOL_AUTHORITY, derivePoolAuthority()],
    [ids.DAMM_V2_EVENT_AUTHORITY, deriveDammV2EventAuthority()],
    [ids.SYSTEM, SystemProgram.programId],
    [ids.COMPUTE_BUDGET, ComputeBudgetProgram.programId],
    [ids.TOKEN, spl.TOKEN_PROGRAM_ID],
    [ids.TOKEN_2022, spl.TOKEN_2022_PROGRAM_ID],
    [ids.ASSOCIATED_TOKEN, spl.ASSOCIATED_TOKEN_PROGRAM_ID],
  ];
  for (const [ours, theirs] of known) expect(ours).toBe(theirs.toString());
  expect(ids.DAMM_V2_CONFIGS).toEqual(DAMM_V2_MIGRATION_FEE_ADDRESS.map(String));
});

describe("Solana's own programs in the table", () => {
  const [a, b, c, d] = Array.from({ length: 4 }, () => Keypair.generate().publicKey) as [
    ...[PublicKey, PublicKey, PublicKey, PublicKey],
  ];
  const lamports = 5_000_000_001n;
  const amount = { amount: lamports };
  const checked = { amount: lamports, decimals: 6 };
  const from = { from: a, to: b };
  const made = { fromPubkey: a, newAccountPubkey: b, lamports: Number(lamports), space: 82 };
  const created = { lamports, space: 82n, owner: String(c) };
  const moved = { source: a, destination: b, owner: d };
  const ofMint = { account: a, mint: b, owner: d };
  const making = { payer: a, owner: c, mint: b, tokenProgram: ids.TOKEN_2022 };
  const other = spl.TOKEN_2022_PROGRAM_ID;
  const opened = [a, spl.getAssociatedTokenAddressSync(b, c, true, other), c, b, other] as const;
  const seeded = { ...made, basePubkey: a, seed: "curve", programId: c };
  const minted = { decimals: 6, mintAuthority: String(b), freezeAuthority: null };
  const closing = spl.AuthorityType.CloseAccount;
  const budget = ComputeBudgetProgram;

  type Accounts = Record<string, PublicKey | string>;
  test.each<[Program, string, Accounts, object, TransactionInstruction]>([
    [
      system,
      "CreateAccount",
      from,
      created,
      SystemProgram.createAccount({ ...made, programId: c }),
    ],
    [
      system,
      "Transfer",
      from,
      { lamports },
      SystemProgram.transfer({ fromPubkey: a, toPubkey: b, lamports }),
    ],
    [
      system,
      "Assign",
      { account: a },
      { owner: String(b) },
      SystemProgram.assign({ accountPubkey: a, programId: b }),
    ],
    [
      system,
      "CreateAccountWithSeed",
      from,
      { base: String(a), seed: "curve", ...created },
      SystemProgram.createAccountWithSeed(seeded),
    ],
    [
      computeBudget,
      "SetComputeUnitLimit",
      {},
      { units: 7 },
      budget.setComputeUnitLimit({ units: 7 }),
    ],
    [
      computeBudget,
      "SetComputeUnitPrice",
      {},
      { microLamports: 7n },
      budget.setComputeUnitPrice({ microLamports: 7 }),
    ],
    [computeBudget, "RequestHeapFrame", {}, { bytes: 7 }, budget.requestHeapFrame({ bytes: 7 })],
    [
      associatedToken,
      "CreateIdempotent",
      making,
      {},
      spl.createAssociatedTokenAccountIdempotentInstruction(...opened),
    ],
    [associatedToken, "Create", making, {}, spl.createAssociatedTokenAccountInstruction(...opened)],
    [token, "Transfer", moved, amount, spl.createTransferInstruction(a, b, d, lamports)],
    [
      token2022,
      "TransferChecked",
      { ...moved, mint: c },
      checked,
      spl.createTransferCheckedInstruction(a, c, b, d, lamports, 6, [], other),
    ],
    [
      token,
      "Approve",
      { source: a, delegate: b, owner: d },
      amount,
      spl.createApproveInstruction(a, b, d, lamports),
    ],
    [
      token,
      "ApproveChecked",
      { source: a, mint: c, delegate: b, owner: d },
      checked,
      spl.createApproveCheckedInstruction(a, c, b, d, lamports, 6),
    ],
    [token, "Revoke", { source: a, owner: d }, {}, spl.createRevokeInstruction(a, d)],
    [
      token,
      "SetAuthority",
      { account: a, owner: d },
      { kind: 3, authority: String(b) },
      spl.createSetAuthorityInstruction(a, d, closing, b),
    ],
    [token, "MintTo", ofMint, amount, spl.createMintToInstruction(b, a, d, lamports)],
    [
      token,
      "MintToChecked",
      ofMint,
      checked,
      spl.createMintToCheckedInstruction(b, a, d, lamports, 6),
    ],
    [token, "Burn", ofMint, amount, spl.createBurnInstruction(a, b, d, lamports)],
    [token, "BurnChecked", ofMint, checked, spl.createBurnCheckedInstruction(a, b, d, lamports, 6)],
    [token, "FreezeAccount", ofMint, {}, spl.createFreezeAccountInstruction(a, b, d)],
    [token, "ThawAccount", ofMint, {}, spl.createThawAccountInstruction(a, b, d)],
    [
      token,
      "CloseAccount",
      { account: a, destination: b, owner: d },
      {},
      spl.createCloseAccountInstruction(a, b, d),
    ],
    [token, "SyncNative", { account: a }, {}, spl.createSyncNativeInstruction(a)],
    [
      token,
      "InitializeAccount3",
      { account: a, mint: b },
      { owner: String(d) },
      spl.createInitializeAccount3Instruction(a, b, d),
    ],
    [
      token,
      "InitializeMint2",
      { mint: a },
      minted,
      spl.createInitializeMint2Instruction(a, 6, b, null),
    ],
    [
      token,
      "AmountToUiAmount",
      { mint: a },
      amount,
      spl.createAmountToUiAmountInstruction(a, lamports),
    ],
  ])("%p: %s is written as its library writes it", (program, name, accounts, args, theirs) => {
    const given = Object.entries(accounts).map(([account, key]) => [account, String(key)]);
    const ours = instruction(program, name, Object.fromEntries(given), args as ValueOf<Struct>);
    expect(shown(ours)).toEqual(shown(theirs));
  });

  test("read accounts and mints as spl-token does", () => {
    expect(sizeOf(token.accounts.Account.fields)).toBe(spl.AccountLayout.span);
    expect(sizeOf(token.accounts.Mint.fields)).toBe(spl.MintLayout.span);
  });
});
