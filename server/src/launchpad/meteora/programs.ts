import { type AccountInfo, PublicKey, TransactionInstruction } from "@solana/web3.js";
import type { CurveConfig } from "@tokenctl/shared/programs/curve-terms";
import type { dammV2 } from "@tokenctl/shared/programs/damm-v2";
import { dbc } from "@tokenctl/shared/programs/dbc";
import { TOKEN, TOKEN_2022 } from "@tokenctl/shared/programs/ids";
import {
  type AccountOf,
  type Args,
  type BuiltInstruction,
  type Given,
  InstructionBuilder,
  type InstructionName,
  type Program,
  readAccount,
} from "@tokenctl/shared/programs/program";
import { ChainUnavailableError, TokenUnreadableError } from "../errors.ts";

export const builder = new InstructionBuilder((seeds, program) =>
  PublicKey.findProgramAddressSync([...seeds], new PublicKey(program))[0].toBytes(),
);

/** As {@link InstructionBuilder.build}, for a transaction of web3.js. */
export function instruction<P extends Program, N extends InstructionName<P>>(
  program: P,
  name: N,
  given: Given<P, N>,
  args: Args<P, N>,
  more: readonly string[] = [],
): TransactionInstruction {
  return toInstruction(builder.build(program, name, given, args, more));
}

export function toInstruction({ program, accounts, data }: BuiltInstruction) {
  return new TransactionInstruction({
    programId: new PublicKey(program),
    keys: accounts.map(({ address, isSigner, isWritable }) => ({
      pubkey: new PublicKey(address),
      isSigner,
      isWritable,
    })),
    data: Buffer.from(data),
  });
}

/** The instructions of the program that create a pool; each is named so in its IDL. */
const CREATES_POOL = Object.entries(dbc.instructions)
  .filter(([name]) => name.startsWith("initialize_"))
  .map(([, { tag }]) => Buffer.from(tag));

export function createsPool(program: PublicKey, data: Uint8Array): boolean {
  if (program.toBase58() !== dbc.id) return false;
  return CREATES_POOL.some((tag) => tag.equals(data.subarray(0, tag.length)));
}

export type CurvePool = AccountOf<typeof dbc, "VirtualPool">;
export type { CurveConfig };
/** A DAMM v2 pool whose token B is wrapped SOL. */
export type LiquidityPool = AccountOf<typeof dammV2, "Pool">;
/** A share of a DAMM v2 pool. */
export type Position = AccountOf<typeof dammV2, "Position">;

export type Found = Pick<AccountInfo<Buffer>, "owner" | "data">;

export type AccountFault = ChainUnavailableError | TokenUnreadableError;

/** @param name what errors call it if it is missing, and `text` if it is something else */
export function tryRead<P extends Program, K extends keyof P["accounts"] & string>(
  account: Found | null | undefined,
  [program, kind]: readonly [P, K],
  { address, name, text = name }: { address: PublicKey; name: string; text?: string },
): AccountOf<P, K> | AccountFault {
  if (!account) return new ChainUnavailableError(`The ${name} ${address} was not found`);
  try {
    return readAccount(program, kind, account);
  } catch (error) {
    return new TokenUnreadableError(`The account ${address} is not a ${text}`, error);
  }
}

/** @param type as `TokenType` of the DBC SDK: of a pool, or of the pools that a config makes */
export function tokenProgramOf(type: number): string {
  return type === 0 ? TOKEN : TOKEN_2022;
}

/** Whether the creator gets a position in the pool after the curve. */
export const creatorHasPosition = (config: CurveConfig) => creatorLiquidity(config) > 0;

/** @returns the creator's part of the liquidity after the curve, locked or not, in percent: as much of the fees is its own */
export function creatorLiquidity(config: CreatorLiquidity): number {
  return (
    config.creatorPermanentLockedLiquidityPercentage +
    config.creatorLiquidityPercentage +
    config.creatorLiquidityVestingInfo.vestingPercentage
  );
}

interface CreatorLiquidity
  extends Pick<
    CurveConfig,
    "creatorPermanentLockedLiquidityPercentage" | "creatorLiquidityPercentage"
  > {
  readonly creatorLiquidityVestingInfo: { readonly vestingPercentage: number };
}
