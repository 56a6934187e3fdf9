import { expect, test } from "bun:test";
import { clientAddress, shareAddress } from "./admit.ts";

const peer = (address: string) => ({ requestIP: () => ({ address }) });

function forwarded(header: string): Request {
  return new Request("http://localhost/", { headers: { "x-forwarded-for": header } });
}

test("without a proxy the peer's address counts, and X-Forwarded-For is ignored", () => {
  expect(clientAddress(forwarded("198.51.100.1"), peer("192.0.2.7"), false)).toBe("192.0.2.7");
});

test("a request that came over no network counts as local", () => {
  expect(clientAddress(forwarded("198.51.100.1"), null, false)).toBe("local");
  expect(clientAddress(forwarded("x"), { requestIP: () => null }, false)).toBe("local");
});

test.each([
  ["198.51.100.1", "198.51.100.1"],
  ["203.0.113.9, 198.51.100.1", "198.51.100.1"],
  ["203.0.113.9,198.51.100.1:4711", "198.51.100.1"],
  ["evil, [2001:db8:1:2:3::4]:443", "2001:db8:1:2::/64"],
])("behind a proxy the last entry of %j counts", (header, expected) => {
  expect(clientAddress(forwarded(header), peer("10.0.0.1"), true)).toBe(expected);
});

test.each(["", "unknown", "203.0.113.9, ", `203.0.113.9, ${"1".repeat(65)}`, "300.1.1.1"])(
  "if the last entry of %j is not an address, the proxy's address counts",
  (header) => {
    expect(clientAddress(forwarded(header), peer("10.0.0.1"), true)).toBe("10.0.0.1");
  },
);

test.each([
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["::1", "0:0:0:0::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["2001:DB8:0:7:ffff:ffff:ffff:ffff", "2001:db8:0:7::/64"],
  ["2001:0db8:0000:0007::", "2001:db8:0:7::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["64:ff9b::192.0.2.33", "192.0.2.33"],
  ["64:FF9B:0:0:0:0:C000:221", "192.0.2.33"],
  ["::ffff:c000:201", "192.0.2.1"],
  ["1:2:3:4:5:6:192.0.2.33", "1:2:3:4::/64"],
])("the IPv6 address %s counts as %s", (address, expected) => {
  expect(clientAddress(new Request("http://localhost/"), peer(address), false)).toBe(expected);
});

test("only a sandbox exempts the clients on its own machine from shares", () => {
  const share = (address: string, exemptsLoopback: boolean) =>
    shareAddress({ trustProxy: false, exemptsLoopback }, () => peer(address))(
      new Request("http://localhost/"),
    );
  for (const own of ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"]) {
    expect(share(own, true)).toBe(null);
    expect(share(own, false)).not.toBe(null);
  }
  for (const exempts of [true, false]) expect(share("192.0.2.7", exempts)).toBe("192.0.2.7");
  expect(share("::ffff:c000:201", true)).toBe("192.0.2.1");
});
