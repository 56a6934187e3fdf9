import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { Type } from "@sinclair/typebox";
import { ChallengeRequestSchema, VerifyRequestSchema } from "@tokenctl/shared/contract/auth";
import { ClaimRequestSchema } from "@tokenctl/shared/contract/claim";
import { LaunchRequestSchema } from "@tokenctl/shared/contract/launch";
import { errorCodes } from "@tokenctl/shared/error-codes";
import { limits } from "@tokenctl/shared/limits";
import type { FieldError } from "@tokenctl/shared/types";
import type { Server } from "bun";
import { Elysia } from "elysia";
import { ServiceError } from "../base/service-error.ts";
import { exchange, listen } from "../testing/listen.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { parser, parseSolAmount, partialParser, readJson, readPaced } from "./body.ts";
import { requestsPlugin } from "./requests.ts";

let server: Server<undefined>;
const clock = new ManualClock();
const PACE = { maxBytes: 9, graceMs: 1_000, bytesPerSecond: 1, onBytes() {} };
/** The error of the handler of `/` for the next request. */
let failed = Promise.withResolvers<unknown>();

beforeAll(() => {
  const app = new Elysia()
    .use(requestsPlugin([], { corsOrigins: [], hosts: null }, () => []))
    .post("/", async ({ request }) => {
      try {
        return { read: (await readJson(request, clock)) ?? null };
      } catch (fault) {
        failed.resolve(fault);
        throw fault;
      }
    });
  server = listen(app, { hostname: "127.0.0.1", port: 0 });
});
afterAll(() => server.stop(true));

const post = (body: Exclude<RequestInit["body"], undefined>, type = "application/json") =>
  fetch(server.url, { method: "POST", body, headers: { "content-type": type } });

const HEAD = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

test("JSON is read with a declared length and in chunks", async () => {
  expect(await (await post('{"a":"ä"}')).json()).toEqual({ read: { a: "ä" } });
  expect(await (await post('{"a":1}', "application/json; charset=utf-8")).json()).toEqual({
    read: { a: 1 },
  });
  expect(await postChunked('{"a":1}')).toEqual({ status: 200, json: { read: { a: 1 } } });
});

test("a missing or empty body is read as undefined", async () => {
  expect(await (await post(null)).json()).toEqual({ read: null });
  expect(await (await post("")).json()).toEqual({ read: null });
});

test.each([
  ["a declared length", `${HEAD}Content-Length: 100\r\n\r\n{"a":`],
  ["chunks", `${HEAD}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`],
])(
  "a body framed by %s that does not arrive gets 408 and closes the connection",
  async (_, request) => {
    const answering = exchange(server.port, request);
    await clock.pass(15_000);
    const answer = await answering;
    expect(answer).toStartWith("HTTP/1.1 408 ");
    expect(answer).toMatch(/^connection: close\r$/im);
    expect(answer).toContain(`"error":"${errorCodes.body_too_late.text}"`);
  },
);

/** Sends a body in chunks of 16 KiB without its length. @returns the answer's status and body */
async function postChunked(
  body: string,
  bytes = 16_384,
): Promise<{ status: number; json: unknown }> {
  const parts = body.match(new RegExp(`.{1,${bytes}}`, "gs")) ?? [];
  const chunks = [...parts, ""].map((part) => `${part.length.toString(16)}\r\n${part}\r\n`);
  const framed = `Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunks.join("")}`;
  const [head = "", json = ""] = (await exchange(server.port, HEAD + framed)).split("\r\n\r\n");
  return { status: Number(head.split(" ")[1]), json: JSON.parse(json) };
}

test.each([limits.bodyBytes + 1, 10_000_000])("a body of %d bytes gets 413", async (length) => {
  const body = " ".repeat(length);
  const answer = await post(body);
  expect(answer.status).toBe(413);
  expect(await answer.json()).toMatchObject({ error: errorCodes.body_too_large.text });
  const chunked = await postChunked(body);
  expect(chunked.status).toBe(413);
  expect(chunked.json).toMatchObject({ error: errorCodes.body_too_large.text });
});

test("the largest allowed body is read, with a declared length and in chunks", async () => {
  const text = "a".repeat(limits.bodyBytes - 2);
  const body = JSON.stringify(text);
  expect(body).toHaveLength(limits.bodyBytes);
  expect(await (await post(body)).json()).toEqual({ read: text });
  expect(await postChunked(body)).toEqual({ status: 200, json: { read: text } });
});

