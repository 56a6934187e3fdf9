import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

/** Above those of `heldPort`, and below those that a system gives to programs which ask for any port. */
const FIRST = 32_000;
const LAST = 32_760;

/** @returns this many ports in a row that are free on the loopback, for TCP and UDP */
export async function freePorts(count: number): Promise<number[]> {
  for (;;) {
    const first = FIRST + Math.floor(Math.random() * (LAST - FIRST - count));
    const ports = Array.from({ length: count }, (_, index) => first + index);
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return ports;
  }
}

async function isFree(port: number): Promise<boolean> {
  const [tcp, udp] = [createServer(), createSocket("udp4")];
  try {
    udp.bind(port, "127.0.0.1");
    await once(udp, "listening");
    tcp.listen(port, "127.0.0.1");
    await once(tcp, "listening");
    return true;
  } catch {
    return false;
  } finally {
    udp.close();
    tcp.close();
  }
}
