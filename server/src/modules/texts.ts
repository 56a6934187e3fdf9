import { Type } from "@sinclair/typebox";
import { llmsIndex, skillFiles } from "@tokenctl/shared/skill";
import { type Clock, DAY_MS } from "../base/clock.ts";
import { ServiceError } from "../base/service-error.ts";
import { endpoint } from "../http/endpoint.ts";
import type { AnswerHeaders } from "../http/headers.ts";
import { ServedFile } from "../http/served-file.ts";

/** A new version of the server may have new texts. */
const CACHE_CONTROL = "public, max-age=3600";

const MARKDOWN = "text/markdown";
const PLAIN = "text/plain";
const REFERENCES = "references/";

/** RFC 9116 recommends less than a year. */
const EXPIRES_MS = 180 * DAY_MS;

interface Contact {
  readonly url: string;
  readonly publicUrl: () => string;
  readonly clock: Pick<Clock, "now">;
}

/** Serves texts for models from the program: the skill and the indexes of https://llmstxt.org. */
export function textEndpoints(contact: Contact | null) {
  const served = (text: string, type: string) => new ServedFile(text, `${type}; charset=utf-8`);
  const references = new Map(
    Object.entries(skillFiles)
      .filter(([path]) => path.startsWith(REFERENCES))
      .map(([path, text]) => [path.slice(REFERENCES.length), served(text, MARKDOWN)]),
  );
  const common = { auth: "none", tag: "Texts", answer: Type.String() } as const;
  const ofFile = {
    ...common,
    description: "A text for models, in Markdown; it may be cached for an hour.",
    hasEtag: true,
  };
  const oneText = (
    route: `GET /${string}`,
    id: string,
    { summary, type, text }: Readonly<Record<"summary" | "type" | "text", string>>,
  ) => {
    const file = served(text, type);
    const handle = (call: TextCall) => answer(file, call);
    return endpoint({ ...ofFile, route, id, summary, answerType: type, errors: [], handle });
  };
  return [
    oneText("GET /skill.md", "getSkill", {
      summary: "Read how an agent uses this service, as a skill for models",
      type: MARKDOWN,
      text: skillFiles["SKILL.md"] ?? "",
    }),
    endpoint({
      ...ofFile,
      route: "GET /references/:file",
      id: "getReference",
      summary: "Read one of the texts that the skill refers to",
      answerType: MARKDOWN,
      params: {
        file: {
          description: "The name of a text, as the skill writes it",
          schema: { type: "string", enum: [...references.keys()] },
        },
      },
      errors: ["not_found"],
      handle: (call) => answer(references.get(call.params.file), call),
    }),
    oneText("GET /llms.txt", "getLlmsIndex", {
      summary: "Read which texts for models there are",
      type: PLAIN,
      text: llmsIndex,
    }),
    endpoint({
      ...common,
      route: "GET /.well-known/security.txt",
      id: "getSecurityTxt",
      summary: "Read where to report abuse and security problems",
      description: "As RFC 9116 defines it; 404 if the operator has set no `CONTACT_URL`.",
      answerType: PLAIN,
      errors: ["not_found"],
      handle({ set }) {
        if (contact === null) throw new ServiceError("not_found");
        Object.assign(set.headers, {
          "cache-control": CACHE_CONTROL,
          "content-type": `${PLAIN}; charset=utf-8`,
        });
        const lines = {
          Contact: contact.url,
          Expires: new Date(contact.clock.now() + EXPIRES_MS).toISOString(),
          Canonical: `${contact.publicUrl()}/.well-known/security.txt`,
          "Preferred-Languages": "en",
        };
        return Object.entries(lines)
          .map(([field, value]) => `${field}: ${value}\n`)
          .join("");
      },
    }),
  ];
}

interface TextCall {
  readonly request: Request;
  readonly set: { readonly headers: AnswerHeaders };
}

function answer(text: ServedFile | undefined, { request, set }: TextCall): Promise<Response> {
  if (text === undefined) throw new ServiceError("not_found");
  set.headers["cache-control"] = CACHE_CONTROL;
  return text.answer(request, set.headers);
}