test("a body may come byte by byte if it is short, and is refused if it is long", async () => {
  const short = `"${"a".repeat(900)}"`;
  expect(await postChunked(short, 1)).toEqual({ status: 200, json: { read: short.slice(1, -1) } });
  expect(await postChunked(" ".repeat(limits.bodyBytes), 1)).toMatchObject({
    status: 400,
    json: { details: [{ field: "body", message: "comes in tiny pieces" }] },
  });
});

test("a client that closes the connection in the middle of its body causes no server error", async () => {
  failed = Promise.withResolvers();
  const socket = connect(Number(server.port), "127.0.0.1", () => {
    socket.end(`${HEAD}Content-Length: 100\r\n\r\n{"a":`);
  });
  expect(await failed.promise).toMatchObject({
    name: "ServiceError",
    wireCode: "validation_failed",
  });
});

test("a body that arrives more slowly than it must is refused, after its grace", async () => {
  const clock = new ManualClock();
  const request = new Request(server.url.href, { method: "POST", body: new ReadableStream() });
  let fault: unknown = null;
  const reading = readPaced(request, PACE, clock).catch((error) => {
    fault = error;
  });
  for (let passed = 0; passed < 1_250; passed += 250) {
    expect(fault).toBeNull();
    await clock.pass(250);
  }
  await reading;
  expect(fault).toMatchObject({ wireCode: "body_too_late" });
});

test.each([readJson, (request: Request) => readPaced(request, PACE, clock)])(
  "a compressed body is refused before any of it is read",
  async (read) => {
    for (const encoding of ["gzip", "br, identity", "x"]) {
      const headers = { "content-encoding": encoding, "content-type": "application/json" };
      const request = new Request(server.url.href, { method: "POST", headers, body: "{}" });
      await expect(read(request)).rejects.toMatchObject({
        wireCode: "unsupported_content_encoding",
      });
      expect(request.bodyUsed).toBeFalse();
    }
  },
);

test.each([
  [1, 1_000_000_000n],
  [0.1, 100_000_000n],
  [0.000000001, 1n],
  [100_000, 100_000_000_000_000n],
  [1.5, 1_500_000_000n],
])("%j SOL are %p lamports", (sol, lamports) => {
  expect(parseSolAmount("sol", sol, 100_000_000_000_000n)).toBe(lamports);
});

test.each([0, -1, 100_000.1, Number.NaN, Number.POSITIVE_INFINITY, 1e21, 1.0000000001, 1e-10])(
  "the amount %j is refused",
  (sol) => {
    const message = "must be more than 0 and at most 100000, with at most 9 decimals";
    expect(() => parseSolAmount("sol", sol, 100_000_000_000_000n)).toThrow(
      expect.objectContaining({ details: [{ field: "sol", message }] }),
    );
  },
);

const parseLaunch = parser(LaunchRequestSchema);

const GOOD = { name: "A token", ticker: "TKN" };

/** Returns the details of a parser's error for a value; empty if it accepts the value. */
function details(value: unknown, parse: (value: unknown) => unknown = parseLaunch) {
  try {
    parse(value);
    return [];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    expect(error).toMatchObject({ wireCode: "validation_failed", message: "Validation failed" });
    return error.details as readonly FieldError[];
  }
}

const fields = (value: unknown) => details(value).map(({ field }) => field);

test("a valid launch is returned unchanged", () => {
  const whole = { ...GOOD, description: "", imageUrl: "https://example.com/a.png" };
  expect(parseLaunch(whole)).toEqual(whole);
  expect(parseLaunch(GOOD)).toEqual(GOOD);
});

test("null for an optional field is the same as none, at any depth, and never for a required one", () => {
  expect(parseLaunch({ ...GOOD, description: null, imageUrl: null })).toEqual(GOOD);
  expect(parser(ClaimRequestSchema)({ signedTransaction: null })).toEqual({});
  const inner = Type.Object({ one: Type.Optional(Type.String()), two: Type.Null() });
  expect(parser(Type.Object({ inner }))({ inner: { one: null, two: null } })).toEqual({
    inner: { two: null },
  });
  const partly = partialParser(LaunchRequestSchema);
  expect(partly({ ...GOOD, imageUrl: null })).toEqual({ fields: GOOD, details: [] });
  expect(fields({ name: null, ticker: null })).toEqual(["name", "ticker"]);
  for (const field of ["unknown", "constructor", "__proto__"]) {
    const body: unknown = JSON.parse(`{"name":"A token","ticker":"TKN","${field}":null}`);
    expect(fields(body)).toEqual([field]);
  }
});

