import { PublicKey } from "@solana/web3.js";
import { WRAPPED_SOL_MINT } from "@tokenctl/shared/payout";
import { dammV2 } from "@tokenctl/shared/programs/damm-v2";
import { dbc } from "@tokenctl/shared/programs/dbc";
import { COMPUTE_BUDGET, SYSTEM, TOKEN } from "@tokenctl/shared/programs/ids";
import { InstructionBuilder, readInstruction } from "@tokenctl/shared/programs/program";
import { PROGRAMS } from "@tokenctl/shared/programs/programs";
import { associatedToken, system } from "@tokenctl/shared/programs/solana";
import { token, token2022 } from "@tokenctl/shared/programs/token";
import { readMessage, type WireMessage } from "@tokenctl/shared/wire-transaction";
import bs58 from "bs58";

export const PURPOSES = ["launch", "claim", "migrate", "collect"] as const;
export type Purpose = (typeof PURPOSES)[number];

/** The operator's rules for what to sign, in addition to the tables below. */
export interface Rules {
  readonly purposes: readonly Purpose[];
  /** The configs for new tokens; null for any. A config decides what a launch costs. */
  readonly configs: readonly string[] | null;
  /** Maximum network fee of one transaction, lamports. */
  readonly maxFeeLamports: bigint;
  readonly tipAccounts: readonly string[];
  /** Maximum of the one transfer to a tip account, lamports; 0 for none. */
  readonly maxTipLamports: bigint;
}

/** The roles that the wallet may have in an instruction, by the interface's account names. */
type Roles = Readonly<Record<string, readonly string[]>>;

const CLOSES = { CloseAccount: ["destination", "owner"] };

/**
 * By purpose and program, the instructions that may include the wallet. One without the wallet
 * cannot take from it, but only claims may contain those, because the agent also signs a claim. An
 * unknown program could: the network charges the fee payer for each signature that one verifies.
 */
const TABLE: Readonly<Record<Purpose, Readonly<Record<string, Roles>>>> = {
  launch: {
    [dbc.id]: {
      initialize_virtual_pool_with_spl_token: ["creator", "payer"],
      initialize_virtual_pool_with_token2022: ["creator", "payer"],
      transfer_pool_creator: ["creator"],
    },
  },
  migrate: { [dbc.id]: { migration_damm_v2: ["payer"] } },
  collect: {
    [dbc.id]: {
      claim_trading_fee: ["feeClaimer"],
      partner_withdraw_surplus: ["feeClaimer"],
      claim_partner_pool_creation_fee: ["feeClaimer", "feeReceiver"],
    },
    [dammV2.id]: { claim_position_fee: ["signer"] },
    [associatedToken.id]: { Create: ["payer", "owner"], CreateIdempotent: ["payer", "owner"] },
    [token.id]: CLOSES,
    [token2022.id]: CLOSES,
  },
  claim: {
    [associatedToken.id]: { Create: ["payer"], CreateIdempotent: ["payer"] },
    [token.id]: { CloseAccount: ["destination"] },
    [token2022.id]: { CloseAccount: ["destination"] },
    [system.id]: { Transfer: ["to"] },
  },
};

/** The accounts that receive what a collection takes. */
const PAID = new Set(["tokenAAccount", "tokenBAccount", "tokenQuoteAccount", "feeReceiver"]);

const SIGNATURE_LAMPORTS = 5_000n;
const MICRO_LAMPORTS = 1_000_000n;
/** The limit of a transaction that sets none (`MAX_COMPUTE_UNIT_LIMIT` of agave). */
const MAX_UNITS = 1_400_000n;

const addresses = new InstructionBuilder((seeds, program) =>
  PublicKey.findProgramAddressSync([...seeds], new PublicKey(program))[0].toBytes(),
);

interface Instruction {
  readonly program: string;
  readonly name: string | null;
  readonly accounts: Readonly<Record<string, string>>;
  /** Accounts that the interface does not name; all of them if the instruction is unknown. */
  readonly more: readonly string[];
  readonly args: Readonly<Record<string, unknown>>;
}

/** Returns why the signer refuses a message for a purpose; null if it signs. */
export function refusal(
  bytes: Uint8Array,
  { purpose, wallet }: { readonly purpose: Purpose; readonly wallet: string },
  rules: Rules,
): string | null {
  try {
    const message = readMessage(bytes);
    if (message.lookups.length > 0) return "takes addresses from a table";
    const signers = message.staticKeys.slice(0, message.requiredSignatures);
    if (!signers.some((key) => bs58.encode(key) === wallet))
      return "does not need the wallet's signature";
    const all = instructionsOf(message);
    const isTip = tipOf(purpose, wallet, rules);
    const problems = [
      feeProblem(message, all, rules),
      tipProblem(all.filter(isTip), rules),
      ...all.filter((one) => !isTip(one)).map((one) => problemOf(one, purpose, wallet)),
      purpose === "launch" ? (configProblem(all, rules) ?? poolProblem(all)) : null,
      purpose === "claim" ? repaymentProblem(all, wallet) : null,
    ];
    return problems.find((problem) => problem !== null) ?? null;
  } catch (error) {
    if (error instanceof RangeError) return `cannot be read (${error.message})`;
    throw error;
  }
}

