import { describe, expect, test } from "bun:test";
import {
  ASSOCIATED_TOKEN_PROGRAM_ID,
  createAssociatedTokenAccountIdempotentInstruction,
  createAssociatedTokenAccountInstruction,
  createCloseAccountInstruction,
  createRecoverNestedInstruction,
  createSyncNativeInstruction,
  createTransferCheckedInstruction,
  createTransferInstruction,
  getAssociatedTokenAddressSync,
  NATIVE_MINT,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from "@solana/spl-token";
import {
  ComputeBudgetProgram,
  PublicKey,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { DAMM_V2, DBC } from "@tokenctl/shared/programs/ids";
import { forgedInstructions } from "../../../test/support/forged-instructions.ts";
import {
  agent,
  blockhash,
  build,
  closingClaim,
  costOf,
  excess,
  feeVault,
  fromBase64,
  instructionsOf,
  keypair,
  localClaim,
  meteoraClaims,
  mint,
  pool,
  poolFeeVault,
  refusal,
  stranger,
  terms,
  tokenAccount,
  wrappedSol,
} from "../../test/claim-transactions.ts";
import { InvalidArgumentError } from "../errors.ts";
import { builder } from "../internal/program-address.ts";
import { checkHandOver } from "./hand-over.ts";
import { checkTransaction } from "./transaction.ts";

const { publicKey } = agent;
const token2022Account = getAssociatedTokenAddressSync(
  mint,
  publicKey,
  false,
  TOKEN_2022_PROGRAM_ID,
);
const strangersAccount = getAssociatedTokenAddressSync(NATIVE_MINT, stranger);

describe("the check accepts", () => {
  test("a claim with several fee vaults, plain Transfer, SyncNative and Create", () => {
    const [mark, , take] = localClaim();
    const claim = [
      mark as TransactionInstruction,
      createAssociatedTokenAccountInstruction(publicKey, wrappedSol, publicKey, NATIVE_MINT),
      createTransferInstruction(poolFeeVault, wrappedSol, publicKey, 1n),
      take as TransactionInstruction,
      createSyncNativeInstruction(wrappedSol),
      createCloseAccountInstruction(wrappedSol, publicKey, publicKey),
    ];
    expect(refusal(build(claim))).toBeNull();
  });

  test("a claim of a token of Token-2022", () => {
    const account = getAssociatedTokenAddressSync(mint, publicKey, false, TOKEN_2022_PROGRAM_ID);
    const claim = instructionsOf(fromBase64(meteoraClaims.curve));
    claim[2] = createAssociatedTokenAccountIdempotentInstruction(
      publicKey,
      account,
      publicKey,
      mint,
      TOKEN_2022_PROGRAM_ID,
    );
    const keys = claim[4]?.keys ?? [];
    keys[2] = { pubkey: account, isSigner: false, isWritable: true };
    expect(refusal(build(claim))?.saw).toContain("tokenAAccount is");
    keys[9] = { pubkey: TOKEN_2022_PROGRAM_ID, isSigner: false, isWritable: false };
    expect(refusal(build(claim))).toBeNull();
  });
});

describe.each([
  ["SPL Token", TOKEN_PROGRAM_ID],
  ["Token-2022", TOKEN_2022_PROGRAM_ID],
])("of the agent's account for a token of %s the check", (_, program) => {
  test("accepts that a claim makes and closes it, at no cost", () => {
    expect(costOf(build(closingClaim(program)))).toEqual({
      tokenMints: [mint.toBase58()],
      networkFeeLamports: expect.any(BigInt),
      rentLamports: 0n,
      createdAccounts: [],
    });
  });

  test("refuses that a claim closes it without making it", () => {
    const claim = closingClaim(program);
    const made = claim.findIndex(({ keys }) => keys[3]?.pubkey.equals(mint));
    const close = claim.at(-1) as TransactionInstruction;
    const without = claim.toSpliced(made, 1);
    const refused = refusal(build(without));
    expect(refused?.saw).toContain("which it did not make");
    expect(refused?.instruction).toBe(without.length - 1);
    expect(refusal(build(without.slice(0, -1)))).toBeNull();
    // The claim makes the account after closing it, or closes it twice.
    expect(refusal(build([close, ...claim]))?.instruction).toBe(0);
    expect(refusal(build([...claim, close]))?.instruction).toBe(claim.length);
  });

  test("counts the rent if a claim makes it again", () => {
    const claim = closingClaim(program);
    const make = claim.find(({ keys }) => keys[3]?.pubkey.equals(mint));
    const again = [...claim, make as TransactionInstruction];
    expect(costOf(build(again)).rentLamports).toBeGreaterThan(2_000_000n);
  });
});

const open = (account: PublicKey, owner: PublicKey, of: PublicKey, program?: PublicKey) =>
  createAssociatedTokenAccountIdempotentInstruction(publicKey, account, owner, of, program);
const take = (from: PublicKey, to = wrappedSol) =>
  createTransferInstruction(from, to, publicKey, 1n);
const takeChecked = (from: PublicKey, of = NATIVE_MINT, program?: PublicKey) =>
  createTransferCheckedInstruction(from, of, wrappedSol, publicKey, 1n, 9, [], program);
const accountOf = (token: PublicKey, program?: PublicKey) =>
  getAssociatedTokenAddressSync(token, publicKey, false, program);

/** Instructions that no claim has, and a part of each refusal. */
const malicious: Record<string, [TransactionInstruction, string]> = {
  "wrapped SOL to a stranger, unchecked": [
    take(feeVault, strangersAccount),
    "Transfer's destination is",
  ],
  "the agent's own account as source": [take(wrappedSol), "takes from the agent's own account"],
  "the agent's token account as source": [take(tokenAccount), "takes from the agent's own account"],
  "wrapped SOL of a third party that approved the agent": [
    takeChecked(strangersAccount),
    "which is not a fee vault of the token's pool",
  ],
  "CloseAccount by Token-2022 of an account of SPL Token": [
    createCloseAccountInstruction(tokenAccount, publicKey, publicKey, [], TOKEN_2022_PROGRAM_ID),
    "for CloseAccount",
  ],
  "SyncNative of a stranger's account": [
    createSyncNativeInstruction(strangersAccount),
    "SyncNative's account is",
  ],
  "an account for another mint": [
    open(accountOf(stranger), publicKey, stranger),
    "neither the token nor wrapped SOL",
  ],
  "an account by an unknown token program": [
    open(accountOf(mint, stranger), publicKey, mint, stranger),
    "neither the token nor wrapped SOL",
  ],
  "a wrapped-SOL account by Token-2022": [
    open(
      accountOf(NATIVE_MINT, TOKEN_2022_PROGRAM_ID),
      ...([publicKey, NATIVE_MINT, TOKEN_2022_PROGRAM_ID] as const),
    ),
    "neither the token nor wrapped SOL",
  ],
  RecoverNested: [
    createRecoverNestedInstruction(
      ...([tokenAccount, mint, wrappedSol, wrappedSol, NATIVE_MINT, publicKey] as const),
    ),
    "something other than create",
  ],
};

describe("the check refuses one more instruction", () => {
  for (const [name, [instruction, saw]] of Object.entries(malicious)) {
    test(`that is ${name}`, () => {
      for (const claim of [localClaim(), instructionsOf(fromBase64(meteoraClaims.both))]) {
        for (let index = 0; index <= claim.length; index++) {
          // A stranger's missing signature must not be the reason of the refusal.
          const keys = instruction.keys.map((key) => ({
            ...key,
            isSigner: key.pubkey.equals(publicKey),
          }));
          const added = new TransactionInstruction({ ...instruction, keys });
          const refused = refusal(build(claim.toSpliced(index, 0, added)));
          expect(refused?.saw).toContain(saw);
          expect(refused?.instruction).toBe(index);
          expect(refused?.program).toBe(instruction.programId.toBase58());
        }
      }
    });
  }
});

const CLOSE_ACCOUNT = 9;

describe("the check refuses a claim that is changed anywhere, but where only a program can judge", () => {
  /** Places of accounts that only the program can judge; none may be the agent's. */
  const free: Record<string, readonly number[]> = { [DAMM_V2]: [2, 9] };
  const own = [publicKey, wrappedSol, tokenAccount, token2022Account];

  /** Returns the data without the amounts, which the server chooses and the vaults bound. */
  function kindOf({ programId, data }: TransactionInstruction): string {
    // Create and CreateIdempotent make the same account.
    if (programId.equals(ASSOCIATED_TOKEN_PROGRAM_ID)) return "create";
    const isTransfer = programId.equals(TOKEN_PROGRAM_ID) && [3, 12].includes(data[0] ?? 0);
    const isClaim = [DBC, DAMM_V2].includes(programId.toBase58());
    const known = isTransfer ? 1 : isClaim ? 8 : data.length;
    return `${data.subarray(0, known).toString("hex")} of ${data.length} bytes`;
  }

  const isSame = (honest: TransactionInstruction, seen: TransactionInstruction) =>
    honest.programId.equals(seen.programId) &&
    honest.keys.length === seen.keys.length &&
    kindOf(honest) === kindOf(seen) &&
    seen.keys.every(({ pubkey }, place) => {
      const isFree = free[seen.programId.toBase58()]?.includes(place) === true;
      if (isFree && !own.some((key) => key.equals(pubkey))) return true;
      // A claim may close either of its two accounts, because both pay their rent to the agent.
      const isClosed = place === 0 && seen.data[0] === CLOSE_ACCOUNT;
      if (isClosed && pubkey.equals(tokenAccount)) return true;
      return honest.keys[place]?.pubkey.equals(pubkey) === true;
    });

  test.each([
    ["a sandbox's", build(localClaim())],
    ["of both kinds", fromBase64(meteoraClaims.both)],
    ["that closes its account", build(closingClaim())],
    ["that closes its account of Token-2022", build(closingClaim(TOKEN_2022_PROGRAM_ID))],
  ])("%s", (_, claim) => {
    const honest = instructionsOf(claim);
    let refused = 0;
    for (const forged of forgedInstructions(honest, publicKey, own)) {
      if (refusal(build(forged)) !== null) refused++;
      else expect(forged.filter((seen) => !honest.some((one) => isSame(one, seen)))).toEqual([]);
    }
    expect(refused).toBeGreaterThan(150);
  });
});

test("nothing is transferred by a transaction that could land on a real chain, or where one is expected", () => {
  const elsewhere = { sandboxPool: undefined };
  const [mark, ...unmarked] = localClaim();
  const marked = refusal(build(localClaim()), elsewhere);
  expect(marked?.saw).toBe("it is the mark of a sandbox, and the caller expects a real chain");
  expect(refusal(build(unmarked))?.saw).toContain("could land on a real chain");
  // Only the complete mark makes a transaction fail on other chains.
  const { programId, keys, data } = mark as TransactionInstruction;
  const key = keys[0] as (typeof keys)[number];
  for (const changed of [
    { keys: [{ ...key, pubkey: mint }] },
    { keys: [] },
    { keys: [key, key] },
    { data: Buffer.from(data.map((byte) => byte ^ 1)) },
    { data: data.subarray(0, 1) },
    { programId: TOKEN_2022_PROGRAM_ID },
  ]) {
    const false_ = new TransactionInstruction({ programId, keys, data, ...changed });
    expect(refusal(build([false_, ...unmarked]))).not.toBeNull();
  }
  for (const transaction of Object.values(meteoraClaims)) {
    expect(refusal(fromBase64(transaction), elsewhere)).toBeNull();
    const claim = instructionsOf(fromBase64(transaction));
    const theirs = [strangersAccount, NATIVE_MINT, wrappedSol, publicKey, 1n, 9] as const;
    for (const [take, known] of [
      [createTransferInstruction(feeVault, wrappedSol, publicKey, 1n), {}],
      [createTransferCheckedInstruction(...theirs), elsewhere],
    ] as const) {
      const refused = refusal(build(claim.toSpliced(-1, 0, take)), known);
      expect(refused?.saw).toContain("could land on a real chain");
    }
  }
});

describe("the cost of a claim", () => {
  const RENT = 2_039_280n;
  const create = (address: PublicKey, of: PublicKey) =>
    createAssociatedTokenAccountIdempotentInstruction(publicKey, address, publicKey, of);

  test("has no rent on a sandbox, whose claims keep no account", () => {
    expect(costOf(build(localClaim()))).toEqual({
      tokenMints: [mint.toBase58()],
      networkFeeLamports: 5_000n,
      rentLamports: 0n,
      createdAccounts: [],
    });
  });

  test("has the rent of the account for the token on Meteora", () => {
    for (const transaction of Object.values(meteoraClaims)) {
      expect(costOf(fromBase64(transaction))).toMatchObject({
        rentLamports: RENT,
        createdAccounts: [{ address: tokenAccount.toBase58(), lamports: RENT }],
      });
    }
  });

  test("has the rent of wrapped SOL that stays wrapped, or is wrapped again", () => {
    const claim = localClaim();
    const left = [{ address: wrappedSol.toBase58(), lamports: RENT }];
    expect(costOf(build(claim.slice(0, 3))).createdAccounts).toEqual(left);
    const reopened = [...claim, create(wrappedSol, NATIVE_MINT)];
    expect(costOf(build(reopened)).createdAccounts).toEqual(left);
    const twice = [create(wrappedSol, NATIVE_MINT), ...claim.slice(0, 3)];
    expect(costOf(build(twice)).rentLamports).toBe(RENT);
  });

  test("cannot have the rent of an account that no fees are paid into", () => {
    const unused = "which receives no fees";
    const forToken = create(tokenAccount, mint);
    expect(refusal(build([forToken, ...localClaim()]))?.saw).toContain(unused);
    const other = getAssociatedTokenAddressSync(mint, publicKey, false, TOKEN_2022_PROGRAM_ID);
    const second = createAssociatedTokenAccountIdempotentInstruction(
      ...([publicKey, other, publicKey, mint, TOKEN_2022_PROGRAM_ID] as const),
    );
    const claim = instructionsOf(fromBase64(meteoraClaims.curve));
    const refused = refusal(build([second, ...claim]));
    expect(refused?.saw).toContain(unused);
    expect(refused?.instruction).toBe(0);
  });
});

/** A claim whose bytes have been changed. */
function forged(change: (bytes: number[]) => unknown): Uint8Array {
  const bytes = [...build(localClaim())];
  change(bytes);
  return Uint8Array.from(bytes);
}

function versioned(): Uint8Array {
  const claim = { recentBlockhash: blockhash, instructions: localClaim() };
  const message = new TransactionMessage({ payerKey: publicKey, ...claim });
  return new VersionedTransaction(message.compileToV0Message()).serialize();
}

const other = keypair(99).publicKey.toBase58();
const hash = [...new PublicKey(blockhash).toBytes()];
const startOf = (bytes: number[]) => Buffer.from(bytes).indexOf(Buffer.from(hash));

test.each<[name: string, transaction: Uint8Array, saw: string, known?: object]>([
  [
    "with another fee payer",
    build(localClaim(), stranger),
    "a sponsor pays for an account that may",
  ],
  [
    "whose fee payer is changed",
    forged((to) => to.splice(69, 32, ...stranger.toBytes())),
    `fee payer is ${stranger}`,
  ],
  ["that is versioned", versioned(), "versioned"],
  [
    "without a blockhash",
    forged((to) => to.fill(0, startOf(to), startOf(to) + 32)),
    "no recent blockhash",
  ],
  ["that is too long", new Uint8Array(1233), "more than 1232"],
  ["of no bytes", new Uint8Array(), "0 signatures"],
  ["followed by more bytes", forged((to) => to.push(0)), "canonical"],
  [
    "that refers to an account outside its list",
    forged((to) => to.splice(-3, 1, 200)),
    "refers to account 200",
  ],
  ["that only opens an account", build(localClaim().slice(0, 2)), "takes no fees"],
  ["that only closes an account", build(localClaim().slice(3)), "takes no fees"],
  [
    "that claims another token",
    fromBase64(meteoraClaims.both),
    "neither the token nor wrapped SOL",
    { tokenMint: other },
  ],
  ["that is another agent's claim", fromBase64(meteoraClaims.both), "fee payer", { agent: other }],
])("the check refuses a transaction %s", (_, transaction, saw, known = {}) => {
  expect(refusal(transaction, known)?.saw).toContain(saw);
});

test.each([{ agent: "no address" }, { tokenMint: "" }, { sandboxPool: "" }])(
  "the check throws if its terms are not addresses: %j",
  (wrong) => {
    expect(() => refusal(build(localClaim()), wrong)).toThrow(InvalidArgumentError);
  },
);

test("the check of a hand-over throws if the pool that the server names is no address, or if two sign", () => {
  const to = stranger.toBase58();
  const { agent, maxNetworkFeeLamports } = terms;
  const asked = { agent, maxNetworkFeeLamports, tokenMint: mint.toBase58(), to };
  // Base58 takes quadratic time.
  for (const sandboxPool of ["", "2".repeat(1 << 20)]) {
    const check = () => checkHandOver(build(localClaim()), { ...asked, sandboxPool });
    expect(check).toThrow(InvalidArgumentError);
  }
  const [first, ...others] = localClaim();
  first?.keys.push({ pubkey: stranger, isSigner: true, isWritable: false });
  const twoSign = build([...(first ? [first] : []), ...others]);
  expect(() => checkHandOver(twoSign, asked)).toThrow("its signers are");
});

describe("the network fee", () => {
  const withBudget = (price: bigint, units?: number) =>
    build([
      ...(units === undefined ? [] : [ComputeBudgetProgram.setComputeUnitLimit({ units })]),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: price }),
      ...localClaim(),
    ]);

  test("may reach the limit, to the lamport", () => {
    const { maxNetworkFeeLamports: max } = terms;
    const price = (max - 5_000n) * 10n;
    expect(excess(withBudget(price, 100_000))).toBeNull();
    expect(excess(withBudget(price + 1n, 100_000))).toBe(1_000_001n);
    expect(excess(withBudget(price, 100_000), { maxNetworkFeeLamports: max - 1n })).toBe(max);
  });

  test("is what a node says if one was asked, whatever price of units the transaction sets", () => {
    const { maxNetworkFeeLamports: max } = terms;
    const dear = withBudget(2n ** 64n - 1n, 1_400_000);
    expect(excess(dear, { networkFeeLamports: max })).toBeNull();
    expect(checkTransaction(dear, { ...terms, networkFeeLamports: 1n }).networkFeeLamports).toBe(
      1n,
    );
    const cheap = build(localClaim());
    expect(excess(cheap, { networkFeeLamports: max + 1n })).toBe(max + 1n);
  });

  test.each<[string, price: bigint, units: number | undefined, excess: bigint | null]>([
    ["200 000 units an instruction without a limit", 995_000n, undefined, null],
    ["that and a lamport", 995_001n, undefined, 1_000_001n],
    ["no more units than a transaction can have", 710_714n, 4_000_000_000, null],
    ["those and a lamport", 710_715n, 4_000_000_000, 1_000_001n],
    ["the largest price", 2n ** 64n - 1n, 1, 18_446_744_078_710n],
  ])("counts %s", (_, price, units, most) => {
    expect(excess(withBudget(price, units))).toBe(most);
  });

  test("is refused if it is set twice", () => {
    const price = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1n });
    expect(refusal(build([price, price, ...localClaim()]))?.saw).toContain("set twice");
  });
});

