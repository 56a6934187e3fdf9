import { expect, test } from "bun:test";
import {
  ACCOUNT_SIZE,
  AccountLayout,
  ASSOCIATED_TOKEN_PROGRAM_ID,
  AuthorityType,
  createApproveInstruction,
  createAssociatedTokenAccountIdempotentInstruction,
  createBurnInstruction,
  createCloseAccountInstruction,
  createMintToInstruction,
  createSetAuthorityInstruction,
  createSyncNativeInstruction,
  createTransferCheckedInstruction,
  createTransferInstruction,
  getAssociatedTokenAddressSync,
  MINT_SIZE,
  MintLayout,
  NATIVE_MINT,
  TOKEN_PROGRAM_ID,
} from "@solana/spl-token";
import type { TransactionInstruction } from "@solana/web3.js";
import { ComputeBudgetProgram, PublicKey, SystemProgram } from "@solana/web3.js";
import { SANDBOX_MINT } from "@tokenctl/shared/programs/sandbox";
import fc from "fast-check";
import { LiteSVM, TransactionMetadata } from "litesvm";
import { OverLimitError } from "../src/claim-errors.ts";
import {
  agent,
  build,
  feeVault,
  keypair,
  localClaim,
  mint,
  pool,
  poolFeeVault,
  refusal,
  stranger,
  terms,
  tokenAccount,
  wrappedSol,
} from "./claim-transactions.ts";

const RENT = 2_039_280n;
/** A token account of the agent that is not the associated one. */
const spareAccount = keypair(23).publicKey;
const strangersWrappedSol = getAssociatedTokenAddressSync(NATIVE_MINT, stranger);
const strangersTokens = getAssociatedTokenAddressSync(mint, stranger);
/**
 * Wrapped SOL of others that the agent may transfer as their delegate. It is not the agent's fees.
 */
const entrusted = [
  getAssociatedTokenAddressSync(NATIVE_MINT, keypair(25).publicKey),
  keypair(22).publicKey,
  await PublicKey.createWithSeed(keypair(26).publicKey, "curve", TOKEN_PROGRAM_ID),
];

const addresses = [
  agent.publicKey,
  stranger,
  mint,
  NATIVE_MINT,
  wrappedSol,
  tokenAccount,
  spareAccount,
  feeVault,
  poolFeeVault,
  ...entrusted,
  strangersWrappedSol,
  strangersTokens,
  SystemProgram.programId,
  TOKEN_PROGRAM_ID,
  ASSOCIATED_TOKEN_PROGRAM_ID,
];

interface Wealth {
  /** Lamports of the wallet, of all its token accounts, and of the fees that it may claim. */
  lamports: bigint;
  tokens: bigint;
  /** Lamports of the accounts that were entrusted to it. */
  entrusted: bigint;
  /** Who may do what with the accounts that remain. */
  authorities: string[];
}

test("a sandbox's claim that the check accepts never makes the agent poorer on the real Token program, and lands on no chain without the sandbox's mint", () => {
  const chain = () =>
    new LiteSVM()
      .withTransactionHistory(0n)
      .withSigverify(false)
      .withBlockhashCheck(false)
      .withNativeMints();
  const [svm, elsewhere] = [chain(), chain()];
  // What does not land changes nothing there. Anyone can send SOL to the mint's address.
  restoreWorld(elsewhere);
  putMint(elsewhere, SystemProgram.programId, new Uint8Array());
  let landed = 0;
  let refused = 0;
  fc.assert(
    fc.property(claims(), (instructions) => {
      const transaction = build(instructions);
      if (isRefused(transaction)) {
        refused++;
        return;
      }
      const signed = {
        messageBytes: transaction.subarray(65),
        signatures: { [agent.publicKey.toBase58()]: new Uint8Array(64).fill(1) },
      } as never;
      expect(elsewhere.sendTransaction(signed)).not.toBeInstanceOf(TransactionMetadata);
      restoreWorld(svm);
      putMint(svm, TOKEN_PROGRAM_ID, sandboxMint);
      const before = wealth(svm);
      const result = svm.sendTransaction(signed);
      if (result instanceof TransactionMetadata) landed++;
      const after = wealth(svm);
      expect(after.lamports).toBeGreaterThanOrEqual(before.lamports - terms.maxNetworkFeeLamports);
      expect(after.tokens).toBe(before.tokens);
      expect(after.entrusted).toBe(before.entrusted);
      expect(before.authorities).toEqual(expect.arrayContaining(after.authorities));
    }),
    { numRuns: 1_200, seed: 7 },
  );
  // The property proves nothing unless claims reach it.
  expect(landed).toBeGreaterThan(100);
  expect(refused).toBeGreaterThan(100);
}, 300_000);

