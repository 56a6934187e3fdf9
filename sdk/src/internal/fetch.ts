/** The part of the Fetch API that the client needs, such as `globalThis.fetch`. */
export type FetchLike = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** What the client passes to `fetch`. */
export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  /** JSON text, or the bytes of an image. */
  body?: string | ArrayBuffer;
  signal: AbortSignal;
  /** The client follows no redirect, because a bearer token must not reach another host. */
  redirect: "manual";
  /** Makes Bun leave a body compressed; other runtimes ignore it. */
  decompress: false;
}

/** The part of an answer that the client reads. */
export interface FetchResponse {
  status: number;
  /** Called with lowercase names. */
  headers: { get(name: string): string | null };
  /** Null if there is none. */
  body: ByteStream | null;
}

/** The part of a `ReadableStream` that the client needs. */
export interface ByteStream {
  getReader(): {
    read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
    releaseLock(): void;
  };
  cancel(): Promise<void>;
}

/**
 * Sends requests with the runtime's own `fetch`. Bun leaves a body compressed, because `decompress`
 * is false. Other runtimes decompress it while it is read but keep the header. This function hides
 * that header, and the client counts decompressed bytes.
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
