import { isAssertion, LIGHTHOUSE_PROGRAM } from "@tokenctl/shared/lighthouse";
import { COMPUTE_BUDGET, TOKEN_2022 } from "@tokenctl/shared/programs/ids";
import { PROGRAMS } from "@tokenctl/shared/programs/programs";
import { readMessage, splitTransaction, type WireMessage } from "@tokenctl/shared/wire-transaction";
import bs58 from "bs58";
import { networkFee } from "../claim-check/cost.ts";
import { tryRead } from "../claim-check/instruction.ts";
import { CheckError } from "../claim-errors.ts";
import { InvalidArgumentError } from "../errors.ts";
import { decodeBase64 } from "../internal/bytes.ts";
import { isEmptySignature, isSignatureOf } from "../internal/wire-transaction.ts";
import type { ExplainedInstruction, ExplainedSigner, ExplainedTransaction } from "./explanation.ts";
import { SENTENCES } from "./sentences.ts";
import { Names, type Words } from "./words.ts";

export function explain(transaction: Uint8Array | string): ExplainedTransaction {
  if (typeof transaction !== "string") return explainBytes(transaction);
  const text = transaction.replace(/\s/g, "");
  // The longest transaction in base58, which takes more characters than base64.
  if (text.length > 5_595) throw new InvalidArgumentError("The text is too long");
  let failure: unknown = new InvalidArgumentError("The text is neither base64 nor base58");
  const [first, second] = [decodeBase64(text), bs58.decodeUnsafe(text)].flatMap((bytes) => {
    try {
      return bytes ? explainBytes(bytes) : [];
    } catch (error) {
      failure = error;
      return [];
    }
  });
  if (second) {
    throw new InvalidArgumentError(
      "The text is one transaction in base64 and another in base58: give its bytes",
    );
  }
  if (first) return first;
  throw failure;
}

function explainBytes(transaction: Uint8Array): ExplainedTransaction {
  const { signatures, bytes, message } = read(transaction);
  const accounts = accountsOf(message);
  const signers = accounts.filter(({ isSigner }) => isSigner).map(({ address }) => address);
  const names = new Names(signers);
  const told = message.instructions.map((instruction) => ({
    program: accounts[instruction.programIdIndex] as Account,
    accounts: Array.from(instruction.accounts, (place) => accounts[place] as Account),
    data: instruction.data,
  }));
  const instructions = told.map((one) => explainOne(one, names));
  return {
    bytes: transaction.length,
    version: message.version,
    signers: signers.map((address, place): ExplainedSigner => {
      const signature = signatures[place] as Uint8Array;
      return { address, signature: stateOf(signature, bytes, address) };
    }),
    networkFeeLamports: feeOf(message.config, told.map(asInstruction), signers.length),
    instructions,
    unknown: instructions.filter(({ name }) => name === null).length,
  };
}

interface Account {
  /** Base58; for an account of a lookup table, the table and the place in it. */
  readonly address: string;
  readonly isSigner: boolean;
}

interface RawInstruction {
  readonly program: Account;
  readonly accounts: readonly Account[];
  readonly data: Uint8Array;
}

function asInstruction({ program, accounts, data }: RawInstruction, index: number) {
  return { index, program: program.address, accounts: accounts.map((one) => one.address), data };
}

function read(transaction: Uint8Array) {
  try {
    const { signatures, message: bytes } = splitTransaction(transaction);
    const message = readMessage(bytes);
    const { requiredSignatures, staticKeys, instructions } = message;
    if (signatures.length !== requiredSignatures || staticKeys.length < requiredSignatures) {
      throw new RangeError(
        `it has ${signatures.length} signatures and requires ${requiredSignatures}`,
      );
    }
    const count = accountsOf(message).length;
    for (const { programIdIndex, accounts } of instructions) {
      const missing = [programIdIndex, ...accounts].find((place) => place >= count);
      if (missing !== undefined) {
        throw new RangeError(`it refers to account ${missing} of ${count}`);
      }
    }
    return { signatures, bytes, message };
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new InvalidArgumentError(`The bytes are not a transaction: ${cause.message}`);
  }
}