function isRefused(transaction: Uint8Array): boolean {
  try {
    return refusal(transaction) !== null;
  } catch (error) {
    if (error instanceof OverLimitError) return true;
    throw error;
  }
}

const sandboxMint = new Uint8Array(MINT_SIZE).fill(1, 45, 46);

function putMint(svm: LiteSVM, owner: PublicKey, data: Uint8Array): void {
  const account = { address: SANDBOX_MINT, executable: false, lamports: 10_000_000n };
  const size = { data, space: BigInt(data.length), programAddress: owner.toBase58() };
  svm.setAccount({ ...account, ...size } as never);
}

/** An address of a claim, more often one that a thief would choose. */
const address = fc.oneof(
  fc.constantFrom(...addresses),
  fc.constantFrom(stranger, strangersWrappedSol, strangersTokens),
);

/**
 * A claim, often a real one, with instructions added, dropped or doubled, and accounts exchanged.
 */
function claims(): fc.Arbitrary<TransactionInstruction[]> {
  const at = fc.nat(11);
  const change = fc.oneof(
    fc.record({ kind: fc.constant("insert" as const), at, instruction: instruction() }),
    fc.record({ kind: fc.constant("drop" as const), at }),
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("exchange" as const),
        at,
        place: fc.nat(11),
        by: address,
      }),
    },
  );
  return fc.array(change, { maxLength: 3 }).map((changes) => {
    const claim = localClaim();
    for (const step of changes) {
      const at = step.at % (claim.length + 1);
      if (step.kind === "insert") claim.splice(at, 0, step.instruction);
      else if (step.kind === "drop" && claim.length > 1) claim.splice(at, 1);
      else if (step.kind === "exchange") {
        const keys = claim[step.at % claim.length]?.keys;
        const key = keys?.[step.place % keys.length];
        if (key) key.pubkey = step.by;
      }
    }
    for (const key of claim.flatMap(({ keys }) => keys)) {
      key.isSigner = key.pubkey.equals(agent.publicKey);
      key.isWritable = true;
    }
    return claim;
  });
}

/** An instruction of the Token, Associated Token, System or Compute Budget program. */
function instruction(): fc.Arbitrary<TransactionInstruction> {
  const amount = fc.constantFrom(1n, 1_000n, 400_000_000n);
  const four = fc.tuple(address, address, address, address);
  const make = fc.constantFrom<
    (a: [PublicKey, PublicKey, PublicKey, PublicKey], amount: bigint) => TransactionInstruction
  >(
    ([a, b, c], n) => createTransferInstruction(a, b, c, n),
    ([a, b], n) => createTransferInstruction(a, b, agent.publicKey, n),
    ([a], n) =>
      createTransferInstruction(entrusted[n === 1n ? 0 : 1] ?? a, wrappedSol, agent.publicKey, n),
    ([a, b, c, d], n) => createTransferCheckedInstruction(a, b, c, d, n, 9),
    ([a], n) => createTransferCheckedInstruction(a, NATIVE_MINT, wrappedSol, agent.publicKey, n, 9),
    ([a, b, c]) => createCloseAccountInstruction(a, b, c),
    ([a]) => createCloseAccountInstruction(a, agent.publicKey, agent.publicKey),
    ([a]) => createSyncNativeInstruction(a),
    ([a, b], n) => createApproveInstruction(a, b, agent.publicKey, n),
    ([a, b], n) => createBurnInstruction(a, b, agent.publicKey, n),
    ([a, b], n) => createMintToInstruction(a, b, agent.publicKey, n),
    ([a, b]) => createSetAuthorityInstruction(a, agent.publicKey, AuthorityType.AccountOwner, b),
    ([a, b, c, d]) => createAssociatedTokenAccountIdempotentInstruction(a, b, c, d),
    ([, , owner, ofMint]) =>
      createAssociatedTokenAccountIdempotentInstruction(
        agent.publicKey,
        getAssociatedTokenAddressSync(ofMint, owner, true),
        owner,
        ofMint,
      ),
    ([a, b], lamports) => SystemProgram.transfer({ fromPubkey: a, toPubkey: b, lamports }),
    ([, b], lamports) =>
      SystemProgram.transfer({ fromPubkey: agent.publicKey, toPubkey: b, lamports }),
    () =>
      createAssociatedTokenAccountIdempotentInstruction(
        agent.publicKey,
        strangersTokens,
        stranger,
        mint,
      ),
    (_, microLamports) => ComputeBudgetProgram.setComputeUnitPrice({ microLamports }),
    (_, n) => ComputeBudgetProgram.setComputeUnitLimit({ units: Number(n) }),
  );
  return fc.tuple(make, four, amount).map(([create, accounts, n]) => create(accounts, n));
}

