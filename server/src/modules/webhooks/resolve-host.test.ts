import { expect, test } from "bun:test";
import { ManualClock } from "../../testing/manual-clock.ts";
import { resolveHost } from "./post.ts";
import { type DnsAnswer, DnsServer } from "./testing/dns-server.ts";

const never = new AbortController().signal;
const IPV6 = Uint8Array.from([0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7]);

test("a name has its IPv4 and its IPv6 addresses", async () => {
  const names: Record<string, DnsAnswer> = {
    "both.example": { a: [203, 0, 113, 7], aaaa: IPV6 },
    "old.example": { a: [203, 0, 113, 7] },
    "new.example": { aaaa: IPV6 },
  };
  await using dns = await DnsServer.start((name) => names[name] ?? {});
  const resolve = (name: string) => resolveHost(name, never, { servers: [dns.address] });
  expect(await resolve("both.example")).toEqual(["203.0.113.7", "2001:db8::7"]);
  expect(await resolve("old.example")).toEqual(["203.0.113.7"]);
  expect(await resolve("new.example")).toEqual(["2001:db8::7"]);
  expect(await resolve("none.example")).toEqual([]);
});

test("a name that the DNS server fails to find has no addresses, nor has one that cannot be", async () => {
  await using dns = await DnsServer.start(() => "servfail");
  for (const name of ["hooks.example", "a..example", `${"a".repeat(64)}.example`]) {
    expect(await resolveHost(name, never, { servers: [dns.address] })).toEqual([]);
  }
});

test("a name is looked up as it is written, in DNS alone", async () => {
  await using dns = await DnsServer.start(() => ({}));
  // `/etc/hosts` has the name of this machine.
  expect(await resolveHost("localhost", never, { servers: [dns.address] })).toEqual([]);
  expect(await resolveHost("intranet", never, { servers: [dns.address] })).toEqual([]);
  expect(new Set(dns.names.filter((name) => name !== "localhost"))).toEqual(new Set(["intranet"]));
});

// The resolver waits two seconds of its own for the first answer.
test("a question whose answer is lost is asked again", async () => {
  let lost = 2;
  await using dns = await DnsServer.start(() =>
    lost-- > 0 ? "silent" : { a: [203, 0, 113, 7] as const },
  );
  const found = await resolveHost("lost.example", never, { servers: [dns.address] });
  expect(found).toEqual(["203.0.113.7"]);
});

test("a lookup without an answer ends with its signal, and by itself", async () => {
  await using dns = await DnsServer.start(() => "silent");
  const ends = new AbortController();
  const aborted = resolveHost("one.example", ends.signal, { servers: [dns.address] });
  await dns.asked("one.example");
  ends.abort();
  expect(await aborted).toEqual([]);
  expect(await resolveHost("two.example", ends.signal, { servers: [dns.address] })).toEqual([]);
  expect(dns.names).not.toContain("two.example");
  const clock = new ManualClock();
  const silent = resolveHost("three.example", never, { servers: [dns.address], clock });
  await clock.pass(5_000);
  expect(await silent).toEqual([]);
});
