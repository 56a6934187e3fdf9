import type { Readable } from "node:stream";
import type { ByteStream, FetchLike } from "./fetch.ts";

/**
 * Sends requests by default: with Bun's own `fetch`, which can leave a body compressed, and on Node with
 * undici's `request`, because undici's `fetch` always decompresses.
 */
export const defaultFetch: FetchLike = (url, init) =>
  "Bun" in globalThis ? globalThis.fetch(url, init) : undiciRequest(url, init);

const undiciRequest: FetchLike = async (url, { method, headers, body = null, signal }) => {
  // Loaded at the first request: undici takes longer to load than a request takes.
  const { request } = await import("undici");
  // The caller's deadline is the only time limit.
  const timeouts = { headersTimeout: 0, bodyTimeout: 0 };
  const answer = await request(url, { method, headers, body, signal, ...timeouts });
  return {
    status: answer.statusCode,
    headers: { get: (name) => [answer.headers[name] ?? []].flat()[0] ?? null },
    body: toByteStream(answer.body),
  };
};

function toByteStream(stream: Readable): ByteStream {
  // A destroyed stream emits an error, which would end the process if nothing listened.
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
