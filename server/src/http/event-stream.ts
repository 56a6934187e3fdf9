import type { Conversation } from "./listen.ts";

/** Seconds after which a client that does not read is disconnected. */
const SLOW_READER_SECONDS = 30;

export interface StreamSource<Piece> {
  /** Returns the next piece once there is one; null at the end. Called when the client has room. */
  next(): Promise<Piece | null>;
  /** Called after the end or when the client has left, perhaps more than once. */
  close(): void;
}

const HEADERS = {
  "content-type": "text/event-stream",
  // Otherwise nginx would buffer the answer.
  "x-accel-buffering": "no",
  // The connection no longer has an idle timeout.
  connection: "close",
} as const;

/**
 * Buffers one piece, and asks for no more while the client does not read; a client that reads too
 * slowly is disconnected. Bun treats a stream below 16 KiB a second as idle (1.4.5), so its timeout
 * is on only while the client has something to read.
 */
export function eventStream<Piece>(
  { server, request }: Conversation,
  source: StreamSource<Piece>,
  toText: (piece: Piece) => string,
  slowReaderSeconds = SLOW_READER_SECONDS,
): Response {
  const encoder = new TextEncoder();
  // A client that leaves before the answer begins does not cancel the body.
  if (request.signal.aborted) source.close();
  else request.signal.addEventListener("abort", () => source.close(), { once: true });
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        server?.timeout(request, 0);
        let piece: Piece | null = null;
        try {
          piece = await source.next();
        } finally {
          server?.timeout(request, slowReaderSeconds);
        }
        if (request.signal.aborted) return;
        if (piece !== null) return controller.enqueue(encoder.encode(toText(piece)));
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
