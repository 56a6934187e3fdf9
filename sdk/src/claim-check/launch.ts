import bs58 from "bs58";
import { LAUNCH_SIGNATURES } from "../internal/wire-transaction.ts";
import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from "./addresses.ts";
import { expectSame } from "./expected-instruction.ts";
import { expectedLaunch, tokenProgramOf } from "./expected-launch.ts";
import { type ClaimInstruction, refuseInstruction } from "./instruction.ts";
import type { CheckedLaunch, LaunchTerms } from "./launch-terms.ts";
import { readUnsignedMessage, refuseTransaction } from "./message.ts";
import { networkFee } from "./network-fee.ts";
import { rentOf, TOKEN_2022_ACCOUNT_BYTES, TOKEN_ACCOUNT_BYTES } from "./rent.ts";

/**
 * Bytes that rent is paid for when a pool is created: the mint, the pool, its two vaults and, for SPL Token,
 * the metadata. The mint of Token-2022 holds the texts. Measured on the programs.
 */
const CREATED_BYTES: Readonly<Record<string, bigint>> = {
  [TOKEN_PROGRAM]: 2_155n,
  [TOKEN_2022_PROGRAM]: 1_584n,
};
/** What Token Metadata takes for each token. Source: Metaplex's protocol fees. */
const METADATA_FEE = 10_000_000n;

export function checkLaunch(transaction: Uint8Array, terms: LaunchTerms): CheckedLaunch {
  const { signers, blockhash, instructions } = readUnsignedMessage(transaction);
  const [agent, mint, ...others] = signers;
  if (agent !== terms.agent || mint === undefined || mint === agent || others.length > 0) {
    refuseTransaction(
      `its signers are ${signers.join(" and ")} instead of the agent (${terms.agent}) and the mint`,
    );
  }
  // An unset blockhash is 32 zero bytes, which is also this address.
  if (blockhash === SYSTEM_PROGRAM) refuseTransaction("it has no recent blockhash");
  const fee = boundedFee(instructions, signers.length, terms);
  const [create, ...rest] = instructions.filter(
    ({ program }) => program !== COMPUTE_BUDGET_PROGRAM,
  );
  if (create === undefined) refuseTransaction("it creates no token");
  const tokenProgram = tokenProgramOf(create.data);
  if (tokenProgram === null) refuseInstruction(create, "it creates no token");
  const uri = terms.uri.replace("<mint>", mint);
  const expected = expectedLaunch({ ...terms, uri }, mint, tokenProgram);
  for (const [index, wanted] of expected.instructions.entries()) {
    const seen = [create, ...rest][index];
    if (seen === undefined) refuseTransaction(`it has no ${wanted.name}`);
    expectSame(seen, wanted);
  }
  const surplus = rest[expected.instructions.length - 1];
  if (surplus !== undefined) refuseInstruction(surplus, "it is no part of the launch asked for");
  const isSpl = tokenProgram === TOKEN_PROGRAM;
  const { firstBuy } = terms;
  return {
    tokenMint: mint,
    poolAddress: expected.poolAddress,
    networkFeeLamports: fee,
    rentBytes:
      (CREATED_BYTES[tokenProgram] ?? 0n) +
      (isSpl ? 0n : BigInt(create.data.length - TEXT_OVERHEAD)) +
      (firstBuy ? (isSpl ? TOKEN_ACCOUNT_BYTES : TOKEN_2022_ACCOUNT_BYTES) : 0n),
    metadataFeeLamports: isSpl ? METADATA_FEE : 0n,
    firstBuyLamports: firstBuy?.lamports ?? 0n,
  };
}

function boundedFee(
  instructions: readonly ClaimInstruction[],
  signatures: number,
  { maxNetworkFeeLamports: most }: Pick<LaunchTerms, "maxNetworkFeeLamports">,
): bigint {
  const fee = networkFee(instructions, signatures);
  if (fee <= most) return fee;
  return refuseTransaction(
    `it costs ${fee} lamports of network fee, more than the ${most} allowed`,
  );
}

