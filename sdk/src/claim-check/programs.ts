import { bytesToHex } from "@noble/hashes/utils.js";
import { WRAPPED_SOL_MINT } from "@tokenctl/shared/payout";
import { TOKEN, TOKEN_2022 } from "@tokenctl/shared/programs/ids";
import type { BuiltInstruction, Given, ReadInstruction } from "@tokenctl/shared/programs/program";
import { type ClaimedPool, claimCurve, claimPosition } from "@tokenctl/shared/programs/recipes";
import { associatedToken } from "@tokenctl/shared/programs/solana";
import { token, token2022 } from "@tokenctl/shared/programs/token";
import { builder } from "../internal/program-address.ts";
import {
  type ClaimInstruction,
  expectSame,
  type InstructionCheck,
  isMark,
  NO_SANDBOX,
  refuseInstruction,
  tryRead,
} from "./instruction.ts";
import { isOfAgent, isTokenAccount, type Parties } from "./parties.ts";

/**
 * Allows a claim to unwrap the agent's SOL into its wallet, to close the agent's account for the
 * token (`createdAccounts` checks that the claim made it) and, with receivers, to prove how much
 * wrapped SOL there is. On a sandbox it also allows the mark, and transfers of wrapped SOL from the
 * token's fee vaults to the agent.
 */
export const checkToken: InstructionCheck = (instruction, parties) => {
  if (isMark(instruction)) {
    if (parties.sandboxVaults.size > 0) return null;
    refuseInstruction(instruction, NO_SANDBOX);
  }
  const { agent: owner, wrappedSol } = parties;
  const read = tryRead(instruction);
  switch (read?.name) {
    case "Transfer":
    case "TransferChecked":
      if (parties.receivers.length === 0 || !isTransferToSelf(instruction)) {
        return checkTransfer(instruction, read, parties);
      }
      // It fails unless the agent's account holds that much wrapped SOL.
      expectTransfer(instruction, { source: wrappedSol, destination: wrappedSol, owner });
      return null;
    case "CloseAccount":
      return checkClose(instruction, parties);
    case "SyncNative":
      expectSame(instruction, builder.build(token, "SyncNative", { account: wrappedSol }, {}));
      return null;
    default: {
      const what = read?.name ?? `instruction ${instruction.data[0]}`;
      return refuseInstruction(instruction, `${what} of the token program`);
    }
  }
};

export const checkToken2022: InstructionCheck = (instruction, parties) => {
  if (!isTokenClose(instruction)) {
    const [tag] = instruction.data;
    refuseInstruction(instruction, `instruction ${tag} of Token-2022 is not part of a claim`);
  }
  return checkClose(instruction, parties);
};

export function isTokenClose(instruction: ClaimInstruction): boolean {
  const { program } = instruction;
  const isToken = program === TOKEN || program === TOKEN_2022;
  return isToken && tryRead(instruction)?.name === "CloseAccount";
}

/** Returns whether a transfer's source is its destination, so that it moves nothing. */
export function isTransferToSelf(instruction: ClaimInstruction): boolean {
  const read = instruction.program === TOKEN ? tryRead(instruction) : null;
  return read?.name === "Transfer" && read.accounts.source === read.accounts.destination;
}

/** Expects a transfer of any amount. Without a mint, both accounts are of one mint. */
function expectTransfer(seen: ClaimInstruction, given: Given<typeof token, "Transfer">): void {
  const checked = { ...given, mint: WRAPPED_SOL_MINT };
  const wanted =
    tryRead(seen)?.name === "TransferChecked"
      ? builder.build(token, "TransferChecked", checked, { amount: 0n, decimals: 0 })
      : builder.build(token, "Transfer", given, { amount: 0n });
  expectSame(seen, { ...wanted, data: seen.data });
}

function checkTransfer(
  instruction: ClaimInstruction,
  { name, accounts }: ReadInstruction,
  parties: Parties,
): string {
  const { source = "" } = accounts;
  const { agent: owner, wrappedSol: destination } = parties;
  expectTransfer(instruction, { source, destination, owner });
  if (isOfAgent(parties, source)) {
    refuseInstruction(instruction, `${name} takes from the agent's own account ${source}`);
  }
  // The agent can take from any account whose owner approved it as delegate.
  const { sandboxVaults, isMarked } = parties;
  const tokenMint = sandboxVaults.get(source);
  if (tokenMint !== undefined && isMarked) return tokenMint;
  const isForeign = tokenMint === undefined && sandboxVaults.size > 0;
  const why = isForeign
    ? "which is not a fee vault of the token's pool"
    : "and could land on a real chain";
  return refuseInstruction(instruction, `${name} takes from ${source}, ${why}`);
}

