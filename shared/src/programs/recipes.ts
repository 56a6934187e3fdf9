import { WRAPPED_SOL_MINT } from "../payout.ts";
import { dammV2 } from "./damm-v2.ts";
import { dbc } from "./dbc.ts";
import { INSTRUCTIONS_SYSVAR, TOKEN, TOKEN_2022 } from "./ids.ts";
import type { BuiltInstruction, InstructionBuilder } from "./program.ts";
import { associatedToken, system } from "./solana.ts";
import { token, token2022 } from "./token.ts";

/* What agents sign: a server builds it, and a client again to compare. Addresses are base58. */

/** The agent's purchase of its token in the transaction that creates it. */
export interface FirstBuy {
  readonly lamports: bigint;
  /** The minimum amount of the token, in its smallest unit. */
  readonly minUnits: bigint;
}

export interface NewPool {
  readonly config: string;
  readonly mint: string;
  readonly tokenProgram: string;
  /** Pays, and becomes the pool's creator. */
  readonly payer: string;
  readonly name: string;
  readonly symbol: string;
  readonly uri: string;
}

export function createPool(on: InstructionBuilder, of: NewPool): BuiltInstruction {
  const { config, mint, tokenProgram, payer, name, symbol, uri } = of;
  const pool = on.poolAddress(dbc.id, config, [mint, WRAPPED_SOL_MINT]);
  const kind = tokenProgram === TOKEN ? "spl_token" : "token2022";
  const given = { config, creator: payer, baseMint: mint, pool, payer };
  return on.build(dbc, `initialize_virtual_pool_with_${kind}`, given, { name, symbol, uri });
}

/**
 * Bytes that rent is paid for: of mint, pool, vaults and (for SPL Token) metadata, and of the agent's
 * account. Each Token-2022 account holds a mark that its owner never changes. Measured on the programs.
 */
const BYTES = {
  [TOKEN]: { created: 2_155n, account: 293n },
  [TOKEN_2022]: { created: 1_584n, account: 298n },
} as const;
/** What Token Metadata takes for each token. Source: Metaplex's documentation, Protocol Fees. */
const METADATA_LAMPORTS = 10_000_000n;

/**
 * Returns what a launch costs besides network fee, first buy and the config's creation fee.
 * @param textBytes bytes of name, symbol and URI, which a Token-2022 mint holds too
 * @param isBuying adds the agent's account
 */
export function launchPrice(
  tokenProgram: keyof typeof BYTES,
  textBytes: number,
  isBuying: boolean,
): { readonly rentBytes: bigint; readonly metadataLamports: bigint } {
  const { created, account } = BYTES[tokenProgram];
  const isSpl = tokenProgram === TOKEN;
  return {
    rentBytes: created + (isSpl ? 0n : BigInt(textBytes)) + (isBuying ? account : 0n),
    metadataLamports: isSpl ? METADATA_LAMPORTS : 0n,
  };
}

/**
 * Buys for exactly `lamports` into the payer's own account; wraps them before, unwraps after. The
 * program detects a first buy, which may pay the lowest fee, by the instructions sysvar.
 */
export function buyFirst(
  on: InstructionBuilder,
  { config, mint, tokenProgram, payer }: NewPool,
  { lamports, minUnits, atLowestFee }: FirstBuy & { readonly atLowestFee: boolean },
): BuiltInstruction[] {
  const pool = on.poolAddress(dbc.id, config, [mint, WRAPPED_SOL_MINT]);
  const wrapped = on.associated(payer, WRAPPED_SOL_MINT, TOKEN);
  const bought = on.associated(payer, mint, tokenProgram);
  const own = { payer, owner: payer };
  const swap = {
    config,
    pool,
    inputTokenAccount: wrapped,
    outputTokenAccount: bought,
    baseMint: mint,
    payer,
    tokenBaseProgram: tokenProgram,
  };
  const shown = atLowestFee ? [INSTRUCTIONS_SYSVAR] : [];
  return [
    on.build(associatedToken, "CreateIdempotent", { ...own, mint, tokenProgram }, {}),
    on.build(associatedToken, "CreateIdempotent", own, {}),
    on.build(system, "Transfer", { from: payer, to: wrapped }, { lamports }),
    on.build(token, "SyncNative", { account: wrapped }, {}),
    on.build(dbc, "swap", swap, { amountIn: lamports, minimumAmountOut: minUnits }, shown),
    on.build(token, "CloseAccount", { account: wrapped, destination: payer, owner: payer }, {}),
  ];
}

