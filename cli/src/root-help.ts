import { createProgram } from "./program.ts";

export function rootHelp(): string {
  let text = "";
  const out = {
    write(part: string) {
      text += part;
    },
    isTerminal: async () => false,
    columns: async () => null,
  };
  createProgram({ out, err: out, env: {} }, async () => {}).outputHelp();
  return text;
}
