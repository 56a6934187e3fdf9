/**
 * A signer for the launch wallet: a program that `tokend` starts for each request.
 *
 *     LAUNCH_SIGNER="/usr/bin/bun /opt/tokend/launch-signer.ts /etc/tokend/launch.json" tokend
 *
 * Replace the keypair file by a key service, or start the program with rights of its own (by `sudo -u`):
 * then the server cannot read the key. Standard input is one JSON object, standard output its answer:
 *
 *     {"method": "publicKey"}                                → {"publicKey": "base58"}
 *     {"method": "allows", "publicKey", "purpose"}           → {"allowed": "yes"}
 *     {"method": "sign", "publicKey", "message", "purpose"}  → {"signature": "base64"}
 *                                            or, to the latter two, {"error": "why not"}
 *
 * `message` is a transaction's message in base64, and `purpose` is what it is for. RULES has a rule for
 * each purpose that this signer signs for. It signs no `config`: an operator makes one once, by hand.
 */
import { readFile } from "node:fs/promises";
import { json } from "node:stream/consumers";
import {
  ASSOCIATED_TOKEN_PROGRAM_ID,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from "@solana/spl-token";
import {
  ComputeBudgetProgram,
  type MessageCompiledInstruction,
  SystemProgram,
  VersionedMessage,
} from "@solana/web3.js";
import { keypairSigner } from "@tokenctl/sdk";

const CURVE = "dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN";
const LIQUIDITY = "cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG";
const BUDGET = ComputeBudgetProgram.programId.toBase58();
const TOKEN = TOKEN_PROGRAM_ID.toBase58();
const TOKEN_2022 = TOKEN_2022_PROGRAM_ID.toBase58();
const ACCOUNTS = ASSOCIATED_TOKEN_PROGRAM_ID.toBase58();
const SYSTEM = SystemProgram.programId.toBase58();

/** Closes a token account; of the token programs' instructions only this one pays lamports out. */
const CLOSE_ACCOUNT = 9;

interface Instruction {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
}

/** Why an instruction is not signed; null if it is. */
type Rule = (instruction: Instruction, wallet: string) => string | null;

/** Nothing but these programs, and no transfer out of the wallet's account. */
const only =
  (...programs: readonly string[]): Rule =>
  ({ program, accounts }, own) => {
    if (![BUDGET, ...programs].includes(program)) return `calls ${program}`;
    return program === SYSTEM && accounts[0] === own ? "moves the wallet's SOL" : null;
  };

const collects = only(CURVE, LIQUIDITY, ACCOUNTS, TOKEN, TOKEN_2022);

const RULES: Readonly<Record<string, Rule>> = {
  launch: only(CURVE),
  claim: only(CURVE, LIQUIDITY, ACCOUNTS, TOKEN, TOKEN_2022, SYSTEM),
  migrate: only(CURVE, LIQUIDITY),
  // What it takes belongs to the wallet, so the wallet gets it.
  collect: (instruction, own) => {
    const { program, accounts, data } = instruction;
    const isToken = program === TOKEN || program === TOKEN_2022;
    if (isToken && (data[0] !== CLOSE_ACCOUNT || accounts[1] !== own)) return "pays another wallet";
    return collects(instruction, own);
  },
};

const [keypairFile = ""] = process.argv.slice(2);
const wallet = keypairSigner(await readFile(keypairFile, "utf8"));
const request = Object(await json(process.stdin)) as Record<string, unknown>;
console.log(JSON.stringify(await answer()));

async function answer(): Promise<Record<string, string>> {
  const { method, publicKey, purpose, message } = request;
  if (method === "publicKey") return { publicKey: wallet.publicKey };
  if (method !== "sign" && method !== "allows") return { error: `there is no method ${method}` };
  if (publicKey !== wallet.publicKey) return { error: "this is not the key's wallet" };
  const rule = Object.hasOwn(RULES, String(purpose)) ? RULES[String(purpose)] : undefined;
  if (!rule) return { error: `does not sign for ${purpose}` };
  if (method === "allows") return { allowed: "yes" };
  const bytes = Buffer.from(String(message), "base64");
  for (const instruction of instructionsOf(bytes)) {
    const problem = rule(instruction, wallet.publicKey);
    if (problem !== null) return { error: `does not sign a ${purpose} that ${problem}` };
  }
  const signature = await wallet.signMessage(bytes);
  return { signature: Buffer.from(signature).toString("base64") };
}

function instructionsOf(bytes: Uint8Array): Instruction[] {
  const { staticAccountKeys, compiledInstructions } = VersionedMessage.deserialize(bytes);
  const keyOf = (index: number) => staticAccountKeys[index]?.toBase58() ?? "an address of a table";
  return compiledInstructions.map(
    ({ programIdIndex, accountKeyIndexes, data }: MessageCompiledInstruction) => ({
      program: keyOf(programIdIndex),
      accounts: accountKeyIndexes.map(keyOf),
      data,
    }),
  );
}
