import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { once } from "@tokenctl/shared/field-problems";
import { type AnswerHeaders, addItem } from "./headers.ts";

/** A file that does not change while the server runs. Read and compressed at the first request. */
export class ServedFile {
  readonly #content: Blob;

  constructor(
    content: Blob | string,
    private readonly type: string,
  ) {
    this.#content = typeof content === "string" ? new Blob([content]) : content;
  }

  /** Answers with the file, compressed if the client accepts that, or with 304 if it has it. */
  async answer(request: Request, headers: AnswerHeaders, status = 200): Promise<Response> {
    const isGzip = takesGzip(request);
    const { bytes, etag } = await (isGzip ? this.#inGzip() : this.#asItIs());
    headers.etag = etag;
    addItem(headers, "vary", "Accept-Encoding");
    if (status === 200 && isKnown(request, etag)) return new Response(null, { status: 304 });
    const coding = isGzip ? { "content-encoding": "gzip" } : {};
    return new Response(bytes, { status, headers: { "content-type": this.type, ...coding } });
  }

  readonly #asItIs = once(async () => {
    const bytes = await this.#content.bytes();
    return { bytes, etag: `"${createHash("sha256").update(bytes).digest("base64url")}"` };
  });

  /** Each content coding has its own ETag (RFC 9110, 8.8.3.3). */
  readonly #inGzip = once(async () => {
    const { bytes, etag } = await this.#asItIs();
    // Not on the thread that answers requests, and with a module that a start does not load.
    const { gzip } = await import("node:zlib");
    return { bytes: await promisify(gzip)(bytes), etag: etag.replace(/"$/, '-gzip"') };
  });
}

/** Returns whether a client accepts gzip (RFC 9110, 12.5.3). A weight of 0 refuses it. */
function takesGzip({ headers }: Request): boolean {
  const weights = new Map(
    (headers.get("accept-encoding") ?? "").split(",").map((item) => {
      const [coding = "", ...parameters] = item
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/);
      const weight = parameters.find((parameter) => parameter.startsWith("q="));
      return [coding, weight === undefined ? 1 : Number(weight.slice(2))];
    }),
  );
  return (weights.get("gzip") ?? weights.get("*") ?? 0) > 0;
}

export function isKnown({ headers }: Request, etag: string): boolean {
  const asked = headers.get("if-none-match")?.split(",") ?? [];
  return asked.some((one) => [etag, `W/${etag}`, "*"].includes(one.trim()));
}
