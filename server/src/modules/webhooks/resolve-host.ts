import { Resolver } from "node:dns/promises";
import { type Clock, systemClock } from "../../base/clock.ts";

const QUERY = { timeout: 2_000, tries: 2 } as const;
/** Milliseconds after which a lookup ends with what it has. */
const LOOKUP_MS = 5_000;

/** Returns the addresses of a name, IPv4 and IPv6; none if it has none, or none is found in time. */
export type ResolveHost = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

/**
 * Asks DNS servers, by c-ares: `getaddrinfo` behind `lookup` blocks a thread of the pool that also
 * signs tokens and decodes images. So it reads neither `/etc/hosts` nor search domains: a client
 * means a public name. @param options tests name DNS servers of their own, as in `127.0.0.1:5353`
 */
export async function resolveHost(
  host: string,
  signal: AbortSignal,
  {
    servers,
    clock = systemClock,
    query = QUERY,
  }: {
    readonly servers?: readonly string[];
    readonly clock?: Pick<Clock, "after">;
    readonly query?: { readonly timeout: number; readonly tries: number };
  } = {},
): Promise<readonly string[]> {
  if (signal.aborted) return [];
  // One of its own: `cancel` ends all lookups of a resolver.
  const resolver = new Resolver(query);
  if (servers) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  const stopWaiting = clock.after(LOOKUP_MS, cancel);
  signal.addEventListener("abort", cancel);
  try {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  } finally {
    stopWaiting();
    signal.removeEventListener("abort", cancel);
  }
}
