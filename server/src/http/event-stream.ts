import type { Conversation } from "./listen.ts";

/** Seconds after which a client that does not read what was sent to it is cut off. */
const SLOW_READER_SECONDS = 30;

export interface StreamSource<Piece = string> {
  /** @returns the next piece as soon as there is one; null at the end. Called once the client has room for it. */
  next(): Promise<Piece | null>;
  /** Called when the client has gone or after the end, more than once perhaps. */
  close(): void;
}

const HEADERS = {
  "content-type": "text/event-stream",
  // nginx would collect the answer.
  "x-accel-buffering": "no",
  // The connection has no idle timeout any more.
  connection: "close",
} as const;

/**
 * Keeps one piece at a time, asks for no more while the client does not read, and then closes the connection.
 * Bun takes a stream of less than 16 KiB a second for idle (1.4.5), so its timeout is on only while the client
 * has to read.
 */
export function eventStream(
  { server, request }: Conversation,
  source: StreamSource,
  slowReaderSeconds = SLOW_READER_SECONDS,
): Response {
  const encoder = new TextEncoder();
  // A client that goes before the answer begins cancels no body.
  if (request.signal.aborted) source.close();
  else request.signal.addEventListener("abort", () => source.close(), { once: true });
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        server?.timeout(request, 0);
        let text: string | null = null;
        try {
          text = await source.next();
        } finally {
          server?.timeout(request, slowReaderSeconds);
        }
        if (request.signal.aborted) return;
        if (text !== null) return controller.enqueue(encoder.encode(text));
        source.close();
        controller.close();
      },
      cancel: () => source.close(),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: HEADERS });
}

export function eventStreamHead(): Response {
  return new Response(null, { headers: HEADERS });
}