/** The agent has SOL, wrapped SOL, tokens in two accounts, and fees to claim. */
function restoreWorld(svm: LiteSVM): void {
  const put = (address: PublicKey, data: Uint8Array, lamports: bigint, owner: PublicKey) =>
    svm.setAccount({
      address: address.toBase58(),
      data,
      executable: false,
      lamports,
      programAddress: owner.toBase58(),
      space: BigInt(data.length),
    } as never);
  const putTokens = (
    address: PublicKey,
    owner: PublicKey,
    ofMint: PublicKey,
    amount: bigint,
    delegate?: PublicKey,
  ) => {
    const data = Buffer.alloc(ACCOUNT_SIZE);
    const isNative = ofMint.equals(NATIVE_MINT);
    AccountLayout.encode(
      {
        mint: ofMint,
        owner,
        amount,
        delegateOption: delegate ? 1 : 0,
        delegate: delegate ?? PublicKey.default,
        state: 1,
        isNativeOption: isNative ? 1 : 0,
        isNative: isNative ? RENT : 0n,
        delegatedAmount: delegate ? 2n ** 64n - 1n : 0n,
        closeAuthorityOption: 0,
        closeAuthority: PublicKey.default,
      },
      data,
    );
    put(address, data, RENT + (isNative ? amount : 0n), TOKEN_PROGRAM_ID);
  };
  const mintData = Buffer.alloc(MINT_SIZE);
  MintLayout.encode(
    {
      mintAuthorityOption: 1,
      mintAuthority: agent.publicKey,
      supply: 3_000_000n,
      decimals: 9,
      isInitialized: true,
      freezeAuthorityOption: 1,
      freezeAuthority: agent.publicKey,
    },
    mintData,
  );
  put(mint, mintData, 10_000_000n, TOKEN_PROGRAM_ID);
  put(agent.publicKey, new Uint8Array(), 10_000_000_000n, SystemProgram.programId);
  put(stranger, new Uint8Array(), 10_000_000_000n, SystemProgram.programId);
  putTokens(wrappedSol, agent.publicKey, NATIVE_MINT, 700_000_000n);
  putTokens(tokenAccount, agent.publicKey, mint, 1_000_000n);
  putTokens(spareAccount, agent.publicKey, mint, 1_000_000n);
  putTokens(strangersWrappedSol, stranger, NATIVE_MINT, 700_000_000n);
  // The transaction that makes this account for the stranger pays its rent.
  put(strangersTokens, new Uint8Array(), 0n, SystemProgram.programId);
  for (const vault of [feeVault, poolFeeVault, ...entrusted]) {
    putTokens(vault, pool, NATIVE_MINT, 5_000_000_000n, agent.publicKey);
  }
}

function wealth(svm: LiteSVM): Wealth {
  const total: Wealth = { lamports: 0n, tokens: 0n, entrusted: 0n, authorities: [] };
  const owned = [agent.publicKey, wrappedSol, tokenAccount, spareAccount, feeVault, poolFeeVault];
  const owners = [agent.publicKey, pool];
  for (const address of owned) {
    const account = svm.getAccount(address.toBase58() as never);
    if (!account.exists || account.lamports === 0n) continue;
    const isTokens = account.data.length === ACCOUNT_SIZE;
    const tokens = isTokens ? AccountLayout.decode(Uint8Array.from(account.data)) : null;
    total.authorities.push(
      [address, account.programAddress, tokens?.owner, tokens?.delegateOption].join(),
      [address, "close", tokens?.closeAuthorityOption].join(),
    );
    if (tokens && !owners.some((owner) => tokens.owner.equals(owner))) continue;
    total.lamports += account.lamports;
    if (tokens?.mint.equals(mint)) total.tokens += tokens.amount;
  }
  for (const address of entrusted) {
    const account = svm.getAccount(address.toBase58() as never);
    if (account.exists) total.entrusted += account.lamports;
  }
  const account = svm.getAccount(mint.toBase58() as never);
  if (account.exists) total.authorities.push(Buffer.from(account.data).toString("hex"));
  return total;
}
