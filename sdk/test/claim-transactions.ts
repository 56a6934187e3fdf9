import {
  ASSOCIATED_TOKEN_PROGRAM_ID,
  createAssociatedTokenAccountIdempotentInstruction,
  createCloseAccountInstruction,
  createTransferCheckedInstruction,
  createTransferInstruction,
  getAssociatedTokenAddressSync,
  NATIVE_MINT,
  TOKEN_PROGRAM_ID,
} from "@solana/spl-token";
import {
  ComputeBudgetProgram,
  Keypair,
  Message,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionInstruction,
} from "@solana/web3.js";
import { SANDBOX_INSTRUCTION } from "@tokenctl/shared/programs/sandbox";
import { unsignedBytes } from "../../test/support/forged-instructions.ts";
import type { ClaimCost, ClaimTerms } from "../src/claim-check/terms.ts";
import { checkTransaction } from "../src/claim-check/transaction.ts";
import { CheckError, OverLimitError } from "../src/claim-errors.ts";
import meteora from "./fixtures/meteora-claims.json" with { type: "json" };

export function keypair(seed: number): Keypair {
  return Keypair.fromSeed(new Uint8Array(32).fill(seed));
}

/** The agent and the token of the claims in `fixtures/meteora-claims.json`. */
export const agent = keypair(1);
export const mint = keypair(2).publicKey;
export const pool = keypair(24).publicKey;
export const feeVault = await PublicKey.createWithSeed(pool, "curve", TOKEN_PROGRAM_ID);
export const poolFeeVault = await PublicKey.createWithSeed(pool, "liquidity", TOKEN_PROGRAM_ID);
export const stranger = keypair(21).publicKey;
export const blockhash = keypair(11).publicKey.toBase58();

export const wrappedSol = getAssociatedTokenAddressSync(NATIVE_MINT, agent.publicKey);
export const tokenAccount = getAssociatedTokenAddressSync(mint, agent.publicKey);

export const terms: ClaimTerms = {
  agent: agent.publicKey.toBase58(),
  tokenMint: mint.toBase58(),
  maxNetworkFeeLamports: 1_000_000n,
  sandboxPool: pool.toBase58(),
};

/**
 * Claims as Meteora's own libraries build them (DBC SDK 1.5.12, cp-amm SDK 1.5.0): of the curve,
 * of the pool, and of both in one transaction.
 */
export const meteoraClaims = { curve: meteora.curve, pool: meteora.pool, both: meteora.both };

/** What every transaction begins with that an agent signs on the embedded chain. */
export const mark = () =>
  new TransactionInstruction({
    programId: new PublicKey(SANDBOX_INSTRUCTION.program),
    keys: SANDBOX_INSTRUCTION.accounts.map(({ address, ...flags }) => ({
      pubkey: new PublicKey(address),
      ...flags,
    })),
    data: Buffer.from(SANDBOX_INSTRUCTION.data),
  });

export function localClaim(): TransactionInstruction[] {
  return [
    mark(),
    createAssociatedTokenAccountIdempotentInstruction(
      agent.publicKey,
      wrappedSol,
      agent.publicKey,
      NATIVE_MINT,
    ),
    createTransferCheckedInstruction(
      feeVault,
      NATIVE_MINT,
      wrappedSol,
      agent.publicKey,
      500_000_000n,
      9,
    ),
    createCloseAccountInstruction(wrappedSol, agent.publicKey, agent.publicKey),
  ];
}

/**
 * A claim that makes the agent's account for the token and closes it again, as a tokend builds it: of
 * a token of SPL Token or of Token-2022.
 */
export function closingClaim(tokenProgram = TOKEN_PROGRAM_ID): TransactionInstruction[] {
  const { publicKey } = agent;
  const claim = instructionsOf(fromBase64(meteora.both));
  const account = getAssociatedTokenAddressSync(mint, publicKey, false, tokenProgram);
  for (const { programId, keys } of claim) {
    for (const key of keys) if (key.pubkey.equals(tokenAccount)) key.pubkey = account;
    // The first token program of an instruction is that of the token, unless it makes wrapped SOL.
    const isForSol = programId.equals(ASSOCIATED_TOKEN_PROGRAM_ID) && !keys[3]?.pubkey.equals(mint);
    const program = keys.find(({ pubkey }) => pubkey.equals(TOKEN_PROGRAM_ID));
    if (program && !isForSol) program.pubkey = tokenProgram;
  }
  return [...claim, createCloseAccountInstruction(account, publicKey, publicKey, [], tokenProgram)];
}

