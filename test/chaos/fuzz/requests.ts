import fc from "fast-check";
import { bodyNear, rpcBody, strayBody } from "./bodies.ts";
import { ENDPOINTS, type Endpoint } from "./endpoints.ts";
import type { FuzzRequest, Header } from "./request.ts";
import { headerText, known, text } from "./texts.ts";

/** A path's segment as bytes that a request line may hold. */
const segment: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: known },
  { weight: 3, arbitrary: known.map((name) => `${name}.json`) },
  { weight: 5, arbitrary: text.map(percentEncoded) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...[
        "%00",
        "%",
        "%2",
        "%E0%A4%A",
        "%ff%fe",
        "%2e%2e",
        "..",
        ".",
        "%2F",
        "%5c",
        "*",
        ":mintAddress",
      ],
      ...[
        "{{mint}}%00",
        "{{eventId}}%20",
        "%7B%7D",
        "\xff\xfe",
        "\xe2\x82\xac",
        ";a=b",
        "@",
        "[]",
        "|",
      ],
    ),
  },
);

function percentEncoded(value: string): string {
  return value.startsWith("{{") ? value : encodeURIComponent(value.toWellFormed()).slice(0, 10_000);
}

const query: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constant("") },
  { weight: 2, arbitrary: fc.integer({ min: -1, max: 1_001 }).map((limit) => `?limit=${limit}`) },
  {
    weight: 3,
    arbitrary: fc
      .array(
        fc.tuple(
          fc.constantFrom("limit", "cursor", "LIMIT", "limit[]", "__proto__", "a.b", "%00", ""),
          fc.oneof(text.map(percentEncoded), fc.constantFrom("1", "aWQ6MQ", "%E0%A4%A", "%")),
        ),
        { maxLength: 4 },
      )
      .map((pairs) => `?${pairs.map((pair) => pair.join("=")).join("&")}`.slice(0, 8_000)),
  },
  { weight: 1, arbitrary: fc.constantFrom("?", "??", "?&&&", "?=", "?limit", "?limit=1&limit=2") },
);

/** An endpoint's path, or one that is nearly the same. */
function target(endpoint: Endpoint): fc.Arbitrary<string> {
  const parameter = fc.oneof(
    { weight: 3, arbitrary: fc.constant(endpoint.parameter) },
    { weight: 2, arbitrary: segment },
  );
  const path = parameter.map((part) => endpoint.path.replace("*", () => part));
  const odd = fc.tuple(path, segment).map(([whole, part]) => `${whole}/${part}`);
  const variant = fc.oneof(
    { weight: 24, arbitrary: path },
    { weight: 1, arbitrary: path.map((whole) => `${whole}/`) },
    { weight: 1, arbitrary: path.map((whole) => whole.toUpperCase()) },
    { weight: 1, arbitrary: path.map((whole) => `/${whole}`) },
    { weight: 1, arbitrary: odd },
  );
  return fc.tuple(variant, query).map((parts) => parts.join(""));
}

const nowhere = fc
  .tuple(fc.array(segment, { maxLength: 4 }), query)
  .map(([parts, rest]) => `/${parts.join("/")}${rest}`);

const method = fc.constantFrom(
  ...["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "SEARCH"],
);

/** Of every ten requests, seven carry the token of the agent that has launched. */
const authorization: fc.Arbitrary<readonly Header[]> = fc
  .oneof(
    { weight: 14, arbitrary: fc.constant("Bearer {{token}}") },
    { weight: 2, arbitrary: fc.constant("Bearer {{otherToken}}") },
    { weight: 1, arbitrary: fc.constant("Bearer {{expiredToken}}") },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        ...[
          "Bearer",
          "Bearer ",
          "Basic YTpi",
          "bearer  {{token}} ",
          "Bearer {{token}}x",
          "{{token}}",
        ],
        ...["Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.", `Bearer ${"a".repeat(8_000)}`],
      ),
    },
    { weight: 1, arbitrary: headerText.map((value) => `Bearer ${value}`) },
    { weight: 1, arbitrary: fc.constant(null) },
  )
  .map((value) => (value === null ? [] : [["Authorization", value] as const]));

const contentType: fc.Arbitrary<readonly Header[]> = fc
  .oneof(
    { weight: 12, arbitrary: fc.constant("application/json") },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        ...[
          "application/json; charset=utf-8",
          "APPLICATION/JSON",
          "application/json;charset=utf-16",
        ],
        ...["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"],
        ...["application/jsonp", "application/octet-stream", "application/json, text/html", ""],
      ),
    },
    { weight: 1, arbitrary: headerText },
    { weight: 1, arbitrary: fc.constant(null) },
  )
  .map((value) => (value === null ? [] : [["Content-Type", value] as const]));

const FREE_HEADERS = [
  ...["Idempotency-Key", "X-Forwarded-For", "X-Request-Id", "Cookie", "Accept", "Accept-Encoding"],
  ...["Origin", "Range", "If-None-Match", "User-Agent", "X-HTTP-Method-Override", "Forwarded"],
] as const;

const extraHeader: fc.Arbitrary<Header> = fc.oneof(
  fc.tuple(fc.constantFrom(...FREE_HEADERS), headerText),
  fc.tuple(
    fc.constant("Idempotency-Key"),
    fc.constantFrom("key-1", "key-2", "a b", "k".repeat(256)),
  ),
  fc.tuple(
    fc.constant("X-Forwarded-For"),
    fc.constantFrom(
      ...["192.0.2.1", "192.0.2.1:443", "[2001:db8::1]:443", "::", "::ffff:192.0.2.1", "1.2.3.4.5"],
      ...["fe80::1%eth0", ",,,", "[".repeat(3_000), `${"1:".repeat(1_500)}:1`],
    ),
  ),
  fc.tuple(
    fc.constant("Connection"),
    fc.constantFrom("close", "keep-alive", "Upgrade", "te, close"),
  ),
  fc.tuple(fc.constant("Upgrade"), fc.constantFrom("websocket", "h2c")),
  fc.constant(["Expect", "100-continue"] as const),
  fc.tuple(
    fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,20}$/).map((name) => `X-${name}`),
    headerText,
  ),
);

const extraHeaders = fc.oneof(
  { weight: 3, arbitrary: fc.constant<readonly Header[]>([]) },
  { weight: 2, arbitrary: fc.array(extraHeader, { maxLength: 3 }) },
);

function body(endpoint: Endpoint) {
  if (endpoint.isRpc) return rpcBody;
  return endpoint.body === null ? strayBody : bodyNear(endpoint.body);
}

function requestTo(endpoint: Endpoint): fc.Arbitrary<FuzzRequest> {
  return fc.record({
    method: fc.oneof(
      { weight: 15, arbitrary: fc.constant(endpoint.method as string) },
      { weight: 1, arbitrary: method },
    ),
    target: target(endpoint),
    headers: fc
      .tuple(authorization, contentType, extraHeaders)
      .map((all): readonly Header[] => all.flat()),
    body: body(endpoint),
    isChunked: fc.oneof(
      { weight: 8, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
  });
}

const requestToNowhere: fc.Arbitrary<FuzzRequest> = fc.record({
  method,
  target: nowhere,
  headers: authorization,
  body: strayBody,
  isChunked: fc.constant(false),
});

/** Any request that HTTP's grammar permits. */
export const anyRequest: fc.Arbitrary<FuzzRequest> = fc.oneof(
  ...ENDPOINTS.map((endpoint) => ({ weight: 2, arbitrary: requestTo(endpoint) })),
  { weight: 2, arbitrary: requestToNowhere },
);
