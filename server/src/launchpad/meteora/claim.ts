import {
  type AccountInfo,
  type Connection,
  PublicKey,
  type TransactionInstruction,
} from "@solana/web3.js";
import { dammV2 } from "@tokenctl/shared/programs/damm-v2";
import { dbc } from "@tokenctl/shared/programs/dbc";
import { TOKEN, TOKEN_2022 } from "@tokenctl/shared/programs/ids";
import type { BuiltInstruction } from "@tokenctl/shared/programs/program";
import {
  claimCurve,
  claimPosition,
  givePosition,
  giveRole,
} from "@tokenctl/shared/programs/recipes";
import { associatedToken } from "@tokenctl/shared/programs/solana";
import { token, token2022 } from "@tokenctl/shared/programs/token";
import type { TokenRef } from "../../domain/token.ts";
import { CreatorChangedError } from "../errors.ts";
import {
  enclosingInstructions,
  type FeeSource,
  NO_FEES,
  type PoolProgram,
  type TokenClaim,
  type TokenFees,
  type UnreadableFees,
  wrappedSolAccount,
} from "../pool-program.ts";
import {
  claimablePositionFee,
  creatorChange,
  curveFees,
  type HeldPosition,
  type HeldToken,
  HoldingReader,
  type LiquidityHolding,
  liquidityFees,
  liquidityOf,
} from "./liquidity-reader.ts";
import {
  builder,
  type Curve,
  type CurveReader,
  toInstruction,
  tokenProgramOf,
} from "./programs.ts";

export function meteoraFees(
  connection: Connection,
  curves: CurveReader,
): Pick<PoolProgram, "readFees" | "claim" | "handOver"> {
  const reader = new HoldingReader(connection, curves);
  return {
    async readFees(agent, tokens) {
      const { held } = await reader.read(new PublicKey(agent), tokens);
      return held.map((one): TokenFees | UnreadableFees => {
        if (one instanceof Error) return { unreadable: one.message };
        const { curve, holding } = one;
        const change = creatorChange(one, agent);
        return {
          bondingCurve: curveFees(curve, agent),
          liquidityPool: holding ? liquidityFees(holding.pool, holding.positions) : NO_FEES,
          isMigrated: curve.pool.isMigrated !== 0,
          ...(change && { creatorChanged: change }),
        };
      });
    },

    async claim(agent, tokens, options) {
      const wallet = new PublicKey(agent);
      const candidates = tokens.flatMap((token) => tokenAccounts(wallet, token));
      const others = [wrappedSolAccount(wallet), ...candidates];
      const { held, accounts } = await reader.read(wallet, tokens, others);
      const [wrappedSol, ...ofTokens] = accounts;
      const faults: Error[] = [];
      const lost: Error[] = [];
      const claims: TokenClaim[] = [];
      for (const [index, one] of held.entries()) {
        if (one instanceof Error) {
          faults.push(one);
          continue;
        }
        const hasAccount = hasAccountFor(one.curve, ofTokens, index);
        const claim = claimInstructions(
          { ...one, hasAccount },
          agent,
          options?.sponsor?.toBase58(),
        );
        if (claim) claims.push({ token: tokens[index] as TokenRef, ...claim });
        else {
          const change = creatorChange(one, agent);
          const earns = one.curve.pool.isMigrated ? "liquidityPool" : "bondingCurve";
          if (change && earns in change) lost.push(new CreatorChangedError(change));
        }
      }
      if (faults[0] && faults.length === tokens.length) throw faults[0];
      if (lost[0] && lost.length === tokens.length) throw lost[0];
      if (claims.length === 0) return null;
      const hasWrappedSol = wrappedSol?.owner.toBase58() === TOKEN;
      return { ...enclosingInstructions(wallet, hasWrappedSol, options), tokens: claims };
    },

    async handOver(agent, token, to) {
      const { held } = await reader.read(new PublicKey(agent), [token]);
      const [one] = held;
      if (!one || one instanceof Error) throw one;
      return handOverInstructions({ from: agent, to }, one);
    },
  };
}

export interface ClaimedToken extends HeldToken {
  readonly hasAccount: boolean;
}

/** @param accounts all tokens' accounts at the addresses that {@link tokenAccounts} returns */
export function hasAccountFor(
  { pool }: Curve,
  accounts: readonly (AccountInfo<Buffer> | null | undefined)[],
  index: number,
): boolean {
  const own = accounts.slice(2 * index, 2 * index + 2);
  return own.some((account) => account?.owner.toBase58() === tokenProgramOf(pool.poolType));
}

/** @returns the addresses of an agent's possible token accounts, one for each token program */
export function tokenAccounts(agent: PublicKey, { tokenMint }: TokenRef): PublicKey[] {
  return [TOKEN, TOKEN_2022].map(
    (program) => new PublicKey(builder.associated(agent.toBase58(), tokenMint, program)),
  );
}

