import { Type } from "@sinclair/typebox";
import { llmsFull, llmsIndex, skillFiles } from "@tokenctl/shared/skill";
import { ServiceError } from "../base/service-error.ts";
import { endpoint } from "../http/endpoint.ts";
import type { AnswerHeaders } from "../http/list-header.ts";

/** A new version of the server may have new texts. */
const CACHE_CONTROL = "public, max-age=3600";

const common = {
  auth: "none",
  description: "A text for models that read, in Markdown; it may be cached for an hour.",
  tag: "Texts",
  answer: Type.String(),
  hasEtag: true,
} as const;

/** A text as it is served. */
interface ServedText {
  readonly body: string;
  /** Media type without charset. */
  readonly type: string;
  /** Entity tag with its quotes: the same for the same text. */
  readonly tag: string;
}

const REFERENCES = "references/";

/** The texts for models that read, which the program carries inside. */
const TEXTS = {
  skill: served(skillFiles["SKILL.md"] ?? "", "text/markdown"),
  llms: served(llmsIndex, "text/plain"),
  llmsFull: served(llmsFull, "text/plain"),
  /** By file name, for example `cli.md`. */
  references: new Map(
    Object.entries(skillFiles)
      .filter(([path]) => path.startsWith(REFERENCES))
      .map(([path, text]) => [path.slice(REFERENCES.length), served(text, "text/markdown")]),
  ),
};

/** Texts for models that read: the skill and the indexes of https://llmstxt.org. */
export function textEndpoints() {
  const { skill, llms, llmsFull, references } = TEXTS;
  return [
    endpoint({
      ...common,
      route: "GET /skill.md",
      id: "getSkill",
      summary: "Read how an agent uses this service, as a skill for models",
      answerType: skill.type,
      errors: [],
      handle: ({ request, set }) => answer(skill, request, set.headers),
    }),
    endpoint({
      ...common,
      route: "GET /references/:file",
      id: "getReference",
      summary: "Read one of the texts that the skill refers to",
      answerType: skill.type,
      params: {
        file: {
          description: "The name of a text, as the skill writes it",
          schema: { type: "string", enum: [...references.keys()] },
        },
      },
      errors: ["not_found"],
      handle({ request, params, set }) {
        const text = references.get(params.file);
        if (text === undefined) throw new ServiceError("not_found");
        return answer(text, request, set.headers);
      },
    }),
    endpoint({
      ...common,
      route: "GET /llms.txt",
      id: "getLlmsIndex",
      summary: "Read which texts for models there are",
      answerType: llms.type,
      errors: [],
      handle: ({ request, set }) => answer(llms, request, set.headers),
    }),
    endpoint({
      ...common,
      route: "GET /llms-full.txt",
      id: "getLlmsTexts",
      summary: "Read all texts for models in one",
      answerType: llmsFull.type,
      errors: [],
      handle: ({ request, set }) => answer(llmsFull, request, set.headers),
    }),
  ];
}

function answer(
  { body, type, tag }: ServedText,
  request: Request,
  headers: AnswerHeaders,
): Response {
  const asked = request.headers.get("if-none-match")?.split(",") ?? [];
  const isKnown = asked.some((one) => [tag, `W/${tag}`, "*"].includes(one.trim()));
  Object.assign(headers, { "cache-control": CACHE_CONTROL, etag: tag });
  if (isKnown) return new Response(null, { status: 304 });
  return new Response(body, { headers: { "content-type": `${type}; charset=utf-8` } });
}

function served(body: string, type: string): ServedText {
  return { body, type, tag: `"${Bun.hash(body).toString(16)}"` };
}