export const sponsor = keypair(41);
/** What the network takes for the two signatures, and the rent of an account for wrapped SOL. */
export const SPONSORED_FEE = 10_000n;
export const WRAPPED_SOL_RENT = 2_039_280n;

/** The same claim of an agent without SOL: the sponsor pays, and is repaid. */
export function sponsoredClaim(
  tokenProgram = TOKEN_PROGRAM_ID,
  repaid = WRAPPED_SOL_RENT + SPONSORED_FEE,
): TransactionInstruction[] {
  const claim = closingClaim(tokenProgram)
    .filter(({ programId }) => !programId.equals(ComputeBudgetProgram.programId))
    .map((instruction) => {
      const { programId, keys } = instruction;
      const isCreate = programId.equals(ASSOCIATED_TOKEN_PROGRAM_ID);
      const isClose = keys.length === 3 && !keys[0]?.pubkey.equals(wrappedSol);
      const place = isCreate ? 0 : isClose ? 1 : -1;
      const changed = keys.map((key, index) =>
        index === place ? { ...key, pubkey: sponsor.publicKey } : key,
      );
      const data = isCreate ? Buffer.alloc(0) : instruction.data;
      return new TransactionInstruction({ programId, keys: changed, data });
    });
  const { publicKey: fromPubkey } = agent;
  const toPubkey = sponsor.publicKey;
  return [...claim, SystemProgram.transfer({ fromPubkey, toPubkey, lamports: repaid })];
}

/** What the claims of {@link payingClaim} pay their receivers together. */
export const PAID = 3_200_001n;

/** Makes a claim one that pays receivers these lamports, as a tokend builds it. */
export function payingClaim(
  claim: readonly TransactionInstruction[],
  paid: readonly { readonly to: PublicKey; readonly lamports: bigint }[],
  proven = PAID,
): TransactionInstruction[] {
  const { publicKey: fromPubkey } = agent;
  const isMaking = ({ programId, keys }: TransactionInstruction) =>
    programId.equals(ASSOCIATED_TOKEN_PROGRAM_ID) && keys[1]?.pubkey.equals(wrappedSol) === true;
  const changed = claim.map((one) => {
    if (!isMaking(one)) return one;
    return new TransactionInstruction({ ...one, data: Buffer.alloc(0) });
  });
  const unwrap = changed.findLastIndex(
    ({ programId, keys, data }) =>
      programId.equals(TOKEN_PROGRAM_ID) && data[0] === 9 && keys[0]?.pubkey.equals(wrappedSol),
  );
  const transfers = paid
    .filter(({ to }) => !to.equals(fromPubkey))
    .map(({ to, lamports }) => SystemProgram.transfer({ fromPubkey, toPubkey: to, lamports }));
  const proof = createTransferInstruction(wrappedSol, wrappedSol, fromPubkey, proven);
  const unwrapping = changed.slice(unwrap, unwrap + 1);
  // Of a sponsored claim the repayment is last.
  const others = changed.slice(unwrap + 1);
  const repayments = others.filter(({ programId }) => programId.equals(SystemProgram.programId));
  const rest = others.filter((one) => !repayments.includes(one));
  return [...changed.slice(0, unwrap), proof, ...unwrapping, ...rest, ...transfers, ...repayments];
}

/** @returns the unsigned bytes of a transaction of these instructions */
export const build = (
  instructions: readonly TransactionInstruction[],
  payer = agent.publicKey,
): Uint8Array => unsignedBytes(payer, instructions, blockhash);

export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, "base64"));
}

/** @returns the instructions of a claim, for a test to change and build again */
export function instructionsOf(transaction: Uint8Array): TransactionInstruction[] {
  const message = transaction.subarray(1 + 64 * (transaction[0] ?? 0));
  return Transaction.populate(Message.from(message)).instructions;
}

/** @returns what a claim that the check accepts costs at most */
export function costOf(transaction: Uint8Array): ClaimCost {
  return checkTransaction(transaction, terms);
}

/** @returns the network fee that is more than it may be; null if it is not */
export function excess(transaction: Uint8Array, changed: Partial<ClaimTerms> = {}): bigint | null {
  try {
    checkTransaction(transaction, { ...terms, ...changed });
    return null;
  } catch (error) {
    if (error instanceof OverLimitError) return error.neededLamports;
    throw error;
  }
}

/** @returns what the check refuses in a transaction, or null if it accepts it */
export function refusal(
  transaction: Uint8Array,
  changed: Partial<ClaimTerms> = {},
): CheckError | null {
  try {
    checkTransaction(transaction, { ...terms, ...changed });
    return null;
  } catch (error) {
    if (error instanceof CheckError) return error;
    throw error;
  }
}
