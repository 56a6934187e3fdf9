import { expect, test } from "bun:test";
import fc from "fast-check";
import { ManualClock } from "../testing/manual-clock.ts";
import { clientAddress, RateLimit, shareAddress } from "./admit.ts";

function setUp(perMinute: number) {
  const clock = new ManualClock();
  const of = new RateLimit(perMinute, { clock, liveServers: () => 1 });
  const limiter = {
    /** Returns 0, or the seconds to wait. */
    take: (key: string, rate = perMinute) => of.take(key, rate),
    get size() {
      return of.size;
    },
  };
  return {
    limiter,
    step: (milliseconds: number) => clock.advance(milliseconds),
    /** Sends `count` requests and returns how many are allowed. */
    burst: (key: string, count: number) =>
      Array.from({ length: count }, () => limiter.take(key)).filter((wait) => wait === 0).length,
  };
}

test("the minute's requests are allowed at once, and not one more", () => {
  for (const perMinute of [1, 7, 60, 599, 600, 6_000]) {
    expect(setUp(perMinute).burst("a", perMinute + 5)).toBe(perMinute);
  }
});

test("a refusal says when one more request is allowed", () => {
  const { limiter, burst, step } = setUp(3);
  burst("a", 3);
  step(5_000);
  expect(limiter.take("a")).toBe(15);
});

test("a refused request does not count", () => {
  const { burst, step } = setUp(60);
  burst("a", 10_000);
  step(1_000);
  expect(burst("a", 10)).toBe(1);
});

test("a key keeps the part that it has used if the limit changes", () => {
  const { limiter, burst, step } = setUp(60);
  burst("half", 30);
  const taken = Array.from({ length: 20 }, () => limiter.take("half", 30));
  expect(taken.filter((wait) => wait === 0)).toHaveLength(15);
  burst("spent", 60);
  expect(limiter.take("spent", 30)).toBe(2);
  step(2_000);
  expect(limiter.take("spent", 30)).toBe(0);
});

test("keys whose allowance is full are forgotten", () => {
  const { limiter, step } = setUp(60);
  for (let i = 0; i < 500; i++) limiter.take(`old-${i}`);
  step(60_000);
  for (let i = 0; i < 100; i++) limiter.take(`new-${i}`);
  expect(limiter.size).toBe(100);
});

test("a flood of new keys takes bounded memory and does not reset a spent key", () => {
  const { limiter, burst } = setUp(60);
  burst("attacker", 60);
  for (let i = 0; i < 150_000; i++) limiter.take(`flood-${i}`);
  expect(limiter.size).toBeLessThanOrEqual(100_000);
  expect(burst("attacker", 10)).toBe(0);
});

test("a key never gets more than one burst plus what time gives back", () => {
  const gaps = fc.array(fc.integer({ min: -5_000, max: 5_000 }), { maxLength: 200 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 120 }), gaps, (perMinute, steps) => {
      const { limiter, step } = setUp(perMinute);
      let allowed = 0;
      let forward = 0;
      for (const gap of steps) {
        step(gap);
        forward += Math.max(0, gap);
        if (limiter.take("a") === 0) allowed++;
      }
      return allowed <= perMinute + (forward * perMinute) / 60_000 + 1;
    }),
  );
});

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