const otherMint = keypair(52).publicKey;
const otherPool = keypair(53).publicKey;
const otherVault = await PublicKey.createWithSeed(otherPool, "curve", TOKEN_PROGRAM_ID);
const both = {
  tokenMint: [mint.toBase58(), otherMint.toBase58()],
  sandboxPool: [pool.toBase58(), otherPool.toBase58()],
};

/** The place of the pool's token vault in an instruction that pays fees. */
const VAULT_OF_TOKEN: Readonly<Record<string, number>> = { [DBC]: 4, [DAMM_V2]: 5 };

/** Returns a claim of two tokens: the first token's, with the second token's inside. */
function claimOfBoth(tokenProgram = TOKEN_PROGRAM_ID): TransactionInstruction[] {
  const other = getAssociatedTokenAddressSync(otherMint, publicKey, false, tokenProgram);
  const account = getAssociatedTokenAddressSync(mint, publicKey, false, tokenProgram);
  const isOfToken = ({ keys }: TransactionInstruction) =>
    keys.some(({ pubkey }) => pubkey.equals(account));
  const second = closingClaim(tokenProgram).filter(isOfToken);
  for (const key of second.flatMap(({ keys }) => keys)) {
    if (key.pubkey.equals(mint)) key.pubkey = otherMint;
    if (key.pubkey.equals(account)) key.pubkey = other;
  }
  for (const { programId, keys } of second) {
    const vault = keys[VAULT_OF_TOKEN[programId.toBase58()] ?? -1];
    const seeds = ["token_vault", otherMint.toBase58(), String(keys[1]?.pubkey)] as const;
    if (vault) vault.pubkey = new PublicKey(builder.derived(programId.toBase58(), ...seeds));
  }
  return closingClaim(tokenProgram).toSpliced(-2, 0, ...second);
}

