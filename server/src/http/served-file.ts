import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { type AnswerHeaders, addItem } from "./headers.ts";

/** A file that does not change while the server runs: read, named and compressed when it is first asked for. */
export class ServedFile {
  readonly #content: Blob;
  #plain: ReturnType<typeof named> | null = null;
  #gzipped: Promise<Uint8Array<ArrayBuffer>> | null = null;

  constructor(
    content: Blob | string,
    private readonly type: string,
  ) {
    this.#content = typeof content === "string" ? new Blob([content]) : content;
  }

  /** Answers with the file, compressed if the client takes that, or with 304 if the client has it. */
  async answer(request: Request, headers: AnswerHeaders): Promise<Response> {
    this.#plain ??= named(this.#content);
    const { bytes, etag } = await this.#plain;
    headers.etag = etag;
    addItem(headers, "vary", "Accept-Encoding");
    if (isKnown(request, etag)) return new Response(null, { status: 304 });
    const type = { "content-type": this.type };
    if (!/\bgzip\b/.test(request.headers.get("accept-encoding") ?? "")) {
      return new Response(bytes, { headers: type });
    }
    this.#gzipped ??= gzipped(bytes);
    return new Response(await this.#gzipped, { headers: { ...type, "content-encoding": "gzip" } });
  }
}

/** Whether a client has the version of an answer with this `ETag`. */
export function isKnown({ headers }: Request, etag: string): boolean {
  const asked = headers.get("if-none-match")?.split(",") ?? [];
  return asked.some((one) => [etag, `W/${etag}`, "*"].includes(one.trim()));
}

async function named(content: Blob) {
  const bytes = await content.bytes();
  return { bytes, etag: `"${createHash("sha256").update(bytes).digest("base64url")}"` };
}

/** Not by the thread that answers requests, and with a library that a start need not load. */
async function gzipped(bytes: Uint8Array<ArrayBuffer>) {
  const { gzip } = await import("node:zlib");
  return await promisify(gzip)(bytes);
}
