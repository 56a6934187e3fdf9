import { Type } from "@sinclair/typebox";
import { llmsFull, llmsIndex, skillFiles } from "@tokenctl/shared/skill";
import { Elysia } from "elysia";
import { ServiceError } from "../../base/service-error.ts";
import { type Operation, operation } from "../../http/openapi.ts";

/** A new version of the server may have new texts. */
const CACHE_CONTROL = "public, max-age=3600";

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
export function textRoutes() {
  const { skill, llms, llmsFull, references } = TEXTS;
  return new Elysia()
    .get(
      "/skill.md",
      ({ request, set }) => answer(skill, request, set.headers),
      reading("getSkill", "Read how an agent uses this service, as a skill for models", skill.type),
    )
    .get(
      "/references/:file",
      ({ request, params, set }) => {
        const text = references.get(params.file);
        if (text === undefined) throw new ServiceError("not_found");
        return answer(text, request, set.headers);
      },
      reading("getReference", "Read one of the texts that the skill refers to", skill.type, {
        params: {
          file: {
            description: "The name of a text, as the skill writes it",
            schema: { type: "string", enum: [...references.keys()] },
          },
        },
        errors: ["not_found"],
      }),
    )
    .get(
      "/llms.txt",
      ({ request, set }) => answer(llms, request, set.headers),
      reading("getLlmsIndex", "Read which texts for models there are", llms.type),
    )
    .get(
      "/llms-full.txt",
      ({ request, set }) => answer(llmsFull, request, set.headers),
      reading("getLlmsTexts", "Read all texts for models in one", llmsFull.type),
    );
}

function reading(
  id: string,
  summary: string,
  answerType: string,
  more: Pick<Operation, "errors" | "params"> = { errors: [] },
) {
  return operation({
    id,
    summary,
    description: "A text for models that read, in Markdown; it may be cached for an hour.",
    tag: "Texts",
    isPublic: true,
    answer: Type.String(),
    answerType,
    hasEtag: true,
    ...more,
  });
}

function answer(
  { body, type, tag }: ServedText,
  request: Request,
  headers: Record<string, unknown>,
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
