import { join } from "node:path";
import type { Setting } from "../server/src/config/kinds.ts";
import { SECTIONS } from "../server/src/config/settings.ts";
import { defaultOf } from "../server/src/root-help.ts";

const INTRODUCTION = `# Settings of tokend

All settings are environment variables. The server reads them once, at its start; a wrong value stops the
start with an error that names the value and those that are allowed. An empty variable counts as not set.
\`tokend --help\` prints this page's tables, and \`tokend doctor\` checks the settings and everything they refer to.
\`bun scripts/settings-page.ts\` writes this page from
[server/src/config/settings.ts](../server/src/config/settings.ts).
`;

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

const anchorOf = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

/** Writes `docs/settings.md`. */
if (import.meta.main) await Bun.write(join(import.meta.dir, "../docs/settings.md"), settingsPage());