/** In a sponsored claim, the sponsor gets the rent of the agent's account for the token. */
function checkClose(
  instruction: ClaimInstruction,
  { agent: owner, sponsor, wrappedSol, ...parties }: Parties,
): null {
  const { program, accounts } = instruction;
  const [account = ""] = accounts;
  const isForToken = isTokenAccount(parties, program, account);
  const given = isForToken
    ? { account, destination: sponsor ?? owner, owner }
    : { account: wrappedSol, destination: owner, owner };
  const of = isForToken && program === TOKEN_2022 ? token2022 : token;
  expectSame(instruction, builder.build(of, "CloseAccount", given, {}));
  return null;
}

/** In a sponsored claim each account must be new: then the returned rent is the sponsor's own. */
export const checkAssociatedToken: InstructionCheck = (
  instruction,
  { sponsor, agent, ...parties },
) => {
  const read = tryRead(instruction);
  if (read?.name !== "Create" && read?.name !== "CreateIdempotent") {
    refuseInstruction(instruction, "it does something other than create a token account");
  }
  if (sponsor !== null && read.name !== "Create") {
    refuseInstruction(instruction, "a sponsor pays for an account that may exist already");
  }
  const { mint = "", tokenProgram = "" } = read.accounts;
  const isWrappedSol = mint === WRAPPED_SOL_MINT && tokenProgram === TOKEN;
  if (!isWrappedSol && !parties.tokenAccounts.get(mint)?.has(tokenProgram)) {
    const saw = `${read.name} makes an account for mint ${mint} of program ${tokenProgram}: neither the token nor wrapped SOL`;
    refuseInstruction(instruction, saw);
  }
  const given = { payer: sponsor ?? agent, owner: agent, mint, tokenProgram };
  const wanted = builder.build(associatedToken, read.name, given, {});
  // A single 0 is Create too; `tryRead` accepts no other arguments.
  expectSame(instruction, { ...wanted, data: instruction.data });
  return null;
};

export const checkDbc: InstructionCheck = (instruction, parties) => {
  const { pool = "", ...seen } = accountsOf(instruction, "claim_creator_trading_fee");
  const token = { mint: seen.baseMint ?? "", tokenProgram: seen.tokenBaseProgram ?? "" };
  const claimed = { ...token, pool, agent: parties.agent };
  expectFees(instruction, parties, claimed, [pool], (of) => claimCurve(builder, of));
  return claimed.mint;
};

export const checkDammV2: InstructionCheck = (instruction, parties) => {
  const { pool = "", position = "", ...seen } = accountsOf(instruction, "claim_position_fee");
  const nftAccount = seen.positionNftAccount ?? "";
  const token = { mint: seen.tokenAMint ?? "", tokenProgram: seen.tokenAProgram ?? "" };
  const claimed = { ...token, pool, agent: parties.agent };
  const chosen = [pool, position, nftAccount];
  expectFees(instruction, parties, claimed, chosen, (of) =>
    claimPosition(builder, of, { position, nftAccount }),
  );
  return claimed.mint;
};

function accountsOf(instruction: ClaimInstruction, name: string) {
  const read = tryRead(instruction);
  if (read?.name === name) return read.accounts;
  const seen = bytesToHex(instruction.data.subarray(0, 8));
  return refuseInstruction(
    instruction,
    `it is not ${name}: ${seen}, ${instruction.data.length} bytes of data`,
  );
}

/**
 * Checks that the token's fees go to the agent's account for it, and fees in SOL to its account for
 * wrapped SOL. The server chooses pool and position. The program checks that they belong together
 * and to the agent; this function checks that none of them is an account of the agent.
 */
function expectFees(
  seen: ClaimInstruction,
  parties: Parties,
  claimed: ClaimedPool,
  chosen: readonly string[],
  build: (claimed: ClaimedPool) => BuiltInstruction,
): void {
  const { mint, tokenProgram } = claimed;
  const accounts = parties.tokenAccounts.get(mint);
  if (!accounts) {
    const tokens = [...parties.tokenAccounts.keys()].join(", ");
    refuseInstruction(seen, `it takes fees of ${mint} instead of the token (${tokens})`);
  }
  if (!accounts.has(tokenProgram))
    refuseInstruction(seen, `${tokenProgram} is not a token program`);
  const own = chosen.find((address) => isOfAgent(parties, address));
  if (own) refuseInstruction(seen, `it takes fees from the agent's own ${own}`);
  // The server also chooses the maximum that is taken.
  expectSame(seen, { ...build(claimed), data: seen.data });
}
