import { INSTRUCTIONS_SYSVAR } from "@tokenctl/shared/programs/ids";
import type { BuiltInstruction } from "@tokenctl/shared/programs/program";
import { buyFirst, createPool } from "@tokenctl/shared/programs/recipes";
import { builder } from "../internal/program-address.ts";
import { DBC_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WRAPPED_SOL_MINT } from "./addresses.ts";
import { TOKEN_2022_ACCOUNT_BYTES, TOKEN_ACCOUNT_BYTES } from "./cost.ts";
import {
  type ClaimInstruction,
  type ClaimMessage,
  refuseInstruction,
  refuseTransaction,
  tryRead,
} from "./instruction.ts";
import type { CheckedLaunch, LaunchTerms } from "./launch-terms.ts";

/**
 * Bytes that rent is paid for when a pool is created: the mint, the pool, its two vaults and, for
 * SPL Token, the metadata. A Token-2022 mint also holds the texts. Measured on the programs.
 */
const CREATED_BYTES = { [TOKEN_PROGRAM]: 2_155n, [TOKEN_2022_PROGRAM]: 1_584n } as const;
/** Lamports that Token Metadata takes for each token. Source: Metaplex's protocol fees. */
const METADATA_FEE = 10_000_000n;
/** Bytes of the data that are not text: the discriminator (8), and the lengths of three texts. */
const TEXT_OVERHEAD = 20;

/** The launch that an agent expects; any other transaction is a forgery. */
export interface ExpectedLaunch
  extends Omit<CheckedLaunch, "networkFeeLamports" | "firstBuyLamports"> {
  /** All signers except the agent. */
  readonly signers: readonly string[];
  /** All instructions except the compute budget's and the mark. */
  readonly instructions: readonly BuiltInstruction[];
}

/** Builds the launch that the agent asked for on a real chain, with the given mint. */
export function realLaunch(
  { signers: [, mint = ""] }: Pick<ClaimMessage, "signers">,
  instructions: readonly ClaimInstruction[],
  { config, uri, ...terms }: LaunchTerms,
): ExpectedLaunch {
  const [create] = instructions;
  if (create === undefined) refuseTransaction("it creates no token");
  const { tokenProgram } = tryRead(create)?.accounts ?? {};
  const isSpl = tokenProgram === TOKEN_PROGRAM;
  if (!isSpl && tokenProgram !== TOKEN_2022_PROGRAM) {
    refuseInstruction(create, "it creates no token");
  }
  const isShown = instructions.some(({ accounts }) => accounts.includes(INSTRUCTIONS_SYSVAR));
  const firstBuy = terms.firstBuy && { atLowestFee: isShown, ...terms.firstBuy };
  const of = { ...terms, firstBuy, config: config ?? "", uri: uri.replace("<mint>", mint) };
  const account = isSpl ? TOKEN_ACCOUNT_BYTES : TOKEN_2022_ACCOUNT_BYTES;
  const texts = isSpl ? 0n : BigInt(create.data.length - TEXT_OVERHEAD);
  return {
    ...expectedLaunch(of, mint, tokenProgram),
    signers: [mint],
    tokenMint: mint,
    tokenStandard: isSpl ? "spl" : "token-2022",
    rentBytes: CREATED_BYTES[tokenProgram] + texts + (terms.firstBuy ? account : 0n),
    metadataFeeLamports: isSpl ? METADATA_FEE : 0n,
  };
}

export function expectedLaunch(
  { agent, firstBuy, ...texts }: LaunchTerms & { readonly config: string },
  mint: string,
  tokenProgram: string,
): Pick<ExpectedLaunch, "poolAddress" | "instructions"> {
  const pool = { ...texts, payer: agent, mint, tokenProgram };
  const atLowestFee = firstBuy?.atLowestFee === true;
  const buys = firstBuy ? buyFirst(builder, pool, { ...firstBuy, atLowestFee }) : [];
  return {
    poolAddress: builder.poolAddress(DBC_PROGRAM, texts.config, [mint, WRAPPED_SOL_MINT]),
    instructions: [createPool(builder, pool), ...buys],
  };
}