test.each([[undefined], [null], [true], [5], ["text"], [[]], [[GOOD]]])(
  "the body %j is refused because it is not a JSON object",
  (value) => {
    expect(details(value)).toEqual([{ field: "body", message: "must be a JSON object" }]);
  },
);

test("a description that was read in the wrong encoding is refused", () => {
  expect(fields({ ...GOOD, description: "caf\ufffd\n" })).toEqual(["description"]);
  expect(fields({ ...GOOD, description: "café\n" })).toEqual([]);
});

test("each wrong field is named once, with its rule", () => {
  expect(details({ name: "", ticker: "a", description: 5, imageUrl: "x" })).toEqual([
    { field: "name", message: expect.stringMatching(/^must be a text of 1 to 255 characters/) },
    { field: "ticker", message: "must be 2 to 10 characters of A-Z and 0-9" },
    {
      field: "description",
      message: "must be a text of at most 1000 characters, none of them U+0000 or U+FFFD",
    },
    {
      field: "imageUrl",
      message: "must be an http, https, ipfs or ar URL of at most 255 characters",
    },
  ]);
  expect(details({})).toEqual([
    { field: "name", message: "is required" },
    { field: "ticker", message: "is required" },
  ]);
});

test.each([[5], [true], [[]], [{}], [["TKN"]], [{ length: 3 }]])(
  "%j is refused in every text field",
  (value) => {
    expect(
      fields({ name: value, ticker: value, description: value, imageUrl: value }).toSorted(),
    ).toEqual(["description", "imageUrl", "name", "ticker"]);
  },
);

describe("characters", () => {
  test.each([
    ["name", 255],
    ["description", 1000],
  ])("the length of the %s is counted in code points, not in UTF-16 units", (field, max) => {
    const isGood = (value: string) => details({ ...GOOD, [field]: value }).length === 0;
    for (const character of ["a", "é", "🚀"]) {
      expect(isGood(character.repeat(max))).toBe(true);
      expect(isGood(character.repeat(max + 1))).toBe(false);
    }
  });

  test.each(["\ud800", "\udc00", "a\udfff", "\ude80\ud83d"])(
    "the lone surrogate in %j is refused",
    (value) => {
      expect(fields({ ...GOOD, name: value, description: value })).toEqual(["name", "description"]);
    },
  );

  test("U+0000 is refused", () => {
    expect(fields({ ...GOOD, description: "a\0b" })).toEqual(["description"]);
  });
});

test.each([
  ...["AB", "ABCDEFGHIJ", "1234567890", "A1"].map((ticker) => ["ticker", ticker]),
  ["imageUrl", "http://example.com"],
  ["imageUrl", "https://example.com/a%20b?c=d#e"],
  ["imageUrl", "HTTPS://EXAMPLE.COM/Ä.png"],
  ["imageUrl", "ipfs://bafybeigdyrzt/1.png"],
  ["imageUrl", "ar://abc_def-123"],
  ["imageUrl", `https://example.com/${"a".repeat(235)}`],
  ["imageUrl", "https://münchen.example/straße.png"],
  ["website", "http://example.com"],
  ["website", "https://xn--mnchen-3ya.example:8443/a%20b?c=d&e=f#g"],
  ["website", "https://例え.example/犬"],
  ["twitter", "https://x.com/mytoken"],
  ["twitter", "https://www.twitter.com/mytoken/status/1"],
  ["telegram", "https://t.me/mytoken"],
  ["telegram", "https://telegram.me/joinchat/AAAA"],
])("the %s %s is accepted", (field = "", value) => {
  expect(fields({ ...GOOD, [field]: value })).toEqual([]);
});

