import { createProgram } from "./program.ts";

/** @returns what `tokenctl --help` prints */
export function rootHelp(): string {
  let text = "";
  const out = {
    write(part: string) {
      text += part;
    },
    isTerminal: async () => false,
  };
  createProgram({ out, err: out }, async () => {}).outputHelp();
  return text;
}
