import { WRAPPED_SOL_MINT } from "@tokenctl/shared/payout";
import { DBC, INSTRUCTIONS_SYSVAR, TOKEN, TOKEN_2022 } from "@tokenctl/shared/programs/ids";
import { buyFirst, createPool, launchPrice } from "@tokenctl/shared/programs/recipes";
import { builder } from "../internal/program-address.ts";
import { boundedFee } from "./cost.ts";
import {
  type ClaimInstruction,
  type ClaimMessage,
  expectSame,
  readUnsignedMessage,
  refuseInstruction,
  refuseTransaction,
  splitMark,
  tryRead,
} from "./instruction.ts";
import { type ExpectedLaunch, sandboxLaunch } from "./sandbox-launch.ts";
import type { CheckedLaunch, LaunchTerms } from "./terms.ts";

export function checkLaunch(transaction: Uint8Array, terms: LaunchTerms): CheckedLaunch {
  const message = readUnsignedMessage(transaction);
  const { isMarked, own } = splitMark(message.instructions, terms.config === null);
  if (terms.config === null && !isMarked) refuseTransaction("it could land on a real chain");
  const networkFeeLamports = boundedFee(message, terms);
  const { signers, instructions, ...launch } =
    terms.config === null ? sandboxLaunch(own, terms) : realLaunch(message, own, terms);
  const [seen, wanted] = [message.signers, [terms.agent, ...signers]];
  const isSame = seen.length === wanted.length && wanted.every((one) => seen.includes(one));
  if (!isSame || seen[0] !== terms.agent) {
    refuseTransaction(`its signers are ${seen.join(" and ")} instead of ${wanted.join(" and ")}`);
  }
  for (const [index, one] of instructions.entries()) {
    const found = own[index];
    if (found === undefined) refuseTransaction(`it has no ${one.name}`);
    expectSame(found, one);
  }
  const surplus = own[instructions.length];
  if (surplus) refuseInstruction(surplus, "it is not part of the launch asked for");
  return { ...launch, networkFeeLamports, firstBuyLamports: terms.firstBuy?.lamports ?? 0n };
}

/** Bytes of the data that are not text: the discriminator (8), and the lengths of three texts. */
const TEXT_OVERHEAD = 20;

/** Builds the launch that the agent asked for on a real chain, with the given mint. */
function realLaunch(
  { signers: [, mint = ""] }: ClaimMessage,
  instructions: readonly ClaimInstruction[],
  { config, uri, ...terms }: LaunchTerms,
): ExpectedLaunch {
  const [create] = instructions;
  if (create === undefined) refuseTransaction("it creates no token");
  const { tokenProgram } = tryRead(create)?.accounts ?? {};
  const isSpl = tokenProgram === TOKEN;
  if (!isSpl && tokenProgram !== TOKEN_2022) {
    refuseInstruction(create, "it creates no token");
  }
  const isShown = instructions.some(({ accounts }) => accounts.includes(INSTRUCTIONS_SYSVAR));
  const firstBuy = terms.firstBuy && { atLowestFee: isShown, ...terms.firstBuy };
  const of = { ...terms, firstBuy, config: config ?? "", uri: uri.replace("<mint>", mint) };
  const textBytes = create.data.length - TEXT_OVERHEAD;
  const price = launchPrice(tokenProgram, textBytes, terms.firstBuy !== undefined);
  return {
    ...expectedLaunch(of, mint, tokenProgram),
    signers: [mint],
    tokenMint: mint,
    tokenStandard: isSpl ? "spl" : "token-2022",
    rentBytes: price.rentBytes,
    metadataFeeLamports: price.metadataLamports,
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
    poolAddress: builder.poolAddress(DBC, texts.config, [mint, WRAPPED_SOL_MINT]),
    instructions: [createPool(builder, pool), ...buys],
  };
}
