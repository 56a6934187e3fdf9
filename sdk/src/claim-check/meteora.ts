import { bytesToHex } from "@noble/hashes/utils.js";
import {
  DAMM_V2_POOL_AUTHORITY,
  DAMM_V2_PROGRAM,
  DBC_POOL_AUTHORITY,
  DBC_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from "./addresses.ts";
import type { ClaimInstruction, InstructionCheck, NamedAccounts } from "./instruction.ts";
import { expectAccount, nameAccounts, refuseInstruction } from "./instruction.ts";
import type { Parties } from "./parties.ts";
import { isOfAgent } from "./parties.ts";

/** The instruction by which one of Meteora's programs pays fees. */
interface FeeInstruction {
  readonly name: string;
  /** The first eight bytes of the data. */
  readonly discriminator: readonly number[];
  /** Bytes of the whole data. */
  readonly dataLength: number;
  readonly program: string;
  readonly poolAuthority: string;
}

/** Source: DBC's IDL 0.2.1, `claim_creator_trading_fee`, with two u64 limits as arguments. */
const claimCreatorTradingFee: FeeInstruction = {
  name: "claim_creator_trading_fee",
  discriminator: [82, 220, 250, 189, 3, 85, 107, 45],
  dataLength: 24,
  program: DBC_PROGRAM,
  poolAuthority: DBC_POOL_AUTHORITY,
};

/** Source: DAMM v2's IDL, `claim_position_fee`, without arguments. */
const claimPositionFee: FeeInstruction = {
  name: "claim_position_fee",
  discriminator: [180, 38, 154, 17, 133, 33, 162, 211],
  dataLength: 8,
  program: DAMM_V2_PROGRAM,
  poolAuthority: DAMM_V2_POOL_AUTHORITY,
};

/** Accounts of `claim_creator_trading_fee`, named as `claim_position_fee` names the same. */
const curveAccounts = [
  "poolAuthority",
  "pool",
  "tokenAAccount",
  "tokenBAccount",
  "tokenAVault",
  "tokenBVault",
  "tokenAMint",
  "tokenBMint",
  "signer",
  "tokenAProgram",
  "tokenBProgram",
  "eventAuthority",
  "program",
] as const;

const positionAccounts = [
  "poolAuthority",
  "pool",
  "position",
  "tokenAAccount",
  "tokenBAccount",
  "tokenAVault",
  "tokenBVault",
  "tokenAMint",
  "tokenBMint",
  "positionNftAccount",
  "signer",
  "tokenAProgram",
  "tokenBProgram",
  "eventAuthority",
  "program",
] as const;

/** Allows the claim of a creator's fees from a bonding curve. */
export const checkDbc: InstructionCheck = (instruction, parties) => {
  expectFeeInstruction(instruction, claimCreatorTradingFee);
  const accounts = nameAccounts(instruction, claimCreatorTradingFee.name, curveAccounts);
  checkFeeAccounts(instruction, claimCreatorTradingFee, accounts, parties);
  return "takes fees";
};

/** Allows the claim of a position's fees from a liquidity pool. */
export const checkDammV2: InstructionCheck = (instruction, parties) => {
  expectFeeInstruction(instruction, claimPositionFee);
  const accounts = nameAccounts(instruction, claimPositionFee.name, positionAccounts);
  checkFeeAccounts(instruction, claimPositionFee, accounts, parties);
  return "takes fees";
};

function expectFeeInstruction(instruction: ClaimInstruction, fee: FeeInstruction): void {
  const { data } = instruction;
  if (!fee.discriminator.every((byte, i) => data[i] === byte)) {
    const seen = bytesToHex(data.subarray(0, 8));
    refuseInstruction(instruction, `instruction ${seen} instead of ${fee.name}`);
  }
  if (data.length !== fee.dataLength) {
    refuseInstruction(instruction, `${fee.name} with ${data.length} bytes of data`);
  }
}

/**
 * Token A is the token and token B is wrapped SOL; both are paid into the agent's accounts. The
 * check does not know the pool and its vaults. The program checks that they belong together, and
 * this check that none of them is the agent's.
 */
function checkFeeAccounts(
  instruction: ClaimInstruction,
  fee: FeeInstruction,
  accounts: NamedAccounts<(typeof curveAccounts)[number]>,
  parties: Parties,
): void {
  const expect = (name: keyof typeof accounts, expected: string, whose: string) =>
    expectAccount(instruction, `${fee.name}'s ${name}`, accounts[name], expected, whose);
  const tokenAccounts = parties.tokenAccounts.get(accounts.tokenAMint);
  if (tokenAccounts === undefined) {
    refuseInstruction(
      instruction,
      `${fee.name}'s tokenAMint is ${accounts.tokenAMint} instead of the token (${[...parties.tokenAccounts.keys()].join(", ")})`,
    );
  }
  const tokenAccount = tokenAccounts.get(accounts.tokenAProgram);
  if (tokenAccount === undefined) {
    refuseInstruction(
      instruction,
      `${fee.name}'s tokenAProgram is ${accounts.tokenAProgram}: not a token program`,
    );
  }
  expect("signer", parties.agent, "the agent");
  expect("tokenBMint", WRAPPED_SOL_MINT, "wrapped SOL");
  expect("tokenBProgram", TOKEN_PROGRAM, "SPL Token");
  expect("tokenAAccount", tokenAccount, "the agent's account for the token");
  expect("tokenBAccount", parties.wrappedSol, "the agent's wrapped-SOL account");
  expect("poolAuthority", fee.poolAuthority, "the program's");
  expect("program", fee.program, "the program itself");
  for (const [name, address] of Object.entries(accounts)) {
    const isReceiverOrSigner = ["tokenAAccount", "tokenBAccount", "signer"].includes(name);
    if (!isReceiverOrSigner && isOfAgent(parties, address)) {
      refuseInstruction(instruction, `${fee.name}'s ${name} is the agent's own ${address}`);
    }
  }
}
