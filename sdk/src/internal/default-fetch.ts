import type { Readable } from "node:stream";
import type { ByteStream, FetchLike } from "./fetch.ts";

/**
 * What sends the requests if the caller names nothing else: Bun's own `fetch`, which leaves a body
 * as it came if it is told to, and undici's `request` elsewhere, because undici's `fetch` always
 * inflates.
 */
export const defaultFetch: FetchLike = (url, init) =>
  "Bun" in globalThis ? globalThis.fetch(url, init) : undiciRequest(url, init);

const undiciRequest: FetchLike = async (url, { method, headers, body = null, signal }) => {
  // Loaded at the first request: it takes longer to load than a request takes.
  const { request } = await import("undici");
  // The caller's deadline is the only one.
  const timeouts = { headersTimeout: 0, bodyTimeout: 0 };
  const answer = await request(url, { method, headers, body, signal, ...timeouts });
  return {
    status: answer.statusCode,
    headers: { get: (name) => [answer.headers[name] ?? []].flat()[0] ?? null },
    body: toByteStream(answer.body),
  };
};

function toByteStream(stream: Readable): ByteStream {
  // Giving a stream up is an error to those who listen, and to the whole process if nobody does.
  stream.on("error", () => {});
  const cancel = async () => void stream.destroy();
  return {
    cancel,
    getReader() {
      const chunks: AsyncIterator<Uint8Array> = stream[Symbol.asyncIterator]();
      return {
        async read() {
          const { done, value } = await chunks.next();
          return done === true ? { done } : { done: false, value };
        },
        releaseLock() {},
      };
    },
  };
}
