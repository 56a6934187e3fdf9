import { readFileSync } from "node:fs";
import { join } from "node:path";

const WIDTH = 80;
const INDENT = "      ";

/**
 * Reads the table of settings in README.md, so that they are described once. It runs as a macro when the
 * file is bundled: a binary has no README, and contains this text.
 *
 * @returns for `tokend --help`: each setting, its default, and what it is for
 */
export function settingsHelp(): string {
  const readme = readFileSync(join(import.meta.dir, "../../../README.md"), "utf8");
  const [, table = ""] = readme.split("\n## Configuration\n");
  const [ofServer = ""] = table.split("\nSettings of `tokenctl`");
  const rows = ofServer.matchAll(/^\| (`[A-Z].*?) \| (.*?) ?\| (.*) \|$/gm);
  const lines = Array.from(rows, ([, names = "", byDefault = "", meaning = ""]) => {
    const title = `  ${plainText(names)}${byDefault === "" ? "" : ` (${plainText(byDefault)})`}`;
    return `${title}\n${wrapped(plainText(meaning))}`;
  });
  return `\nSettings, from the environment, with their defaults:\n${lines.join("\n")}`;
}

/** @returns the text without the marks and links of Markdown */
function plainText(markdown: string): string {
  return markdown
    .replaceAll(/ ?\(\[[^\]]*\]\([^)]*\)\)/g, "")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll("`", "");
}

function wrapped(text: string): string {
  const lines = [INDENT];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    const isFirst = line === INDENT;
    if (!isFirst && line.length + 1 + word.length > WIDTH) lines.push(INDENT + word);
    else lines[lines.length - 1] = line + (isFirst ? "" : " ") + word;
  }
  return lines.join("\n");
}