/** Bytes of the data that are no text: eight of the discriminator, and the lengths of three texts. */
const TEXT_OVERHEAD = 20;

/** Tags of `SystemInstruction` by which a sandbox's launch takes SOL from the agent, and where the amount is. */
const SANDBOX_TAKES: Readonly<Record<number, number>> = { 0: 4, 2: 4 };
/** CreateAccountWithSeed has the length of its seed before the amount: base, length, seed, then lamports. */
const WITH_SEED = 3;

/** What a sandbox's launch may do: create this mint, for at most this much of the agent. */
export interface SandboxLaunchTerms extends Pick<LaunchTerms, "maxNetworkFeeLamports"> {
  readonly agent: string;
  readonly tokenMint: string;
  readonly most: bigint;
}

export interface SandboxLaunchCost {
  readonly networkFeeLamports: bigint;
  readonly takenLamports: bigint;
}

/**
 * Checks a launch on a sandbox, where SOL is free and pools are keys of the server: it takes at most `most`
 * lamports from the agent, and the agent approves and transfers no tokens. It creates the mint, so of all that
 * are signed for a mint one can land, and each other that fails takes the network fee.
 *
 * @returns the most that it takes from the agent, network fee included
 * @throws {ClaimCheckError} if it may do anything else
 */
export function checkSandboxLaunch(
  transaction: Uint8Array,
  { agent, tokenMint, most, ...terms }: SandboxLaunchTerms,
): SandboxLaunchCost {
  const { signers, instructions } = readUnsignedMessage(transaction, LAUNCH_SIGNATURES);
  if (signers[0] !== agent)
    refuseTransaction(`its fee payer is ${signers[0]} instead of the agent`);
  if (!instructions.some((instruction) => createsMint(instruction, tokenMint))) {
    refuseTransaction(`it does not create the mint ${tokenMint}`);
  }
  const networkFeeLamports = boundedFee(instructions, signers.length, terms);
  let taken = networkFeeLamports;
  for (const instruction of instructions) {
    const { program, accounts, data } = instruction;
    if (program === COMPUTE_BUDGET_PROGRAM) continue;
    if (program === ASSOCIATED_TOKEN_PROGRAM) {
      taken += rentOf(accounts[5] ?? "");
    } else if (program === SYSTEM_PROGRAM) {
      taken += lamportsOf(instruction);
    } else if (program !== TOKEN_PROGRAM) {
      refuseInstruction(instruction, "a program that is no part of a sandbox's launch is called");
    } else if (accounts.some((one, at) => one === agent && !(data[0] === APPROVE && at === 1))) {
      // Only the delegate of an approval does not have to sign.
      refuseInstruction(instruction, "the agent's own tokens are changed");
    }
  }
  if (taken > most) {
    refuseTransaction(`it takes ${taken} lamports from the agent, more than the ${most} allowed`);
  }
  return { networkFeeLamports, takenLamports: taken };
}

const MINT_BYTES = 82n;

/** Whether it is a `CreateAccount` of the mint, by its size and program: such an account is never closed. */
function createsMint({ program, accounts, data }: ClaimInstruction, mint: string): boolean {
  if (program !== SYSTEM_PROGRAM || accounts[1] !== mint || data.length !== 52) return false;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const isOwned = bs58.encode(data.subarray(20)) === TOKEN_PROGRAM;
  return view.getUint32(0, true) === 0 && view.getBigUint64(12, true) === MINT_BYTES && isOwned;
}

/** The tag of `TokenInstruction`; its accounts are the source, the delegate and the owner. */
const APPROVE = 4;

function lamportsOf(instruction: ClaimInstruction): bigint {
  const { data } = instruction;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const tag = data.length >= 4 ? view.getUint32(0, true) : -1;
  const seedAt = 4 + 32;
  const at =
    tag === WITH_SEED && data.length > seedAt + 8
      ? seedAt + 8 + Number(view.getBigUint64(seedAt, true))
      : SANDBOX_TAKES[tag];
  if (at === undefined || at + 8 > data.length) {
    return refuseInstruction(instruction, "it does something other than create accounts and pay");
  }
  return view.getBigUint64(at, true);
}