/** Returns instructions that claim the fees of curve and positions as wrapped SOL; null if none. */
function claimInstructions(
  { curve, holding, hasAccount }: ClaimedToken,
  agent: string,
  payer: string | undefined,
): Omit<TokenClaim, "token"> | null {
  const claims: { instruction: BuiltInstruction; lamports: bigint }[] = [];
  const { claimable } = curveFees(curve, agent);
  if (claimable > 0n) {
    const instruction = claimCurve(builder, { ...tokenOf(curve), agent });
    claims.push({ instruction, lamports: claimable });
  }
  const position = holding && richestPosition(holding);
  if (position) {
    const lamports = claimablePositionFee(holding.pool, position);
    claims.push({ instruction: claimFrom(curve, position, agent), lamports });
  }
  const [richest] = claims.toSorted((a, b) => (a.lamports < b.lamports ? 1 : -1));
  if (!richest) return null;
  const take = (taken: typeof claims) => {
    const instructions = taken.map(({ instruction }) => instruction);
    const all = hasAccount
      ? instructions
      : withAccount(instructions, curve, { owner: agent, payer });
    const lamports = taken.reduce((sum, one) => sum + one.lamports, 0n);
    return { instructions: all.map(toInstruction), lamports };
  };
  return { ...take(claims), ...(claims.length > 1 && { richest: take([richest]) }) };
}

export function tokenOf({ address, pool }: Curve) {
  const tokenProgram = tokenProgramOf(pool.poolType);
  return { pool: address.toBase58(), mint: pool.baseMint, tokenProgram };
}

export function claimFrom(curve: Curve, position: HeldPosition, agent: string): BuiltInstruction {
  return claimPosition(
    builder,
    { ...tokenOf(curve), pool: position.pool, agent },
    { position: String(position.address), nftAccount: String(position.nftAccount) },
  );
}

/**
 * Creates the wallet's account for the token before the instructions, and closes it afterwards:
 * both programs require the account, although they pay nothing into it.
 */
export function withAccount(
  instructions: readonly BuiltInstruction[],
  curve: Curve,
  { owner, payer = owner }: { readonly owner: string; readonly payer?: string | undefined },
): BuiltInstruction[] {
  const { mint, tokenProgram } = tokenOf(curve);
  // A sponsor gets its rent back only if the account did not exist before.
  const make = payer === owner ? "CreateIdempotent" : "Create";
  const account = builder.associated(owner, mint, tokenProgram);
  const closed = { account, destination: payer, owner };
  return [
    builder.build(associatedToken, make, { payer, owner, mint, tokenProgram }, {}),
    ...instructions,
    builder.build(tokenProgram === TOKEN ? token : token2022, "CloseAccount", closed, {}),
  ];
}

/**
 * Returns the position with the largest fees, if there are any. A wallet has one in each pool; if
 * anyone gives it more, later claims take the others.
 */
export function richestPosition({ pool, positions }: LiquidityHolding): HeldPosition | null {
  const [richest] = positions
    .map((position) => ({ position, fee: claimablePositionFee(pool, position) }))
    .toSorted((a, b) => (a.fee < b.fee ? 1 : -1));
  return richest && richest.fee > 0n ? richest.position : null;
}

/**
 * Returns the instructions that transfer what a token's fees follow: the role of the pool's
 * creator, unless the receiver has it, and the NFT of the position that came with the migration.
 * @throws {CreatorChangedError} if the wallet has none of that
 */
function handOverInstructions(
  parties: { readonly from: string; readonly to: string },
  held: HeldToken,
): TransactionInstruction[] {
  const { address, pool } = held.curve;
  const { creator, config } = pool;
  const isCreator = creator === parties.from;
  const position = isCreator || creator === parties.to ? migratedPosition(held) : undefined;
  if (!isCreator && !position) {
    throw new CreatorChangedError(creatorChange(held, parties.from) ?? {});
  }
  const given = position
    ? givePosition(builder, {
        pool: position.pool,
        nftMint: position.nftMint,
        nftAccount: position.nftAccount.toBase58(),
        ...parties,
      })
    : [];
  const role = { pool: address.toBase58(), config, ...parties };
  return [...(isCreator ? [giveRole(builder, role)] : []), ...given].map(toInstruction);
}

/**
 * Returns the largest position with locked or vesting liquidity. Anyone can give the wallet smaller
 * ones, which another hand-over transfers. Liquidity that can be withdrawn is the wallet's own.
 */
function migratedPosition({ holding }: HeldToken): HeldPosition | undefined {
  return holding?.positions
    .filter((one) => one.permanentLockedLiquidity + one.vestedLiquidity > 0n)
    .toSorted((a, b) => (liquidityOf(a) < liquidityOf(b) ? 1 : -1))[0];
}

/**
 * Finds whose fees a vault holds by the mint in the same instruction: all vaults have one owner.
 */
export function sourceOf(
  vault: string,
  tokens: readonly TokenRef[],
  instructions: readonly TransactionInstruction[],
): FeeSource | null {
  for (const { programId, keys } of instructions) {
    const isCurve = programId.toBase58() === dbc.id;
    if (!isCurve && programId.toBase58() !== dammV2.id) continue;
    const addresses = new Set(keys.map(({ pubkey }) => pubkey.toBase58()));
    if (!addresses.has(vault)) continue;
    const found = tokens.find(({ tokenMint }) => addresses.has(tokenMint));
    if (!found) return null;
    return { tokenMint: found.tokenMint, kind: isCurve ? "bondingCurve" : "liquidityPool" };
  }
  return null;
}
