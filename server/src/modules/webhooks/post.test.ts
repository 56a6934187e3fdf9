import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { systemClock } from "../../base/clock.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import {
  isPublicAddress,
  type PostOutcome,
  ReceiverClient,
  type ReceiverClientOptions,
  type ResolveHost,
  readReceiverUrl,
  resolveHost,
} from "./post.ts";
import { certificate } from "./testing/certificate.ts";
import { type DnsAnswer, DnsServer } from "./testing/dns-server.ts";

const NO_ADDRESS = { problem: "the host has no public address" };

type Listener = Awaited<ReturnType<typeof listen>>;

/** Listens on this machine, and records each request and the number of connections. */
async function listen(answer: (socket: Socket) => void, isTls = false) {
  const sockets = new Set<Socket>();
  const seen = { requests: [] as string[], connections: 0 };
  const serve = (socket: Socket) => {
    seen.connections++;
    sockets.add(socket);
    let request = "";
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      request += chunk;
      if (!request.endsWith("{}")) return;
      seen.requests.push(request);
      answer(socket);
    });
  };
  const server = isTls ? createTlsServer(certificate, serve) : createServer(serve);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port, seen, stop };
}

const ok = (socket: Socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");

const others: Listener[] = [];
const plain = await listen(ok);
const tls = await listen(ok, true);
afterEach(() => {
  for (const started of others.splice(0)) started.stop();
  for (const { seen } of [plain, tls]) Object.assign(seen, { requests: [], connections: 0 });
});
afterAll(() => {
  plain.stop();
  tls.stop();
});

function post(
  url: string,
  options: Partial<ReceiverClientOptions> = {},
  timeoutMs = 5_000,
): Promise<PostOutcome> {
  const client = new ReceiverClient({ allowsLoopback: false, ...options });
  const { signal } = new AbortController();
  return client.post(
    url,
    { headers: { "content-type": "application/json" }, body: "{}" },
    { clock: systemClock, timeoutMs, signal },
  );
}

const local = (listener: Listener, path = "/", timeoutMs?: number) =>
  post(`http://127.0.0.1:${listener.port}${path}`, { allowsLoopback: true }, timeoutMs);

async function listener(answer: (socket: Socket) => void): Promise<Listener> {
  const started = await listen(answer);
  others.push(started);
  return started;
}

describe("no request reaches a listener on this machine", () => {
  /** Spellings of addresses and names that lead, or could lead, to this machine or its network. */
  const HOSTS = String.raw`127.0.0.1 127.1 127.0.1 127.0.0.1. 127.255.255.254 0.0.0.0 0 00
    2130706433 017700000001 0x7f000001 0x7f.1 0X7F.0.0.0x1 0177.0.0.1 127.0.0.0x1
    0x7f.0x0.0x0.0x1 0177.0.0.01 %31%32%37.0.0.1 127%2e0%2e0%2e1 １２７.0.0.1 ①②⑦.0.0.1
    127。0。0。1 127．0．0．1 [::1] [::] [0:0:0:0:0:0:0:1] [0000::1] [::127.0.0.1]
    [::ffff:127.0.0.1] [::FFFF:7F00:1] [0:0:0:0:0:ffff:7f00:1] [::ffff:0:7f00:1]
    [64:ff9b::7f00:1] [2002:7f00:1::] 169.254.169.254 localhost LOCALHOST localhost. a.localhost
    ⓛocalhost user@localhost hooks.example@127.0.0.1 127.0.0.1#.hooks.example
    127.0.0.1\.hooks.example`.split(/\s+/);

  test("by whatever spelling of its address", async () => {
    for (const host of HOSTS) {
      for (const url of [`https://${host}:${tls.port}/`, `http://${host}:${plain.port}/`])
        expect(await post(url), url).toHaveProperty("problem");
    }
    expect([plain.seen.connections, tls.seen.connections]).toEqual([0, 0]);
  });

  test("by a name that has an address which is not public", async () => {
    const url = `https://hooks.example:${tls.port}/`;
    for (const address of ["127.0.0.1", "::ffff:127.0.0.1", "10.0.0.1", "fe80::1%lo", "no address"])
      for (const allowsLoopback of [false, true])
        expect(await post(url, { resolve: async () => [address], allowsLoopback })).toEqual(
          NO_ADDRESS,
        );
    expect(tls.seen.connections).toBe(0);
  });

  test("by a name whose address changes after it was checked", async () => {
    let lookups = 0;
    const resolve = async () => (lookups++ === 0 ? ["192.0.2.1", "203.0.113.7"] : ["127.0.0.1"]);
    const url = `https://hooks.example:${tls.port}/`;
    expect(await post(url, { resolve })).toEqual(NO_ADDRESS);
    expect(await post(url, { resolve })).toEqual(NO_ADDRESS);
    // The client connects to the public address that it checked, without a second lookup. No
    // machine has this address.
    lookups = 0;
    const rebinding = async () => (lookups++ === 0 ? ["2fff::1"] : ["127.0.0.1"]);
    expect(await post(url, { resolve: rebinding }, 200)).toHaveProperty("problem");
    expect([lookups, tls.seen.connections]).toEqual([1, 0]);
  });

  test("by a redirect", async () => {
    const location = `location: http://127.0.0.1:${plain.port}/\r\n`;
    for (const status of [301, 302, 303, 307, 308]) {
      const redirecting = await listener((socket) =>
        socket.end(`HTTP/1.1 ${status} Moved\r\n${location}content-length: 0\r\n\r\n`),
      );
      expect(await local(redirecting)).toEqual({ status });
    }
    expect(plain.seen.connections).toBe(0);
  });

  test("because the environment names a proxy", async () => {
    const proxy = `http://127.0.0.1:${plain.port}`;
    const names = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY"];
    const before = { ...process.env };
    for (const name of names) process.env[name] = proxy;
    process.env.NODE_USE_ENV_PROXY = "1";
    try {
      const options = { allowsLoopback: true, ca: certificate.cert };
      expect(await post(`https://127.0.0.1:${tls.port}/`, options)).toEqual({ status: 200 });
    } finally {
      for (const name of [...names, "NODE_USE_ENV_PROXY"]) delete process.env[name];
      Object.assign(process.env, before);
    }
    expect(plain.seen.connections).toBe(0);
  });
});

test("on a sandbox a receiver on this machine is sent to, by http and by https", async () => {
  expect(await local(plain, "/hook?a=1")).toEqual({ status: 200 });
  const [request] = plain.seen.requests;
  expect(request).toStartWith("POST /hook?a=1 HTTP/1.1\r\n");
  expect(request?.toLowerCase()).toContain(`host: 127.0.0.1:${plain.port}\r\n`);
  const byHttps = { allowsLoopback: true, ca: certificate.cert };
  expect(await post(`https://127.0.0.1:${tls.port}/`, byHttps)).toEqual({ status: 200 });
  expect(await post(`http://1.1.1.1:8080/`, byHttps)).toEqual({
    problem: "the URL must be an https URL",
  });
  expect(await post(`http://10.0.0.1:8080/`, byHttps)).toHaveProperty("problem");
});

test("a certificate must be trusted and name the host of the URL, not the address", async () => {
  const to = (host: string, ca?: string) =>
    post(`https://${host}:${tls.port}/`, {
      allowsLoopback: true,
      ...(ca !== undefined && { ca }),
    });
  const { cert } = certificate;
  const refused = { problem: expect.stringMatching(/^the request failed \(.*(CERT|TLS|SSL)/) };
  expect(await to("hooks.localhost")).toEqual(refused);
  expect(await to("a.localhost", cert)).toEqual(refused);
  expect(tls.seen.requests).toEqual([]);
  expect(await to("hooks.localhost", cert)).toEqual({ status: 200 });
});

describe("an attempt ends", () => {
  test("if the receiver does not answer, or answers slowly", async () => {
    const silent = await listener(() => {});
    const slow = await listener((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-le");
    });
    const late = { problem: "no answer within 0.1 s" };
    expect(await local(silent, "/", 100)).toEqual(late);
    expect(await local(slow, "/", 100)).toEqual(late);
  });

  test("if the name is not found in time", async () => {
    await using dns = await DnsServer.start(() => "silent");
    const resolve: ResolveHost = (host, signal) =>
      resolveHost(host, signal, { servers: [dns.address] });
    expect(await post("https://hooks.example/", { resolve }, 50)).toEqual({
      problem: "no answer within 0.05 s",
    });
  });

  test("with the head of an answer, whose body may never come or end", async () => {
    for (const head of ["content-length: 9", "transfer-encoding: chunked\r\n\r\n1\r\nx"]) {
      const open = await listener((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n`);
      });
      expect(await local(open)).toEqual({ status: 200 });
    }
  });

  test("if the receiver sends one interim answer after the other, but not because of a few", async () => {
    const interim = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n";
    const polite = await listener((socket) => {
      socket.end(`${interim.repeat(3)}HTTP/1.1 204 No Content\r\n\r\n`);
    });
    expect(await local(polite)).toEqual({ status: 204 });
    let sent = 0;
    const flooding = await listener((socket) => {
      const more = () => {
        sent += 1_000;
        socket.write(interim.repeat(1_000));
      };
      socket.on("drain", more);
      more();
    });
    expect(await local(flooding)).toEqual({ problem: "the answer does not begin" });
    expect(sent).toBeLessThan(100_000);
  });

  test("if the answer is not HTTP, the connection breaks, or the port is closed", async () => {
    const noise = await listener((socket) => socket.end("noise\r\n\r\n"));
    expect(await local(noise)).toEqual({ problem: expect.stringContaining("the request failed") });
    const broken = await listener((socket) => socket.destroy());
    expect(await local(broken)).toHaveProperty("problem");
    const url = `http://127.0.0.1:${broken.port}/`;
    broken.stop();
    expect(await post(url, { allowsLoopback: true })).toEqual({
      problem: "the request failed (ECONNREFUSED)",
    });
  });
});

const problem = (url: string, allowsLoopback = false) => {
  const read = readReceiverUrl(url, allowsLoopback);
  return typeof read === "string" ? read : null;
};

test.each([
  ["hooks.example", "a URL"],
  ["http://hooks.example/", "an https URL"],
  ["ftp://hooks.example/", "an https URL"],
  ["https://user@hooks.example/", "a URL without a user name"],
  ["https://:password@hooks.example/", "a URL without a user name"],
  ["https://localhost/", "a URL of a public host"],
  ["https://2130706433/", "a URL of a public host"],
  ["https://[::ffff:a9fe:a9fe]/", "a URL of a public host"],
  // The parser writes each `é` as `%C3%A9`.
  [`https://hooks.example/${"é".repeat(400)}`, "a URL of at most 1024 characters"],
  ["https://hooks.example:0/", "a URL with port 443 or one from 1024 on"],
  ["https://hooks.example:1023/", "a URL with port 443 or one from 1024 on"],
  ["https://hooks.example/a?b=c", null],
  ["https://hooks.example:8443/", null],
  ["https://[2606:4700::1111]/", null],
])("the URL %s must be: %p", (url, expected) => {
  expect(problem(url)).toBe(expected);
});

test("only on a sandbox a URL may lead to this machine, and only there by http", () => {
  for (const host of ["localhost:80", "127.0.0.1:1", "[::1]:8080", "a.localhost"]) {
    expect([problem(`http://${host}/`, true), problem(`https://${host}/`, true)]).toEqual([
      null,
      null,
    ]);
    expect(problem(`http://${host}/`)).not.toBeNull();
  }
  expect(problem("http://10.0.0.1/", true)).toBe("an https URL");
});

const FORBIDDEN = `
  0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.254 168.63.129.16
  169.254.169.254 169.254.170.2 172.16.0.1 172.31.255.255 192.0.0.192 192.0.2.1 192.31.196.1
  192.52.193.1 192.88.99.1 192.168.0.1 192.175.48.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1
  239.255.255.255 240.0.0.1 255.255.255.255 :: ::1 ::7f00:1 ::127.0.0.1 ::ffff:7f00:1 ::ffff:8.8.8.8
  ::ffff:0:7f00:1 64:ff9b::7f00:1 64:ff9b::808:808 64:ff9b:1::a00:1 100::1 2001::1
  2001:0:4136:e378:8000:63bf:80ff:fffe 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1::
  2002:a9fe:a9fe:: 2620:4f:8000::1 3fff::1 4000::1 5f00::1 fc00::1 fd00:ec2::254 fe80::1
  fe80::1%eth0 fec0::1 ff02::1 example.com 1.2.3 [::1]`.split(/\s+/);
const PUBLIC = "1.1.1.1 8.8.8.8 172.32.0.1 100.128.0.1 2606:4700::1111 2a00:1450::1".split(" ");

test("an address that is not of the public internet is told from one that is", () => {
  expect(FORBIDDEN.filter(isPublicAddress)).toEqual([]);
  expect(PUBLIC.filter((address) => !isPublicAddress(address))).toEqual([]);
});

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
  // `/etc/hosts` has this machine's name.
  expect(await resolveHost("localhost", never, { servers: [dns.address] })).toEqual([]);
  expect(await resolveHost("intranet", never, { servers: [dns.address] })).toEqual([]);
  expect(new Set(dns.names.filter((name) => name !== "localhost"))).toEqual(new Set(["intranet"]));
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
