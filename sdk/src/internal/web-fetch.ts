import type { FetchLike } from "./fetch.ts";

/**
 * Replaces `default-fetch.ts` in browsers, Workers and Deno, by the `imports` of package.json. The `fetch`
 * of these runtimes decompresses a body as it is read but keeps the header, so this hides the header, and
 * the client counts decompressed bytes.
 */
export const defaultFetch: FetchLike = async (url, init) => {
  const { status, headers, body } = await globalThis.fetch(url, init);
  return {
    status,
    headers: { get: (name) => (name === "content-encoding" ? null : headers.get(name)) },
    body,
  };
};