function accountsOf({ requiredSignatures, staticKeys, lookups }: WireMessage): Account[] {
  const own = staticKeys.map((key, place) => ({
    address: bs58.encode(key),
    isSigner: place < requiredSignatures,
  }));
  const listed = (kind: "writable" | "readonly") =>
    lookups.flatMap(({ table, ...places }) =>
      Array.from(places[kind], (place) => ({
        address: `entry ${place} of table ${bs58.encode(table)}`,
        isSigner: false,
      })),
    );
  return [...own, ...listed("writable"), ...listed("readonly")];
}

function stateOf(signature: Uint8Array, message: Uint8Array, signer: string) {
  if (isEmptySignature(signature)) return "missing";
  return isSignatureOf(message, signature, bs58.decode(signer)) ? "valid" : "invalid";
}

/** Compute budget settings that do not change the fee. */
const COST_NOTHING = ["RequestHeapFrame", "SetLoadedAccountsDataSizeLimit"];

function feeOf(
  config: WireMessage["config"],
  ...[instructions, signatures]: Parameters<typeof networkFee>
): bigint | null {
  // Version 1 ignores the instructions of the Compute Budget program.
  const counted = instructions.filter((one) => config === null || one.program !== COMPUTE_BUDGET);
  try {
    return networkFee(counted, signatures, COST_NOTHING) + (config?.priorityFee ?? 0n);
  } catch (error) {
    if (error instanceof CheckError) return null;
    throw error;
  }
}

const ASSERTION = "Lets the transaction fail if an account is not as expected";

function explainOne(instruction: RawInstruction, names: Names): ExplainedInstruction {
  const program = instruction.program.address;
  const words = wordsOf(instruction, names);
  return {
    program,
    programName:
      program === LIGHTHOUSE_PROGRAM ? "Lighthouse" : (PROGRAMS.get(program)?.name ?? null),
    name: null,
    text: unknownText(instruction, names),
    gives: [],
    ...words,
  };
}

/** Token-2022's extensions whose amounts are encrypted, by the first byte of their instructions. */
const CONFIDENTIAL: Readonly<Record<number, string>> = {
  27: "ConfidentialTransferExtension",
  37: "ConfidentialTransferFeeExtension",
  42: "ConfidentialMintBurnExtension",
};

/** Returns null if an instruction has no sentence, or does not match its program's layout. */
function wordsOf(instruction: RawInstruction, names: Names): (Words & { name: string }) | null {
  const id = instruction.program.address;
  if (id === LIGHTHOUSE_PROGRAM) {
    return isAssertion(instruction.data) ? { name: "Assert", text: ASSERTION } : null;
  }
  const [over] = instruction.accounts;
  const name = id === TOKEN_2022 && CONFIDENTIAL[instruction.data[0] ?? 0];
  if (over && name) {
    const text = `Uses or changes confidential transfers of ${over.address}, whose amounts cannot be read`;
    const gives = [{ role: "confidential transfers", over: over.address, to: null }];
    return { name, text, gives };
  }
  const read = tryRead(asInstruction(instruction, 0));
  const say = read && SENTENCES.get(id)?.[read.name];
  if (!read || !say) return null;
  const told = { ...read.accounts, ...read.args } as never;
  const words = say(told, names, id);
  return { name: read.name, ...(typeof words === "string" ? { text: words } : words) };
}

function unknownText({ accounts, data }: RawInstruction, names: Names): string {
  const signers = accounts.filter(({ isSigner }) => isSigner).map((one) => names.of(one.address));
  const by = signers.length === 0 ? "" : ` by ${[...new Set(signers)].join(" and ")}`;
  return `Unknown: ${data.length} bytes of data for ${accounts.length} accounts${by && `, signed${by}: it may do whatever that allows`}`;
}
