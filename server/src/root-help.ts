import { settingsHelp } from "./config/describe-settings.ts";
import { createProgram } from "./program.ts";

export function rootHelp(): string {
  let text = "";
  const program = createProgram(settingsHelp()).configureOutput({
    writeOut: (part) => {
      text += part;
    },
    getOutHasColors: () => false,
    getOutHelpWidth: () => 80,
  });
  program.outputHelp();
  return text;
}