test.each([
  ...["A", "ABCDEFGHIJK", "abc", "AB C", "AB\n", "ÄB", "А1", "🚀🚀", ""].map((it) => [
    "ticker",
    it,
  ]),
  ["imageUrl", ""],
  ["imageUrl", "example.com/a.png"],
  ["imageUrl", "//example.com/a.png"],
  ["imageUrl", "ftp://example.com/a.png"],
  ["imageUrl", "javascript:alert(1)"],
  ["imageUrl", "data:image/png;base64,AAAA"],
  ["imageUrl", "file:///etc/passwd"],
  ["imageUrl", "https://"],
  ["imageUrl", "https:example.com"],
  ["imageUrl", "ipfs:"],
  ["imageUrl", " https://example.com"],
  ["imageUrl", "https://example.com/a b"],
  ["imageUrl", "https://example.com/\n"],
  ["imageUrl", "https://exa\tmple.com"],
  ["imageUrl", "https://example.com/\u0000"],
  ["imageUrl", `https://example.com/${"a".repeat(236)}`],
  ["imageUrl", "https://example.com/\u202egnp.exe"],
  ["imageUrl", 'https://example.com/"><script>'],
  ["imageUrl", "https://example.com/\u3164"],
  ["website", ""],
  ["website", "ipfs://bafybeigdyrzt"],
  ["website", "javascript:alert(1)"],
  ["website", "https://example.com@evil.example"],
  ["website", "https://:secret@example.com"],
  ["website", "https://ex\u0430mple.com"],
  ["twitter", "@mytoken"],
  ["twitter", "http://x.com/mytoken"],
  ["twitter", "https://x.com"],
  ["twitter", "https://x.com.evil.example/mytoken"],
  ["twitter", "https://notx.com/mytoken"],
  ["twitter", "https://x.com:8443/mytoken"],
  ["twitter", "https://x.com@evil.example/mytoken"],
  ["twitter", "https://t.me/mytoken"],
  ["telegram", "https://x.com/mytoken"],
  ["telegram", "tg://resolve?domain=mytoken"],
  ["telegram", "https://t.me/"],
])("the %s %j is refused", (field = "", value) => {
  expect(fields({ ...GOOD, [field]: value })).toEqual([field]);
});

describe("unknown fields", () => {
  test.each(["symbol", "Ticker", "", "🚀"])(
    "%j is refused, and the answer lists all fields",
    (field) => {
      expect(details({ ...GOOD, [field]: "x" })).toEqual([
        {
          field,
          message:
            "is not a known field; known are name, ticker, description, imageUrl, website, twitter, telegram, onChainName, payer, firstBuySOL, firstBuyMinTokens",
        },
      ]);
    },
  );

  test.each(["__proto__", "constructor", "toString", "a/b~c"])(
    "%s in JSON is refused like any other unknown field",
    (field) => {
      const body: unknown = JSON.parse(`{"name":"A","ticker":"AB",${JSON.stringify(field)}:{}}`);
      expect(fields(body)).toEqual([field]);
    },
  );

  test("fields of a prototype do not count as fields of the body", () => {
    const body: unknown = JSON.parse('{"__proto__":{"name":"A","ticker":"AB"}}');
    expect(fields(body)).toContain("name");
  });

  test("the answer shortens long names and lists at most 20 fields", () => {
    const long = "🚀".repeat(1_000);
    expect(fields({ ...GOOD, [long]: 1 })).toEqual(["🚀".repeat(64)]);
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`f${n}`, 1]));
    expect(fields({ ...GOOD, ...many })).toHaveLength(20);
  });
});

describe("other requests", () => {
  test("a 10,000-character wallet is refused, with its rule", () => {
    expect(details({ wallet: "1".repeat(10_000) }, parser(ChallengeRequestSchema))).toEqual([
      { field: "wallet", message: "must be a base58 wallet address" },
    ]);
  });

  test("sign-in accepts unknown fields, and a claim refuses them", () => {
    const wallet = "1".repeat(32);
    expect(details({ wallet, extra: 1 }, parser(ChallengeRequestSchema))).toEqual([]);
    expect(
      details({ wallet, nonce: "n", signature: "s", extra: 1 }, parser(VerifyRequestSchema)),
    ).toEqual([]);
    expect(details({ signedtransaction: "AA==" }, parser(ClaimRequestSchema))).toMatchObject([
      { field: "signedtransaction", message: expect.stringContaining("signedTransaction") },
    ]);
  });

  test("a field without its own rule is reported as not valid", () => {
    expect(details({ a: 1 }, parser(Type.Object({ a: Type.String() })))).toEqual([
      { field: "a", message: "is not valid" },
    ]);
  });
});
