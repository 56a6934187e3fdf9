import type { FetchLike } from "./fetch.ts";

/**
 * Stands in for `default-fetch.ts` in browsers, Workers and Deno: `imports` of package.json choose
 * between the two. The `fetch` of these runtimes inflates a body itself as it is read, and still
 * shows the header, so the client counts inflated bytes and must not take the header for a body that
 * it cannot read.
 */
export const defaultFetch: FetchLike = async (url, init) => {
  const { status, headers, body } = await globalThis.fetch(url, init);
  return {
    status,
    headers: { get: (name) => (name === "content-encoding" ? null : headers.get(name)) },
    body,
  };
};
