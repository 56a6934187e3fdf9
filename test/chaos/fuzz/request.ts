export type Header = readonly [name: string, value: string];

/** A request as it goes over the wire; texts of it may hold placeholders such as `{{mint}}`. */
export interface FuzzRequest {
  readonly method: string;
  /** Path and query, in characters of one byte each. */
  readonly target: string;
  readonly headers: readonly Header[];
  readonly body: string | Uint8Array | null;
  /** Whether the body goes in chunks, without its length. */
  readonly isChunked: boolean;
}

/** The current values of the placeholders. */
export type Values = Readonly<Record<string, string>>;

/** Whether a request names a placeholder. */
export function mentions({ target, headers, body }: FuzzRequest, name: string): boolean {
  const placeholder = `{{${name}}}`;
  return (
    target.includes(placeholder) ||
    headers.some(([, value]) => value.includes(placeholder)) ||
    (typeof body === "string" && body.includes(placeholder))
  );
}

/** Replaces placeholders by their values. */
export function fill(text: string, values: Values): string {
  if (!text.includes("{{")) return text;
  return text.replace(/\{\{(\w+)\}\}/g, (all, name: string) => values[name] ?? all);
}

/** @returns the bytes of one whole request */
export function serialize(request: FuzzRequest, values: Values): Buffer {
  const { method, target, headers, body, isChunked } = request;
  const content = body === null ? null : Buffer.from(filled(body, values));
  const lines = [
    `${method} ${fill(target, values)} HTTP/1.1`,
    "Host: localhost",
    ...headers.map(([name, value]) => `${name}: ${fill(value, values)}`),
  ];
  if (content !== null) {
    lines.push(isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${content.length}`);
  }
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  if (content === null) return head;
  return Buffer.concat([head, ...(isChunked ? chunks(content) : [content])]);
}

function filled(body: string | Uint8Array, values: Values): string | Uint8Array {
  return typeof body === "string" ? fill(body, values) : body;
}

const CHUNK_BYTES = 1_000;

function* chunks(content: Buffer): Iterable<Buffer> {
  for (let start = 0; start < content.length; start += CHUNK_BYTES) {
    const chunk = content.subarray(start, start + CHUNK_BYTES);
    yield Buffer.from(`${chunk.length.toString(16)}\r\n`);
    yield chunk;
    yield Buffer.from("\r\n");
  }
  yield Buffer.from("0\r\n\r\n");
}

/** Whether the request asks for the connection to be closed after the answer. */
export function endsConnection({ headers }: FuzzRequest): boolean {
  return headers.some(([name, value]) => name === "Connection" && value.includes("close"));
}
