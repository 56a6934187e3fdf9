import { createInterface } from "node:readline/promises";

/** @throws {Error} unless the answer is yes */
export async function confirm(question: string, nothingDone: string): Promise<void> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await lines.question(`${question} [y/N] `);
  lines.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new Error(nothingDone);
}
