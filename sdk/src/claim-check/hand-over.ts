import { WRAPPED_SOL_MINT } from "@tokenctl/shared/payout";
import { DAMM_V2, DAMM_V2_CONFIGS, DBC, TOKEN, TOKEN_2022 } from "@tokenctl/shared/programs/ids";
import { givePosition, giveRole } from "@tokenctl/shared/programs/recipes";
import { token } from "@tokenctl/shared/programs/token";
import { builder } from "../internal/program-address.ts";
import { boundedFee, MOST_PER_BYTE, TOKEN_2022_ACCOUNT_BYTES } from "./cost.ts";
import {
  type ClaimInstruction,
  expectSame,
  readUnsignedMessage,
  refuseInstruction,
  refuseTransaction,
  splitMark,
} from "./instruction.ts";
import { parseAddress } from "./parties.ts";
import type { HandOverCost, HandOverTerms } from "./terms.ts";

/** The authority of `SetAuthority` that may close an account. */
const CLOSE_AUTHORITY = 3;

export function checkHandOver(transaction: Uint8Array, terms: HandOverTerms): HandOverCost {
  const { agent, sandboxPool } = terms;
  for (const name of ["agent", "tokenMint", "to"] as const) parseAddress(name, terms[name]);
  if (sandboxPool !== undefined) parseAddress("sandboxPool", sandboxPool);
  const message = readUnsignedMessage(transaction);
  const { signers, instructions } = message;
  if (signers.length !== 1 || signers[0] !== agent) {
    refuseTransaction(`its signers are ${signers.join(" and ")} instead of the agent (${agent})`);
  }
  const fee = boundedFee(message, terms);
  const { isMarked, own: rest } = splitMark(instructions, sandboxPool !== undefined);
  const [first] = rest;
  if (first === undefined) refuseTransaction("it gives nothing");
  const givesRole = first.program !== DAMM_V2;
  const pools = new Set<string>();
  if (first.program === TOKEN) pools.add(checkSandboxRole(first, terms, isMarked));
  else if (givesRole) pools.add(checkRole(first, terms));
  const positions: ReturnType<typeof checkPosition>[] = [];
  for (let at = givesRole ? 1 : 0; at < rest.length; at += 3) {
    positions.push(checkPosition(rest.slice(at, at + 3), terms));
  }
  for (const { pool } of positions) pools.add(pool);
  const perAccount = TOKEN_2022_ACCOUNT_BYTES * MOST_PER_BYTE;
  return {
    networkFeeLamports: fee,
    rentLamports: perAccount * BigInt(positions.length),
    createdAccounts: positions.map(({ account }) => ({ address: account, lamports: perAccount })),
    givesRole,
    givesPosition: positions.length > 0,
    positionNfts: positions.map(({ nft }) => nft),
    poolAddresses: [...pools],
  };
}

/** Allows giving the role in the token's pool, which follows from mint and config. Returns it. */
function checkRole(seen: ClaimInstruction, { agent, tokenMint, to }: HandOverTerms): string {
  const [, config = ""] = seen.accounts;
  const pool = builder.poolAddress(DBC, config, [tokenMint, WRAPPED_SOL_MINT]);
  expectSame(seen, giveRole(builder, { pool, config, from: agent, to }));
  return pool;
}

/** `refresh_vesting` fails on chain unless it names the position's pool. */
function checkPosition(
  [prove, make, transfer]: readonly (ClaimInstruction | undefined)[],
  { agent, tokenMint, to }: HandOverTerms,
): { readonly account: string; readonly nft: string; readonly pool: string } {
  if (!prove || !make || !transfer) refuseTransaction("it gives a position in part");
  const [pool = "", , source = ""] = prove.accounts;
  const [, nft = ""] = transfer.accounts;
  const poolUnder = (config: string) =>
    builder.poolAddress(DAMM_V2, config, [tokenMint, WRAPPED_SOL_MINT]);
  if (!DAMM_V2_CONFIGS.some((config) => poolUnder(config) === pool)) {
    refuseInstruction(prove, `it is about ${pool}, which is not a pool of the token`);
  }
  const own = [
    builder.derived(DAMM_V2, "position_nft_account", nft),
    builder.associated(agent, nft, TOKEN_2022),
  ];
  if (!own.includes(source)) {
    refuseInstruction(prove, `the account ${source} is not the agent's for the NFT ${nft}`);
  }
  const given = { pool, nftMint: nft, nftAccount: source, from: agent, to };
  const wanted = givePosition(builder, given);
  expectSame(prove, wanted[0]);
  expectSame(make, wanted[1]);
  expectSame(transfer, wanted[2]);
  return { account: builder.associated(to, nft, TOKEN_2022), nft, pool };
}

/** Allows the transfer of the role in a sandbox's pool: the authority to close its token vault. */
function checkSandboxRole(
  seen: ClaimInstruction,
  { agent, tokenMint, to, sandboxPool }: HandOverTerms,
  isMarked: boolean,
): string {
  if (!isMarked || sandboxPool === undefined || sandboxPool === agent) {
    refuseInstruction(seen, "it changes a token account, and could land on a real chain");
  }
  const account = builder.associated(sandboxPool, tokenMint, TOKEN);
  const given = { kind: CLOSE_AUTHORITY, authority: to };
  expectSame(seen, builder.build(token, "SetAuthority", { account, owner: agent }, given));
  return sandboxPool;
}
