import { bytesToHex } from "@noble/hashes/utils.js";
import {
  DAMM_V2_POOL_AUTHORITY,
  DAMM_V2_PROGRAM,
  DBC_POOL_AUTHORITY,
  DBC_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from "./addresses.ts";
import type { ClaimInstruction, InstructionCheck } from "./instruction.ts";
import { expectAccount, nameAccounts, refuseInstruction } from "./instruction.ts";
import type { Parties } from "./parties.ts";
import { isOfAgent } from "./parties.ts";

/** The instruction by which one of Meteora's programs pays fees. */
export interface FeeInstruction {
  readonly name: string;
  /** The first eight bytes of the data. */
  readonly discriminator: readonly number[];
  /** Bytes of the whole data. */
  readonly dataLength: number;
  readonly program: string;
  readonly poolAuthority: string;
  readonly accounts: readonly FeeAccount[];
}

type FeeAccount = (typeof curveAccounts | typeof positionAccounts)[number];

/** The accounts of `claim_creator_trading_fee`, by the names that `claim_position_fee` gives them. */
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

/** Source: DBC's IDL 0.2.1, `claim_creator_trading_fee`, with two u64 limits as arguments. */
export const claimCreatorTradingFee: FeeInstruction = {
  name: "claim_creator_trading_fee",
  discriminator: [82, 220, 250, 189, 3, 85, 107, 45],
  dataLength: 24,
  program: DBC_PROGRAM,
  poolAuthority: DBC_POOL_AUTHORITY,
  accounts: curveAccounts,
};

/** Source: DAMM v2's IDL, `claim_position_fee`, without arguments. */
export const claimPositionFee: FeeInstruction = {
  name: "claim_position_fee",
  discriminator: [180, 38, 154, 17, 133, 33, 162, 211],
  dataLength: 8,
  program: DAMM_V2_PROGRAM,
  poolAuthority: DAMM_V2_POOL_AUTHORITY,
  accounts: positionAccounts,
};

/** Allows the claim of a creator's fees from a bonding curve. */
export const checkDbc: InstructionCheck = (instruction, parties) =>
  checkFees(claimCreatorTradingFee, instruction, parties);

/** Allows the claim of a position's fees from a liquidity pool. */
export const checkDammV2: InstructionCheck = (instruction, parties) =>
  checkFees(claimPositionFee, instruction, parties);

/**
 * Token A is the token and token B is wrapped SOL; both are paid into the agent's accounts. The
 * check does not know the pool and its vaults: the program checks that they belong together, and
 * this check that none of them is the agent's.
 */
function checkFees(
  fee: FeeInstruction,
  instruction: ClaimInstruction,
  parties: Parties,
): "takes fees" {
  const { data } = instruction;
  if (!fee.discriminator.every((byte, i) => data[i] === byte)) {
    const seen = bytesToHex(data.subarray(0, 8));
    refuseInstruction(instruction, `instruction ${seen} instead of ${fee.name}`);
  }
  if (data.length !== fee.dataLength) {
    refuseInstruction(instruction, `${fee.name} with ${data.length} bytes of data`);
  }
  const accounts = nameAccounts(instruction, fee.name, fee.accounts);
  const expect = (name: FeeAccount, expected: string, whose: string) =>
    expectAccount(instruction, `${fee.name}'s ${name}`, accounts[name], expected, whose);
  const tokenAccounts = parties.tokenAccounts.get(accounts.tokenAMint);
  if (tokenAccounts === undefined) {
    const tokens = [...parties.tokenAccounts.keys()].join(", ");
    const saw = `${fee.name}'s tokenAMint is ${accounts.tokenAMint} instead of the token (${tokens})`;
    refuseInstruction(instruction, saw);
  }
  const tokenAccount = tokenAccounts.get(accounts.tokenAProgram);
  if (tokenAccount === undefined) {
    const saw = `${fee.name}'s tokenAProgram is ${accounts.tokenAProgram}: not a token program`;
    refuseInstruction(instruction, saw);
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
  return "takes fees";
}