test.each([TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID])(
  "a claim of two tokens of %s costs the network fee alone",
  (program) => {
    const claim = build(claimOfBoth(program));
    expect(refusal(claim, both)).toBeNull();
    expect(refusal(claim)?.saw).toContain("neither the token nor wrapped SOL");
  },
);

test("a claim of one token is accepted if others are asked for too, as some may not fit", () => {
  expect(refusal(build(closingClaim()), both)).toBeNull();
  expect(costOf(build(closingClaim())).rentLamports).toBe(0n);
});

test("the accounts of one token are no accounts of the other", () => {
  const claim = claimOfBoth();
  for (const [index, { keys }] of claim.entries()) {
    for (const [place, key] of keys.entries()) {
      if (!key.pubkey.equals(otherMint)) continue;
      const changed = claimOfBoth();
      Object.assign(changed[index]?.keys[place] ?? {}, { pubkey: mint });
      expect(refusal(build(changed), both)).not.toBeNull();
      Object.assign(changed[index]?.keys[place] ?? {}, { pubkey: stranger });
      expect(refusal(build(changed), both)).not.toBeNull();
    }
  }
  const theft = createTransferInstruction(tokenAccount, wrappedSol, publicKey, 1n);
  expect(refusal(build([...claimOfBoth(), theft]), both)?.saw).toContain("takes from the agent's");
});

test("a sandbox's claim takes from the vaults of all tokens asked for, and of no other", () => {
  const take = createTransferInstruction(otherVault, wrappedSol, publicKey, 1n);
  const claim = build(localClaim().toSpliced(2, 0, take));
  expect(checkTransaction(claim, { ...terms, ...both }).tokenMints).toEqual(
    both.tokenMint.toReversed(),
  );
  expect(refusal(claim)?.saw).toContain("not a fee vault of the token's pool");
  expect(() => refusal(claim, { tokenMint: both.tokenMint })).toThrow("1 sandboxPools of 2 mints");
});
