import { join } from "node:path";
import { type FactTerms, TOKEN_FACTS } from "@tokenctl/shared/token-facts";
import { type Command, typedFields } from "../cli/src/grammar/command.ts";
import { commands } from "../cli/src/grammar/commands.ts";
import { flagsOf, operandOf } from "../cli/src/grammar/field.ts";
import { FACT_RULES, type FactRule } from "./fact-rules.ts";
import { presetsPart } from "./presets-page.ts";

const BEGIN = /^<!-- begin (\w+): .*-->$/m;
const END = "<!-- end -->";

const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [row(head), row(head.map(() => "---")), ...rows.map(row)].join("\n");

const code = (text: string) => `\`${text}\``;
const escaped = (text: string) => text.replaceAll("|", "\\|").replaceAll("<", "&lt;");

/** @returns for example `tokenctl claim [token]` */
function lineOf({ name = "", operands = {} }: Command): string {
  const words = Object.entries(operands).map(([field, schema]) => operandOf(field, schema));
  return ["tokenctl", name, ...words].join(" ");
}

function flagRows(command: Command): string[][] {
  const { operands = {} } = command;
  const flags = Object.entries(typedFields(command)).filter(([field]) => !(field in operands));
  return flags.map(([field, schema]) => {
    const usual = schema.default === undefined ? "" : ` (default: ${schema.default})`;
    return [code(flagsOf(field, schema)), escaped(`${schema.description}${usual}`)];
  });
}

const typed = commands.filter(({ name }) => name !== undefined);

/** @returns the fields that a fact reads, by the kind of their account */
function fieldsOf({ reads = {} }: FactRule): string {
  return Object.entries(reads)
    .map(([kind, fields]) => `${kind}: ${fields.split(" ").map(code).join(" ")}`)
    .join("; ");
}

/** The parts of pages that the grammar writes, and the table of facts. */
const PARTS: Readonly<Record<string, () => string>> = {
  presets: presetsPart,
  commands: () =>
    table(
      ["command", "what it does", "effect", "tool"],
      typed.map((command) => [
        code(lineOf(command)),
        command.help,
        command.effect,
        command.tool ? code(command.tool.name) : "",
      ]),
    ),
  flags: () =>
    typed
      .filter((command) => command.name !== "mcp" && flagRows(command).length > 0)
      .map((command) => table([`flag of ${code(`${command.name}`)}`, "meaning"], flagRows(command)))
      .join("\n\n"),
  mcp: () =>
    typed
      .filter(({ name }) => name === "mcp")
      .map((command) => table(["flag", "meaning"], flagRows(command)))
      .join(""),
  tools: () =>
    table(
      ["tool", "effect", "what it does"],
      commands.flatMap(({ tool, effect, help }) => (tool ? [[code(tool.name), effect, help]] : [])),
    ),
  facts: () =>
    table(
      ["fact", "rule", "cost", "passes up to", "fields"],
      Object.entries(FACT_RULES).map(([name, rule]) => {
        const { cost }: FactTerms = TOKEN_FACTS[name as keyof typeof TOKEN_FACTS];
        const most = cost === undefined ? "" : String(cost.atMost);
        return [code(name), rule.rule, cost?.of ?? "", most, fieldsOf(rule)];
      }),
    ),
};

/** @returns a page with its parts that the grammar writes */
export function withParts(page: string): string {
  return page
    .split(new RegExp(`(?<=${END}\n)`))
    .map((text) => {
      const begin = BEGIN.exec(text);
      if (!begin) return text;
      const [line, part = ""] = begin;
      const before = text.slice(0, begin.index);
      return `${before}${line}\n\n${PARTS[part]?.() ?? `no part ${part}`}\n\n${END}\n`;
    })
    .join("");
}

/** The pages with such parts. */
export const PAGES = ["docs/agents.md", "docs/cli.md", "docs/mcp.md", "docs/operating.md"];

if (import.meta.main) {
  for (const page of PAGES) {
    const path = join(import.meta.dir, "..", page);
    await Bun.write(path, withParts(await Bun.file(path).text()));
  }
}
