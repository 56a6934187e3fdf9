import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { ServiceError } from "../../base/service-error.ts";
import { type Operation, operation } from "../../http/openapi.ts";
import { type ServedText, texts } from "./service.ts";

/** A new version of the server may have new texts. */
const CACHE_CONTROL = "public, max-age=3600";

/** Texts for models that read: the skill and the indexes of https://llmstxt.org. */
export function textRoutes() {
  const { skill, llms, llmsFull, references } = texts;
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
