import { ASSOCIATED_TOKEN, COMPUTE_BUDGET, TOKEN_2022 } from "@tokenctl/shared/programs/ids";
import { OverLimitError } from "../claim-errors.ts";
import {
  type ClaimInstruction,
  type ClaimMessage,
  refuseInstruction,
  tryRead,
} from "./instruction.ts";
import type { Parties } from "./parties.ts";
import { isTokenClose } from "./programs.ts";
import type { CreatedAccount, FeeTerms } from "./terms.ts";

/** The fee of a signature, without a node. Source: `DEFAULT_TARGET_LAMPORTS_PER_SIGNATURE`. */
const LAMPORTS_PER_SIGNATURE = 5_000n;
/** Maximum compute units of a transaction, even if it requests more. */
const MAX_COMPUTE_UNITS = 1_400_000n;
/** Compute units that each instruction adds if the transaction sets no limit. */
const DEFAULT_COMPUTE_UNITS = 200_000n;
const MICROLAMPORTS_PER_LAMPORT = 1_000_000n;
/** Programs whose first byte of data says how many more signatures are charged. */
const VERIFIERS = /^(Ed25519SigVerify|KeccakSecp256k1|Secp256r1SigVerify)1+$/;

/** The compute budget settings that a transaction may have, and their arguments. */
const SETTINGS = { SetComputeUnitLimit: "units", SetComputeUnitPrice: "microLamports" } as const;

/** Returns lamports of network fee: a node's figure, or without one that of {@link networkFee}. */
export function boundedFee(
  { instructions, signers }: ClaimMessage,
  { maxNetworkFeeLamports: allowed, networkFeeLamports: asked }: FeeTerms,
): bigint {
  const counted = networkFee(instructions, signers.length);
  const needed = asked ?? counted;
  if (needed > allowed) throw new OverLimitError("maxNetworkFeeLamports", { needed, allowed });
  return needed;
}

export function networkFee(
  instructions: readonly ClaimInstruction[],
  signatures: number,
  ignored: readonly string[] = [],
): bigint {
  const settings = new Map<string, bigint>();
  for (const instruction of instructions) {
    if (instruction.program !== COMPUTE_BUDGET) continue;
    if (ignored.includes(tryRead(instruction)?.name ?? "")) continue;
    const [name, value] = readSetting(instruction);
    if (settings.has(name)) refuseInstruction(instruction, "the compute budget is set twice");
    settings.set(name, value);
  }
  const asked =
    settings.get("SetComputeUnitLimit") ?? DEFAULT_COMPUTE_UNITS * BigInt(instructions.length);
  const units = asked < MAX_COMPUTE_UNITS ? asked : MAX_COMPUTE_UNITS;
  const microlamports = units * (settings.get("SetComputeUnitPrice") ?? 0n);
  const priorityFee = (microlamports + MICROLAMPORTS_PER_LAMPORT - 1n) / MICROLAMPORTS_PER_LAMPORT;
  const verifying = instructions.filter(({ program }) => VERIFIERS.test(program));
  const charged = verifying.reduce((sum, { data: [more = 0] }) => sum + more, signatures);
  return LAMPORTS_PER_SIGNATURE * BigInt(charged) + priorityFee;
}

function readSetting(instruction: ClaimInstruction): readonly [name: string, value: bigint] {
  const read = tryRead(instruction);
  const name = read?.name as keyof typeof SETTINGS;
  if (!read || read.more.length > 0 || !Object.hasOwn(SETTINGS, name)) {
    const { data } = instruction;
    refuseInstruction(instruction, `compute budget instruction ${data[0]}, ${data.length} bytes`);
  }
  return [name, BigInt(read.args[SETTINGS[name]] as bigint | number)];
}

/** Maximum lamports per byte: Solana's `Rent::default`, which SIMD-0437 lowers in steps. */
export const MOST_PER_BYTE = 6_960n;

/** Bytes of each account beyond its data. Source: Solana's `ACCOUNT_STORAGE_OVERHEAD`. */
export const OVERHEAD_BYTES = 128n;

/** Bytes that a token account pays rent for. Source: spl-token's `Account::LEN`. */
export const TOKEN_ACCOUNT_BYTES = OVERHEAD_BYTES + 165n;

/** The same for Token-2022 if the mint requires no extension: 5 more bytes for `ImmutableOwner`. */
export const TOKEN_2022_ACCOUNT_BYTES = OVERHEAD_BYTES + 170n;

/** An upper bound: 165 bytes, the account type, `ImmutableOwner` and extensions are at most 195. */
const MOST_TOKEN_2022_BYTES = OVERHEAD_BYTES + 200n;

/** Of the accounts that a claim keeps, only that for wrapped SOL may have existed before. */
export function createdAccounts(
  instructions: readonly ClaimInstruction[],
  feePayouts: readonly ClaimInstruction[],
  parties: Parties,
): CreatedAccount[] {
  const used = new Set(feePayouts.flatMap(({ accounts }) => accounts));
  const created = new Map<string, bigint>();
  for (const instruction of instructions) {
    const { program, accounts } = instruction;
    if (program === ASSOCIATED_TOKEN) {
      const [, address = "", , , , tokenProgram = ""] = accounts;
      if (!used.has(address)) {
        refuseInstruction(instruction, `it makes the account ${address}, which receives no fees`);
      }
      const most = tokenProgram === TOKEN_2022 ? MOST_TOKEN_2022_BYTES : TOKEN_ACCOUNT_BYTES;
      created.set(address, most * MOST_PER_BYTE);
    }
    if (isTokenClose(instruction)) {
      const [address = ""] = accounts;
      if (address !== parties.wrappedSol && !created.has(address)) {
        refuseInstruction(instruction, `it closes the account ${address}, which it did not make`);
      }
      created.delete(address);
    }
  }
  return [...created].map(([address, lamports]) => ({ address, lamports }));
}

export function sumOfRents(accounts: readonly CreatedAccount[]): bigint {
  return accounts.reduce((sum, { lamports }) => sum + lamports, 0n);
}
