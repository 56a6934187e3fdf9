import { createReadStream } from "node:fs";
import { addAbortSignal } from "node:stream";
import { type ExplainedTransaction, explainTransaction, InvalidArgumentError } from "@tokenctl/sdk";
import type { Desk, Field, Result } from "../desk.ts";
import { CliError, systemCode, UsageError } from "../errors.ts";

/** The longest transaction has 5,595 characters in base58, and line breaks may be among them. */
const MOST_BYTES = 8_192;

export async function explain(
  { notices, signal }: Desk,
  { file }: { file: string },
): Promise<Result> {
  const content = await read(file, signal);
  if (content.length === 0) throw new UsageError("There is nothing to explain", HINT);
  const explained = await explainContent(content);
  if (explained.unknown > 0) {
    notices.warn("Not all of it is understood: do not sign this unless you know better");
  }
  return { data: explained, fields: fieldsOf(explained) };
}

const SIGNATURES = { valid: "signed", missing: "not signed yet" } as const;

function fieldsOf(explained: ExplainedTransaction): Field[] {
  const { signers, instructions, networkFeeLamports, unknown } = explained;
  const powers = instructions.flatMap(({ gives }) => gives);
  const text = `${unknown} of ${instructions.length} instructions`;
  return [
    ["Not understood", unknown > 0 ? text : undefined],
    ...powers.map(({ role, over, to }): Field => {
      const text = `${role} of ${over}, to ${to ?? "whom the bytes do not say"}`;
      return ["Gives away", text];
    }),
    ...signers.map(({ address, signature }, place): Field => {
      const label = place === 0 ? "Fee payer" : `Signer ${place + 1}`;
      if (signature !== "invalid") return [label, `${address}, ${SIGNATURES[signature]}`];
      return [label, `${address}, whose signature is not valid`];
    }),
    ["Network fee", networkFeeLamports ?? "not known"],
    ...instructions.map(({ program, programName, name, text }, index): Field => {
      const label = `${index + 1}`;
      if (name !== null) return [label, `${text} (${programName}: ${name})`];
      const whose = programName === null ? program : `${programName} (${program})`;
      return [label, `${text}. Program: ${whose}`];
    }),
  ];
}

async function explainContent(content: Uint8Array): Promise<ExplainedTransaction> {
  const text = new TextDecoder("latin1").decode(content);
  try {
    const given = /^[\t\n\r -~]*$/.test(text) ? text : content;
    return await explainTransaction(given);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    const hint = "Give all of it, for example `transaction` of an answer, or its bytes";
    throw new UsageError(error.message, hint);
  }
}

async function read(file: string, signal: AbortSignal): Promise<Uint8Array> {
  const source = file === "-" ? process.stdin : createReadStream(file);
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of addAbortSignal(signal, source)) {
      chunks.push(chunk);
      const length = chunks.reduce((sum, one) => sum + one.length, 0);
      if (length > MOST_BYTES) throw new UsageError("This is longer than any transaction", HINT);
    }
    return Buffer.concat(chunks);
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    if (signal.aborted) throw new CliError("aborted", "Interrupted", { cause });
    throw new UsageError(`The file ${file} cannot be read (${systemCode(cause)})`, HINT);
  }
}

const HINT = "Give a file with a transaction, or - to read it from stdin";
