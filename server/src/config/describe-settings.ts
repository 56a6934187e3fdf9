import type { Setting } from "./kinds.ts";
import { SECTIONS } from "./settings.ts";

const WIDTH = 80;
const INDENT = "      ";

const INTRODUCTION = `# Settings of tokend

All settings are environment variables. The server reads them once, at its start; a wrong value stops the
start with an error that names the value and those that are allowed. An empty variable counts as not set.
\`tokend --help\` prints this page's tables, and \`tokend doctor\` checks the settings and all that they lead to.
\`bun scripts/settings-page.ts\` writes this page from
[server/src/config/settings.ts](../server/src/config/settings.ts).
`;

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

export function settingsPage(): string {
  const sections = Object.entries(SECTIONS);
  const contents = sections.map(([title]) => `- [${title}](#${anchorOf(title)})`);
  const tables = sections.map(([title, section]) => {
    const rows = Object.entries<Setting<unknown>>(section).map(
      ([name, setting]) =>
        `| \`${name}\` | ${defaultOf(setting)} | ${setting.kind.allowed} | ${setting.meaning} |`,
    );
    return `## ${title}\n\n| setting | default | may be | meaning |\n|---|---|---|---|\n${rows.join("\n")}\n`;
  });
  return [INTRODUCTION, `## Contents\n\n${contents.join("\n")}\n`, ...tables].join("\n");
}

function defaultOf({ byDefault, without }: Setting<unknown>): string {
  if (byDefault === null) return without;
  if (typeof byDefault === "string") return `\`${byDefault}\``;
  return `\`${byDefault.solana}\`; \`${byDefault.local}\` with \`CHAIN=local\``;
}

const anchorOf = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

function plainText(markdown: string): string {
  return markdown
    .replaceAll(/ ?\(\[[^\]]*\]\([^)]*\)\)/g, "")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll("`", "");
}
