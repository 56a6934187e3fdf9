import type { Setting } from "./config/kinds.ts";
import { SECTIONS } from "./config/settings.ts";

const WIDTH = 80;
const INDENT = "      ";

export function settingsHelp(): string {
  const sections = Object.entries(SECTIONS).map(([title, section]) => {
    const settings = Object.entries<Setting<unknown>>(section).map(([name, setting]) => {
      const { kind, meaning } = setting;
      const terms = `${kind.allowed}; default: ${defaultOf(setting)}`;
      const text = Bun.wrapAnsi(plainText(`${meaning} (${terms})`), WIDTH - INDENT.length);
      return `  ${name}\n${text.replaceAll(/^/gm, INDENT)}`;
    });
    return `${title}:\n${settings.join("\n")}`;
  });
  return `\nSettings, from the environment\n\n${sections.join("\n\n")}`;
}

export function defaultOf({ byDefault, without }: Setting<unknown>): string {
  if (byDefault === null) return without;
  if (typeof byDefault === "string") return `\`${byDefault}\``;
  return `\`${byDefault.solana}\`; \`${byDefault.local}\` with \`CHAIN=local\``;
}

function plainText(markdown: string): string {
  return markdown
    .replaceAll(/ ?\(\[[^\]]*\]\([^)]*\)\)/g, "")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll("`", "");
}
