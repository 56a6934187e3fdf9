import fc from "fast-check";

/** Is part of many texts that are sent, and must be part of no error that is answered. */
export const CANARY = "qZk7vCanary";

export interface FuzzRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | null;
}

/** What an operation takes; texts may hold placeholders such as `{{mint}}`. */
export interface Target {
  readonly method: string;
  /** The path, with `{name}` for its parameter. */
  readonly path: string;
  readonly parameter: string;
  /** A good body, whose value `*` stands for a new ticker; null if it takes none. */
  readonly body: Readonly<Record<string, unknown>> | null;
}

const KNOWN = [
  ...["mint", "otherMint", "eventId", "otherEventId", "limitedEventId", "cancelledEventId"],
  ...["wallet", "otherWallet", "nonce", "signature", "signedTransaction", "token", "webhook"],
];

const AWKWARD = [
  ...["", " ", "\0", "null", "NaN", "-1", "0x10", "1e400", "%00", "%s%n", "{{7*7}}"],
  ...["__proto__", "constructor", "toString", "hasOwnProperty", "../../../../etc/passwd"],
  ...["' or 1=1 --", '"; drop table launches; --', "<script>alert(1)</script>", "\u202e\ufeff"],
  ...["\ud800", "😀".repeat(200), "e\u0301".repeat(50), "1".repeat(32)],
];

/** Far longer than any limit. */
const long = fc
  .tuple(fc.constantFrom("1", "A", "z", "😀", "%", "\n"), fc.constantFrom(256, 1_001, 10_000))
  .map(([unit, length]) => unit.repeat(length));

const known = fc.constantFrom(...KNOWN).map((name) => `{{${name}}}`);

/** Any character; `unit: "binary"` would first build a table of all, for a second. */
const character = fc.nat(0x10ffff).map((point) => String.fromCodePoint(point));

const text: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: "grapheme", maxLength: 40 }) },
  { weight: 2, arbitrary: fc.string({ unit: character, maxLength: 40 }) },
  { weight: 3, arbitrary: fc.string({ maxLength: 20 }).map((rest) => CANARY + rest) },
  { weight: 3, arbitrary: known },
  { weight: 2, arbitrary: fc.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{32,90}$/) },
  { weight: 2, arbitrary: fc.uuid() },
  { weight: 2, arbitrary: fc.constantFrom(...AWKWARD) },
  { weight: 1, arbitrary: fc.base64String({ maxLength: 200 }) },
  { weight: 1, arbitrary: long },
);

/** JSON of any kind, as text; a double cannot hold some of its numbers. */
const anyJson: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: text.map((value) => JSON.stringify(value)) },
  { weight: 2, arbitrary: fc.constantFrom("1e999", "-0", "9".repeat(30), "0.1", "1E+2", "-1") },
  { weight: 1, arbitrary: fc.constantFrom("null", "true", "[]", "{}", '[["a"]]') },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)) },
);

/** A body's members as JSON text, in order; a key may come twice. */
type Members = readonly (readonly [key: string, json: string])[];

const write = (all: Members) =>
  `{${all.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(",")}}`;

const ticker = fc.stringMatching(/^[A-Z0-9]{2,10}$/).map((value) => JSON.stringify(value));

function members(body: Readonly<Record<string, unknown>>): fc.Arbitrary<Members> {
  const fields = Object.entries(body).map(([key, value]) => {
    const good = value === "*" ? ticker : fc.constant(JSON.stringify(value));
    return good.map((json) => [key, json] as const);
  });
  return fc.tuple(...fields);
}

const strangeKey = fc.oneof(
  text.map((key) => CANARY + key),
  fc.constantFrom("__proto__", "constructor", "tiker", "Name", "image_url", "", "a/b~"),
);

function mutated(body: Readonly<Record<string, unknown>>): fc.Arbitrary<Members> {
  const key = fc.constantFrom(...Object.keys(body));
  const mutation = fc.oneof(
    fc.record({ kind: fc.constantFrom("set", "drop", "add"), key, json: anyJson }),
    fc.record({ kind: fc.constant("add"), key: strangeKey, json: anyJson }),
  );
  return fc
    .tuple(members(body), fc.array(mutation, { minLength: 1, maxLength: 3 }))
    .map(([before, mutations]) => mutations.reduce(apply, before));
}

function apply(before: Members, { kind, key, json }: { kind: string; key: string; json: string }) {
  if (kind === "add") return [...before, [key, json] as const];
  const others = before.filter(([name]) => name !== key);
  return kind === "drop" ? others : [...others, [key, json] as const];
}

const costly = fc.oneof(
  fc.constantFrom("[", '{"a":', '[{"":').map((open) => open.repeat(10_000)),
  fc.constant("[".repeat(30_000) + "]".repeat(30_000)),
  fc.constant(write(Array.from({ length: 4_000 }, (_, index) => [`field${index}`, "1"]))),
  fc.constantFrom(65_535, 65_537, 70_000).map((length) => `"${"a".repeat(length - 2)}"`),
  fc
    .constantFrom("wallet", "name", "signedTransaction", "sol", "ticker")
    .map((key) => write([[key, "9".repeat(10_000)]])),
);

const broken = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Uint8Array.from(bytes)),
  fc.constantFrom("", " ", "{", '{"a":}', "nul", '"\u0000"', "\ufeff{}", "{}{}", "//", "NaN"),
  fc.string({ unit: character, maxLength: 100 }),
);

