import type { FetchLike } from "./fetch.ts";

/**
 * Sends requests by the runtime's own `fetch`. Bun leaves a body compressed, as it is asked to. The others
 * decompress it as it is read but keep the header, so this hides the header, and the client counts decompressed
 * bytes.
 */
export const defaultFetch: FetchLike = async (url, init) => {
  const answer = await globalThis.fetch(url, init);
  if ("Bun" in globalThis) return answer;
  const { status, headers, body } = answer;
  return {
    status,
    headers: { get: (name) => (name === "content-encoding" ? null : headers.get(name)) },
    body,
  };
};