export interface ClaimedPool {
  readonly pool: string;
  readonly mint: string;
  readonly tokenProgram: string;
  /** Claims, and receives the fees in its wrapped-SOL account. */
  readonly agent: string;
}

/** The maximum of a u64. */
export const NO_LIMIT = 0xffff_ffff_ffff_ffffn;

/** Claims the creator's fees of a curve. They are only in SOL, so it claims none of the token. */
export function claimCurve(on: InstructionBuilder, claimed: ClaimedPool): BuiltInstruction {
  const { pool, mint, tokenProgram, agent } = claimed;
  const given = { pool, ...receivers(on, claimed), baseMint: mint, creator: agent };
  const limits = { maxBaseAmount: 0n, maxQuoteAmount: NO_LIMIT };
  const all = { ...given, tokenBaseProgram: tokenProgram };
  return on.build(dbc, "claim_creator_trading_fee", all, limits);
}

export function claimPosition(
  on: InstructionBuilder,
  claimed: ClaimedPool,
  at: { readonly position: string; readonly nftAccount: string },
): BuiltInstruction {
  const { pool, mint, tokenProgram, agent } = claimed;
  const given = { pool, ...receivers(on, claimed), tokenAMint: mint, tokenAProgram: tokenProgram };
  const held = { position: at.position, positionNftAccount: at.nftAccount, signer: agent };
  return on.build(dammV2, "claim_position_fee", { ...given, ...held }, {});
}

/** The accounts that receive fees: in the token, which are zero, and in wrapped SOL. */
export function receivers(
  on: InstructionBuilder,
  { mint, tokenProgram, agent }: Omit<ClaimedPool, "pool">,
) {
  return {
    tokenAAccount: on.associated(agent, mint, tokenProgram),
    tokenBAccount: on.associated(agent, WRAPPED_SOL_MINT, TOKEN),
  };
}

/** Transfers the role of a pool's creator. The program requires the pool's DAMM v1 metadata. */
export function giveRole(
  on: InstructionBuilder,
  given: {
    readonly pool: string;
    readonly config: string;
    readonly from: string;
    readonly to: string;
  },
): BuiltInstruction {
  const { pool, config, from, to } = given;
  const metadata = on.derived(dbc.id, "meteora", pool);
  const accounts = { virtualPool: pool, config, creator: from, newCreator: to };
  return on.build(dbc, "transfer_pool_creator", accounts, {}, [metadata]);
}

/**
 * Transfers a position's NFT. Its `refresh_vesting` does not change a position without vesting. It
 * fails unless the NFT is that of a position in this pool, which proves to a client what it is.
 */
export function givePosition(
  on: InstructionBuilder,
  given: {
    readonly pool: string;
    readonly nftMint: string;
    readonly nftAccount: string;
    readonly from: string;
    readonly to: string;
  },
): [prove: BuiltInstruction, make: BuiltInstruction, transfer: BuiltInstruction] {
  const { pool, nftMint: mint, nftAccount: source, from, to } = given;
  const position = on.derived(dammV2.id, "position", mint);
  const proved = { pool, position, positionNftAccount: source, owner: from };
  const made = { payer: from, owner: to, mint, tokenProgram: TOKEN_2022 };
  const moved = { source, mint, destination: on.associated(to, mint, TOKEN_2022), owner: from };
  return [
    on.build(dammV2, "refresh_vesting", proved, {}),
    on.build(associatedToken, "CreateIdempotent", made, {}),
    on.build(token2022, "TransferChecked", moved, { amount: 1n, decimals: 0 }),
  ];
}
