/** The part of the Fetch API that the client needs; `globalThis.fetch` and undici's `fetch` fit. */
export type FetchLike = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** What the client gives to `fetch`. */
export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  /** A text is JSON; bytes are an image. */
  body?: string | Uint8Array<ArrayBuffer>;
  signal: AbortSignal;
  /** Redirects are not followed: a bearer token must not travel to another host. */
  redirect: "manual";
  /** Makes Bun leave a body as it came; other runtimes ignore it. */
  decompress: false;
}

/** What the client reads of `fetch`'s answer. */
export interface FetchResponse {
  status: number;
  /** Called with names in lowercase. */
  headers: { get(name: string): string | null };
  /** The client reads up to 8 MiB of it; null for an answer without a body. */
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
