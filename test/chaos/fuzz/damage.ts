import { connect } from "node:net";
import fc from "fast-check";
import { scale } from "../scale.ts";
import { insideShown } from "./leaks.ts";

/** A change at one place of a request's head. */
interface Damage {
  /** Where, as a part of the head's length. */
  readonly at: number;
  readonly removed: number;
  readonly inserted: string;
}

/** Changes that may make a request's head invalid. */
export const anyDamage: fc.Arbitrary<readonly Damage[]> = fc.array(
  fc.record({
    at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    removed: fc.integer({ min: 0, max: 3 }),
    inserted: fc.oneof(
      fc.constantFrom(
        ...["\0", "\r", "\n", "\r\n", "\r\n\r\n", " ", ":", "\t", "HTTP/2.0", "\x7f", "\xff", "%"],
        ...["\r\nContent-Length: -1", "\r\nTransfer-Encoding: gzip", "\r\nHost: b", "\r\n folded"],
        ...["a".repeat(20_000), "\r\nX: 1".repeat(300)],
      ),
      fc.string({ unit: "binary-ascii", maxLength: 5 }),
    ),
  }),
  { minLength: 1, maxLength: 3 },
);

/** Damages a request's head, and leaves the line break that ends it. */
export function damage(request: Buffer, damages: readonly Damage[]): Buffer {
  const end = request.indexOf("\r\n\r\n");
  let head = request.subarray(0, end).toString("latin1");
  for (const { at, removed, inserted } of damages) {
    const start = Math.floor(at * head.length);
    head = head.slice(0, start) + inserted + head.slice(start + removed);
  }
  return Buffer.concat([Buffer.from(head, "latin1"), request.subarray(end)]);
}

/** After this long without an answer the server waits for more of the request; few damages of the short form end so. */
const WAIT_MS = scale(5_000, 50);

/**
 * Sends bytes on a connection of their own.
 *
 * @returns `answered 404` if the service answers, `refused 400` if the HTTP parser refuses and closes
 * the connection, `closed` if it closes without an answer, or `waits` if it waits for more
 */
export function sendBytes(url: URL, bytes: Buffer): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect(Number(url.port), url.hostname, () => socket.write(bytes));
  const timer = setTimeout(() => resolve("waits"), WAIT_MS);
  socket.on("data", (data) => resolve(outcomeOf(data.toString("latin1"))));
  // A reset closes the connection too.
  socket.on("error", () => {});
  socket.on("close", () => resolve("closed"));
  return promise.finally(() => {
    clearTimeout(timer);
    socket.destroy();
  });
}

function outcomeOf(answer: string): string {
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);
  if (/^HTTP\/1\.1 [^\r]+\r\nConnection: close\r\n\r\n/.test(answer)) return `refused ${status}`;
  const inside = status >= 400 ? insideShown(answer) : null;
  if (inside !== null) return `shows the inside: ${inside}`;
  if (status !== 100 && !/\r\nx-request-id: /i.test(answer)) return `${status} without an id`;
  return `answered ${status}`;
}
