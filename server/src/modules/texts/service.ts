import { llmsFull, llmsIndex, skillFiles } from "@tokenctl/shared/skill";

/** A text as it is served. */
export interface ServedText {
  readonly body: string;
  /** Media type without charset. */
  readonly type: string;
  /** Entity tag with its quotes: the same for the same text. */
  readonly tag: string;
}

const REFERENCES = "references/";

/** The texts for models that read, which the program carries inside. */
export const texts = {
  skill: served(skillFiles["SKILL.md"] ?? "", "text/markdown"),
  llms: served(llmsIndex, "text/plain"),
  llmsFull: served(llmsFull, "text/plain"),
  /** By file name, for example `cli.md`. */
  references: new Map(
    Object.entries(skillFiles)
      .filter(([path]) => path.startsWith(REFERENCES))
      .map(([path, text]) => [path.slice(REFERENCES.length), served(text, "text/markdown")]),
  ),
} as const;

function served(body: string, type: string): ServedText {
  return { body, type, tag: `"${Bun.hash(body).toString(16)}"` };
}
