import { InvalidResponseError } from "../errors.ts";
import type { ByteStream, FetchResponse } from "./fetch.ts";

/** The longest answer that is read: 8 MiB, which is a list of 20 000 tokens. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;

/**
 * Reads an answer's body and counts its bytes as they come. It does not read a compressed body,
 * because a few hundred bytes can inflate to gigabytes.
 *
 * @param what names the request in an error, for example `GET /health`
 * @throws {InvalidResponseError} `response_too_large` or `response_encoded`; the rest of the body
 * and the connection are then dropped
 */
export async function readBody(response: FetchResponse, what: string): Promise<string> {
  const { status, headers, body } = response;
  const refuse = (code: string, saw: string, hint: string): never => {
    // Not awaited: the other side decides how long it takes.
    void body?.cancel().catch(() => {});
    throw new InvalidResponseError(
      `The answer to ${what} ${saw}`,
      status,
      headers.get("x-request-id"),
      { code, hint },
    );
  };
  const tooLarge = () =>
    refuse(
      "response_too_large",
      `has more than ${MAX_BODY_BYTES / 1024 / 1024} MiB and was not read to its end`,
      "Ask for a list page by page, with limit; a server that sends so much elsewhere is broken or hostile",
    );
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  if (encoding !== "" && encoding !== "identity") {
    return refuse(
      "response_encoded",
      "is compressed though it was asked for as it is, and was not read",
      "Have the server, or the proxy before it, keep to `Accept-Encoding: identity`",
    );
  }
  if (Number(headers.get("content-length") ?? 0) > MAX_BODY_BYTES) return tooLarge();
  if (!body) return "";
  const bytes = await collect(body);
  return bytes === null ? tooLarge() : new TextDecoder().decode(bytes);
}

/** @returns the bytes, or null as soon as there are too many */
async function collect(body: ByteStream): Promise<Uint8Array | null> {
  const reader = body.getReader();
  // One buffer: a body can come byte by byte, and an object for each byte would be much larger.
  let buffer = new Uint8Array(16 * 1024);
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return buffer.subarray(0, length);
      if (!value) continue;
      if (length + value.length > MAX_BODY_BYTES) return null;
      if (length + value.length > buffer.length) {
        const longer = new Uint8Array(Math.max(2 * buffer.length, length + value.length));
        longer.set(buffer.subarray(0, length));
        buffer = longer;
      }
      buffer.set(value, length);
      length += value.length;
    }
  } finally {
    // Unlocks the stream, so that it can be cancelled.
    reader.releaseLock();
  }
}
