import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

/** Below those that a system gives to programs which ask for any port: from 32,768 on Linux. */
const FIRST = 10_000;
const LAST = 32_000;
const BLOCK = 4;

/**
 * Finds a port of the loopback for a program that needs its number beforehand. No program that asks
 * for any port gets it, and no other test: until this process ends it holds the UDP port beside it.
 *
 * @returns a TCP port that is free with both its neighbours
 */
export async function heldPort(): Promise<number> {
  for (;;) {
    const blocks = (LAST - FIRST) / BLOCK;
    const first = FIRST + BLOCK * Math.floor(Math.random() * blocks);
    const hold = createSocket({ type: "udp4", reuseAddr: false }).unref();
    try {
      hold.bind(first, "127.0.0.1");
      await once(hold, "listening");
      for (const port of [first, first + 1, first + 2]) {
        const probe = createServer().listen(port, "127.0.0.1");
        await once(probe, "listening");
        probe.close();
        await once(probe, "close");
      }
      return first + 1;
    } catch {
      // A program that is no test of ours has one of them.
      hold.close();
    }
  }
}