function instructionsOf({ staticKeys, instructions }: WireMessage): Instruction[] {
  const keys = staticKeys.map((key) => bs58.encode(key));
  const keyOf = (index: number) => {
    const key = keys[index];
    if (key === undefined) throw new RangeError("an account is missing");
    return key;
  };
  return instructions.map(({ programIdIndex, accounts, data }) => {
    const program = keyOf(programIdIndex);
    const given = [...accounts].map(keyOf);
    const table = PROGRAMS.get(program);
    const read = table ? readInstruction(table, given, data) : null;
    return { program, ...(read ?? { name: null, accounts: {}, more: given, args: {} }) };
  });
}

function problemOf(
  { program, name, accounts, more }: Instruction,
  purpose: Purpose,
  wallet: string,
): string | null {
  if (program === COMPUTE_BUDGET) return null;
  const roles = name === null ? undefined : TABLE[purpose][program]?.[name];
  const isGivenWallet = more.includes(wallet) || Object.values(accounts).includes(wallet);
  if (!roles) {
    if (purpose === "claim" && name !== null && !isGivenWallet) return null;
    return `calls ${name ?? "an unknown instruction"} of ${PROGRAMS.get(program)?.name ?? program}`;
  }
  const wrong = Object.keys(accounts).find(
    (role) => accounts[role] === wallet && !roles.includes(role),
  );
  if (wrong !== undefined || more.includes(wallet))
    return `makes the wallet the ${wrong} of ${name}`;
  return purpose === "collect" ? payeeProblem({ name, accounts }, wallet, roles) : null;
}

/** Refuses a collection that pays another wallet, because it takes what belongs to this one. */
function payeeProblem(
  { name, accounts }: Pick<Instruction, "name" | "accounts">,
  wallet: string,
  roles: readonly string[],
): string | null {
  const { baseMint = accounts.tokenAMint ?? "", tokenBaseProgram, tokenAProgram } = accounts;
  const own = new Set([wallet, addresses.associated(wallet, WRAPPED_SOL_MINT, TOKEN)]);
  const tokenProgram = tokenBaseProgram ?? tokenAProgram;
  if (tokenProgram) own.add(addresses.associated(wallet, baseMint, tokenProgram));
  const paid = Object.keys(accounts).filter((role) => PAID.has(role) || roles.includes(role));
  const other = paid.find((role) => !own.has(accounts[role] ?? ""));
  return other === undefined ? null : `pays another wallet: the ${other} of ${name}`;
}

function configProblem(all: readonly Instruction[], { configs }: Rules): string | null {
  const other = all.find(({ program, accounts }) => {
    return program === dbc.id && configs?.includes(accounts.config ?? "") === false;
  });
  return other ? `is under another config: ${other.accounts.config}` : null;
}

/** Refuses a launch unless it creates one pool and gives away no other: the wallet may have more. */
function poolProblem(all: readonly Instruction[]): string | null {
  const [pool, ...others] = all.flatMap(({ accounts }) => accounts.pool ?? []);
  if (pool === undefined || others.length > 0) return "does not create one pool";
  const given = all.flatMap(({ accounts }) => accounts.virtualPool ?? []);
  const other = given.find((one) => one !== pool);
  return other === undefined ? null : `gives away another pool: ${other}`;
}

/** Refuses a claim unless it closes each account that the wallet pays for, and is repaid. */
function repaymentProblem(all: readonly Instruction[], wallet: string): string | null {
  const named = (name: string) => all.filter((one) => one.name?.startsWith(name) === true);
  const made = named("Create").filter(({ accounts }) => accounts.payer === wallet);
  const last = new Map(all.map(({ accounts, name }) => [accounts.account, name]));
  if (made.some(({ accounts }) => last.get(accounts.account) !== "CloseAccount"))
    return "leaves an account";
  const isRepaid = named("Transfer").some(({ accounts }) => accounts.to === wallet);
  return isRepaid ? null : "does not repay the wallet";
}

/** Returns a function that recognizes tips. Claims, which agents sign, have none. */
function tipOf(purpose: Purpose, wallet: string, { tipAccounts }: Rules) {
  return ({ program, name, accounts: { from, to = "" } }: Instruction) => {
    const isTransfer = program === SYSTEM && name === "Transfer" && from === wallet;
    return purpose !== "claim" && isTransfer && tipAccounts.includes(to);
  };
}

function tipProblem(tips: readonly Instruction[], { maxTipLamports }: Rules): string | null {
  if (tips.length > 1) return "pays several tips";
  const lamports = BigInt((tips[0]?.args.lamports as bigint | undefined) ?? 0n);
  return lamports > maxTipLamports
    ? `tips ${lamports} lamports, more than ${maxTipLamports}`
    : null;
}

function feeProblem(
  { requiredSignatures, config }: WireMessage,
  all: readonly Instruction[],
  { maxFeeLamports }: Rules,
): string | null {
  const asked = (name: string, field: string) => {
    const found = all.find((one) => one.program === COMPUTE_BUDGET && one.name === name);
    return found ? BigInt(found.args[field] as number | bigint) : null;
  };
  const price = asked("SetComputeUnitPrice", "microLamports") ?? 0n;
  const units = asked("SetComputeUnitLimit", "units") ?? MAX_UNITS;
  const bid = (price * units + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS;
  const fee = BigInt(requiredSignatures) * SIGNATURE_LAMPORTS + bid + (config?.priorityFee ?? 0n);
  return fee > maxFeeLamports ? `costs ${fee} lamports in fees, more than ${maxFeeLamports}` : null;
}
