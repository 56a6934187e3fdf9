import bs58 from "bs58";
import { derived, poolAddress } from "../internal/program-address.ts";
import {
  COMPUTE_BUDGET_PROGRAM,
  DAMM_V2_CONFIGS,
  DAMM_V2_PROGRAM,
  DBC_EVENT_AUTHORITY,
  DBC_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from "./addresses.ts";
import { accountOf, expectSame, makeAccount } from "./expected-instruction.ts";
import type { HandOverCost, HandOverTerms } from "./hand-over-terms.ts";
import { type ClaimInstruction, refuseInstruction } from "./instruction.ts";
import { readUnsignedMessage, refuseTransaction } from "./message.ts";
import { networkFee } from "./network-fee.ts";
import { parseAddress } from "./parties.ts";
import { MOST_PER_BYTE, TOKEN_2022_ACCOUNT_BYTES } from "./rent.ts";

/** The first eight bytes of an instruction's data. Sources: DBC's IDL 0.2.1, DAMM v2's IDL. */
export const TRANSFER_POOL_CREATOR = Uint8Array.of(20, 7, 169, 33, 58, 147, 166, 33);
export const REFRESH_VESTING = Uint8Array.of(9, 94, 216, 14, 116, 204, 247, 0);

/** `TransferChecked` of one token without decimals: its tag, the amount (u64), the decimals. */
const TRANSFER_ONE = Uint8Array.of(12, 1, 0, 0, 0, 0, 0, 0, 0, 0);
/** `SetAuthority`: its tag, the kind of authority (to close the account), and that there is a new one. */
const GIVE_CLOSE_AUTHORITY = [6, 3, 1];

/** See `checkHandOverTransaction`. */
export function checkHandOver(transaction: Uint8Array, terms: HandOverTerms): HandOverCost {
  const { agent, maxNetworkFeeLamports: most } = terms;
  for (const name of ["agent", "tokenMint", "to"] as const) parseAddress(name, terms[name]);
  const { signers, blockhash, instructions } = readUnsignedMessage(transaction);
  if (signers.length !== 1 || signers[0] !== agent) {
    refuseTransaction(`its signers are ${signers.join(" and ")} instead of the agent (${agent})`);
  }
  // An unset blockhash is 32 zero bytes, which is also this address.
  if (blockhash === SYSTEM_PROGRAM) refuseTransaction("it has no recent blockhash");
  const fee = networkFee(instructions, signers.length);
  if (fee > most) {
    refuseTransaction(`it costs ${fee} lamports of network fee, more than the ${most} allowed`);
  }
  const rest = instructions.filter(({ program }) => program !== COMPUTE_BUDGET_PROGRAM);
  const [first] = rest;
  if (first === undefined) refuseTransaction("it gives nothing");
  const givesRole = first.program !== DAMM_V2_PROGRAM;
  if (first.program === TOKEN_PROGRAM) checkSandboxRole(first, terms);
  else if (givesRole) checkRole(first, terms);
  const positions: ReturnType<typeof checkPosition>[] = [];
  for (let at = givesRole ? 1 : 0; at < rest.length; at += 3) {
    positions.push(checkPosition(rest.slice(at, at + 3), terms));
  }
  const perAccount = TOKEN_2022_ACCOUNT_BYTES * MOST_PER_BYTE;
  return {
    networkFeeLamports: fee,
    rentLamports: perAccount * BigInt(positions.length),
    createdAccounts: positions.map(({ account }) => ({ address: account, lamports: perAccount })),
    givesRole,
    givesPosition: positions.length > 0,
    positionNfts: positions.map(({ nft }) => nft),
  };
}

/** Allows the transfer of the role in the token's own pool, which follows from the mint and the config. */
function checkRole(seen: ClaimInstruction, { agent, tokenMint, to }: HandOverTerms): void {
  const [, config = ""] = seen.accounts;
  const pool = poolAddress(DBC_PROGRAM, config, [tokenMint, WRAPPED_SOL_MINT]);
  expectSame(seen, {
    name: "transfer_pool_creator",
    program: DBC_PROGRAM,
    accounts: {
      virtual_pool: pool,
      config,
      creator: agent,
      new_creator: to,
      event_authority: DBC_EVENT_AUTHORITY,
      program: DBC_PROGRAM,
      migration_metadata: derived(DBC_PROGRAM, "meteora", pool),
    },
    data: TRANSFER_POOL_CREATOR,
  });
}

/**
 * Allows to give away the NFT of a position in the token's own pool. `refresh_vesting` fails on chain unless
 * the position, whose address follows from the NFT, is in the pool that it names.
 *
 * @returns the receiver's account for the NFT, and the NFT
 */
function checkPosition(
  [prove, make, transfer]: readonly (ClaimInstruction | undefined)[],
  { agent, tokenMint, to }: HandOverTerms,
): { readonly account: string; readonly nft: string } {
  if (!prove || !make || !transfer) refuseTransaction("it gives a position in part");
  const [pool = "", , source = ""] = prove.accounts;
  const [, nft = ""] = transfer.accounts;
  const poolUnder = (config: string) =>
    poolAddress(DAMM_V2_PROGRAM, config, [tokenMint, WRAPPED_SOL_MINT]);
  if (!DAMM_V2_CONFIGS.some((config) => poolUnder(config) === pool)) {
    refuseInstruction(prove, `it is about ${pool}, which is not a pool of the token`);
  }
  const own = [derived(DAMM_V2_PROGRAM, "position_nft_account", nft), ownAccount(agent, nft)];
  if (!own.includes(source)) {
    refuseInstruction(prove, `the account ${source} is not the agent's for the NFT ${nft}`);
  }
  const receiver = { payer: agent, owner: to, mint: nft, tokenProgram: TOKEN_2022_PROGRAM };
  const account = ownAccount(to, nft);
  expectSame(prove, {
    name: "refresh_vesting",
    program: DAMM_V2_PROGRAM,
    accounts: {
      pool,
      position: derived(DAMM_V2_PROGRAM, "position", nft),
      position_nft_account: source,
      owner: agent,
    },
    data: REFRESH_VESTING,
  });
  expectSame(make, makeAccount(receiver));
  expectSame(transfer, {
    name: "TransferChecked",
    program: TOKEN_2022_PROGRAM,
    accounts: { source, mint: nft, destination: account, owner: agent },
    data: TRANSFER_ONE,
  });
  return { account, nft };
}

const ownAccount = (wallet: string, nft: string) => accountOf(wallet, nft, TOKEN_2022_PROGRAM);

/** Allows to give the role in a sandbox's pool: the authority to close the pool's vault of the token. */
function checkSandboxRole(
  seen: ClaimInstruction,
  { agent, tokenMint, to, sandboxPool }: HandOverTerms,
): void {
  if (sandboxPool === undefined || sandboxPool === agent) {
    refuseInstruction(
      seen,
      "it changes a token account, and the server is not known to be a sandbox (allowSandboxClaims)",
    );
  }
  expectSame(seen, {
    name: "SetAuthority",
    program: TOKEN_PROGRAM,
    accounts: { account: accountOf(sandboxPool, tokenMint, TOKEN_PROGRAM), authority: agent },
    data: Uint8Array.of(...GIVE_CLOSE_AUTHORITY, ...bs58.decode(to)),
  });
}
