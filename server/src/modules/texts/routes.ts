import { Type } from "@sinclair/typebox";
import type { ErrorCode } from "@tokenctl/shared/error-codes";
import { Elysia } from "elysia";
import { ServiceError } from "../../base/service-error.ts";
import { operation } from "../../http/openapi.ts";
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
      reading("Read how an agent uses this service, as a skill for models", skill.type),
    )
    .get(
      "/references/:file",
      ({ request, params, set }) => {
        const text = references.get(params.file);
        if (text === undefined) throw new ServiceError("not_found");
        return answer(text, request, set.headers);
      },
      reading("Read one of the texts that the skill refers to", skill.type, ["not_found"]),
    )
    .get(
      "/llms.txt",
      ({ request, set }) => answer(llms, request, set.headers),
      reading("Read which texts for models there are", llms.type),
    )
    .get(
      "/llms-full.txt",
      ({ request, set }) => answer(llmsFull, request, set.headers),
      reading("Read all texts for models in one", llmsFull.type),
    );
}

function reading(summary: string, answerType: string, errors: readonly ErrorCode[] = []) {
  return operation({
    summary,
    tag: "Texts",
    isPublic: true,
    answer: Type.String(),
    answerType,
    errors,
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