function bodyNear(body: Readonly<Record<string, unknown>> | null) {
  const near =
    body === null
      ? [{ weight: 30, arbitrary: fc.constant(null) }]
      : [
          { weight: 10, arbitrary: members(body).map(write) },
          ...(Object.keys(body).length > 0
            ? [{ weight: 10, arbitrary: mutated(body).map(write) }]
            : []),
          { weight: 1, arbitrary: members(body).map((all) => write(all).slice(0, -2)) },
          { weight: 1, arbitrary: members(body).map((all) => `[${write(all)}]`) },
        ];
  return fc.oneof(
    ...near,
    { weight: 3, arbitrary: anyJson },
    { weight: 3, arbitrary: broken },
    { weight: 2, arbitrary: costly },
    { weight: 1, arbitrary: fc.constant(null) },
  );
}

const percentEncoded = (value: string) =>
  value.startsWith("{{") ? value : encodeURIComponent(value.toWellFormed()).slice(0, 10_000);

const segment: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: known },
  { weight: 2, arbitrary: known.map((name) => `${name}.json`) },
  { weight: 5, arbitrary: text.map(percentEncoded) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...["%00", "%", "%E0%A4%A", "%ff%fe", "%2e%2e", "%2F", "%5c", "*", ":mintAddress"],
      ...["{{mint}}%00", "{{eventId}}%20", ";a=b", "@", "[]", "|"],
    ),
  },
);

const query: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constant("") },
  { weight: 2, arbitrary: fc.integer({ min: -1, max: 1_001 }).map((limit) => `?limit=${limit}`) },
  {
    weight: 3,
    arbitrary: fc
      .array(
        fc.tuple(
          fc.constantFrom("limit", "cursor", "after", "token", "mints", "__proto__", "%00", ""),
          fc.oneof(text.map(percentEncoded), fc.constantFrom("1", "aWQ6MQ", "%E0%A4%A", "%")),
        ),
        { maxLength: 4 },
      )
      .map((pairs) => `?${pairs.map((pair) => pair.join("=")).join("&")}`.slice(0, 8_000)),
  },
);

function targetNear({ path, parameter }: Target): fc.Arbitrary<string> {
  const value = fc.oneof(
    { weight: 3, arbitrary: fc.constant(parameter) },
    { weight: 2, arbitrary: segment },
  );
  const whole = value.map((part) => path.replace(/\{\w+\}/, () => part));
  const variant = fc.oneof(
    { weight: 24, arbitrary: whole },
    { weight: 1, arbitrary: whole.map((one) => `${one}/`) },
    { weight: 1, arbitrary: whole.map((one) => one.toUpperCase()) },
    { weight: 1, arbitrary: fc.tuple(whole, segment).map((parts) => parts.join("/")) },
  );
  return fc.tuple(variant, query).map((parts) => parts.join(""));
}

/** Any value of a header that `fetch` sends. */
const headerText = text.map((value) =>
  value
    .replace(/[^\x20-\x7e]/g, "?")
    .trim()
    .slice(0, 3_000),
);

/** Of every ten requests, seven carry the token of the agent that has launched. */
const authorization = fc.oneof(
  { weight: 14, arbitrary: fc.constant("Bearer {{token}}") },
  { weight: 2, arbitrary: fc.constant("Bearer {{otherToken}}") },
  { weight: 1, arbitrary: fc.constant("Bearer {{expiredToken}}") },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...["", "Bearer", "Basic YTpi", "Bearer {{token}}x", "{{token}}"],
      ...["Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.", `Bearer ${"a".repeat(8_000)}`],
    ),
  },
  { weight: 1, arbitrary: headerText.map((value) => `Bearer ${value}`) },
);

const contentType = fc.oneof(
  { weight: 12, arbitrary: fc.constant("application/json") },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...["application/json; charset=utf-8", "APPLICATION/JSON", "application/jsonp", "text/plain"],
      ...["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "image/png"],
    ),
  },
  { weight: 1, arbitrary: headerText },
);

const extraHeaders = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  {
    weight: 2,
    arbitrary: fc.dictionary(
      fc.constantFrom(
        ...["Idempotency-Key", "X-Forwarded-For", "X-Request-Id", "Cookie", "Last-Event-ID"],
        ...["Origin", "Range", "If-None-Match", "User-Agent", "X-HTTP-Method-Override"],
      ),
      fc.oneof(headerText, fc.constantFrom("key-1", "192.0.2.1", "[2001:db8::1]:443", "::", ",,")),
      { maxKeys: 3 },
    ),
  },
);

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] as const;

function requestTo(target: Target): fc.Arbitrary<FuzzRequest> {
  return (
    fc
      .record({
        method: fc.oneof(
          { weight: 15, arbitrary: fc.constant(target.method) },
          { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
        ),
        target: targetNear(target),
        headers: fc.tuple(authorization, contentType, extraHeaders).map(([bearer, type, more]) => ({
          authorization: bearer,
          "content-type": type,
          ...more,
        })),
        body: bodyNear(target.body),
      })
      // `fetch` gives these no body.
      .map((all) => (/^(?:GET|HEAD)$/.test(all.method) ? { ...all, body: null } : all))
  );
}

export const anyRequest = (targets: readonly Target[]): fc.Arbitrary<FuzzRequest> =>
  fc.oneof(...targets.map(requestTo));
