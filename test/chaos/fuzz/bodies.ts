import fc from "fast-check";
import { CANARY, known, text } from "./texts.ts";

/** Numbers in JSON; a double cannot hold some of them. */
const numberText = fc.oneof(
  fc.constantFrom("1e999", "-0", "1e-999", "123456789012345678901234567890", "0.1", "1E+2", "-1"),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.integer().map(String),
);

/** JSON of any kind, as text. */
const anyJson: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: text.map((value) => JSON.stringify(value)) },
  { weight: 2, arbitrary: numberText },
  { weight: 1, arbitrary: fc.constantFrom("null", "true", "false", "[]", "{}", '[["a"]]') },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)) },
);

/** Keys that the body does not have. */
const strangeKey = fc.oneof(
  text.map((key) => CANARY.slice(0, 3) + key),
  fc.constantFrom(
    "__proto__",
    "constructor",
    "prototype",
    "tiker",
    "Name",
    "image_url",
    "",
    "a/b~",
  ),
);

/** A body's members as JSON text, in order; a key may come twice. */
type Members = readonly (readonly [key: string, json: string])[];

const ticker = fc.stringMatching(/^[A-Z0-9]{2,10}$/).map((value) => JSON.stringify(value));

function members(body: Readonly<Record<string, unknown>>): fc.Arbitrary<Members> {
  const fields = Object.entries(body).map(([key, value]) => {
    const good = value === "*" ? ticker : fc.constant(JSON.stringify(value));
    return good.map((json) => [key, json] as const);
  });
  return fc.tuple(...fields);
}

function mutated(body: Readonly<Record<string, unknown>>): fc.Arbitrary<Members> {
  const keys = Object.keys(body);
  const mutation = fc.oneof(
    fc.record({ kind: fc.constant("set"), key: fc.constantFrom(...keys), json: anyJson }),
    fc.record({ kind: fc.constant("drop"), key: fc.constantFrom(...keys), json: fc.constant("") }),
    fc.record({ kind: fc.constant("add"), key: strangeKey, json: anyJson }),
    fc.record({ kind: fc.constant("twice"), key: fc.constantFrom(...keys), json: anyJson }),
  );
  return fc
    .tuple(members(body), fc.array(mutation, { minLength: 1, maxLength: 3 }))
    .map(([before, mutations]) => mutations.reduce(apply, before));
}

function apply(before: Members, { kind, key, json }: { kind: string; key: string; json: string }) {
  if (kind === "drop") return before.filter(([name]) => name !== key);
  if (kind === "set") {
    return before.map(([name, old]) => [name, name === key ? json : old] as const);
  }
  return [...before, [key, json] as const];
}

function write(all: Members): string {
  return `{${all.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(",")}}`;
}

/** Bodies that are expensive to read: deep, long, or with many fields. */
const costly = fc.oneof(
  fc
    .tuple(fc.constantFrom("[", '{"a":', '[{"":'), fc.constantFrom(100, 5_000, 10_000))
    .map(([open, depth]) => open.repeat(depth)),
  fc.constantFrom(500, 30_000).map((depth) => "[".repeat(depth) + "]".repeat(depth)),
  fc
    .constantFrom(100, 4_000)
    .map((count) => write(Array.from({ length: count }, (_, index) => [`field${index}`, "1"]))),
  fc.constantFrom(65_535, 65_536, 65_537, 70_000).map((length) => `"${"a".repeat(length - 2)}"`),
  fc.constantFrom("wallet", "name", "signedTransaction", "sol").map((key) => {
    return write([[key, JSON.stringify("1".repeat(10_000))]]);
  }),
  fc.constantFrom("sol", "ticker").map((key) => write([[key, "9".repeat(10_000)]])),
);

const broken = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.constantFrom("", " ", "{", '{"a":}', "nul", '"\u0000"', "\ufeff{}", "{}{}", "//", "NaN"),
  fc.string({ unit: "binary", maxLength: 100 }),
  fc.json({ maxDepth: 3 }),
);

/** Any body for an endpoint that takes the given one: a good one, a changed one, or any other. */
export function bodyNear(
  body: Readonly<Record<string, unknown>>,
): fc.Arbitrary<string | Uint8Array | null> {
  return fc.oneof(
    { weight: 10, arbitrary: members(body).map(write) },
    { weight: 10, arbitrary: mutated(body).map(write) },
    { weight: 1, arbitrary: members(body).map((all) => write(all).slice(0, -2)) },
    { weight: 1, arbitrary: members(body).map((all) => `[${write(all)}]`) },
    { weight: 3, arbitrary: anyJson },
    { weight: 3, arbitrary: broken },
    { weight: 2, arbitrary: costly },
    { weight: 1, arbitrary: fc.constant(null) },
  );
}

/** Any body for an endpoint that takes none. */
export const strayBody: fc.Arbitrary<string | Uint8Array | null> = fc.oneof(
  { weight: 6, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: anyJson },
  { weight: 1, arbitrary: broken },
);

const RPC_METHODS = [
  "getAccountInfo",
  "getBalance",
  "getBlockHeight",
  "getBlockTime",
  "getEpochInfo",
  "getFeeForMessage",
  "getHealth",
  "getLatestBlockhash",
  "getMinimumBalanceForRentExemption",
  "getMultipleAccounts",
  "getProgramAccounts",
  "getRecentPrioritizationFees",
  "getSignatureStatuses",
  "getSignaturesForAddress",
  "getSlot",
  "getTokenAccountBalance",
  "getTokenAccountsByOwner",
  "getTokenSupply",
  "getTransaction",
  "getVersion",
  "requestAirdrop",
  "sendTransaction",
  "simulateTransaction",
] as const;

const rpcConfig = fc.oneof(
  fc.constantFrom(
    '{"encoding":"base64"}',
    '{"encoding":"jsonParsed","commitment":"confirmed"}',
    '{"encoding":"base64+zstd"}',
    '{"dataSlice":{"offset":1,"length":9007199254740991}}',
    '{"filters":[{"memcmp":{"offset":0,"bytes":"3Mc6vR"}},{"dataSize":165}]}',
    '{"mint":"{{mint}}"}',
    '{"programId":"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"}',
    '{"limit":1000,"before":"{{signature}}"}',
    '{"maxSupportedTransactionVersion":0}',
    '{"sigVerify":true,"accounts":{"addresses":["{{wallet}}"],"encoding":"base64"}}',
    '{"replaceRecentBlockhash":true,"encoding":"base64"}',
    '{"minContextSlot":9007199254740991}',
    '{"skipPreflight":true,"encoding":"base64"}',
  ),
  fc
    .tuple(
      fc.constantFrom("encoding", "commitment", "limit", "filters", "dataSlice", "minContextSlot"),
      anyJson,
    )
    .map(([key, json]) => write([[key, json]])),
);

const rpcParam = fc.oneof(
  known.map((name) => JSON.stringify(name)),
  known.map((name) => `[${JSON.stringify(name)}]`),
  rpcConfig,
  anyJson,
);

const rpcCall = fc
  .tuple(
    fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...RPC_METHODS) as fc.Arbitrary<string> },
      { weight: 1, arbitrary: text },
    ),
    fc.oneof(
      { weight: 9, arbitrary: fc.array(rpcParam, { maxLength: 4 }).map((all) => `[${all}]`) },
      { weight: 1, arbitrary: anyJson },
    ),
    fc.oneof({ weight: 9, arbitrary: fc.constant("1") }, { weight: 1, arbitrary: anyJson }),
  )
  .map(([method, params, id]) =>
    write([
      ["jsonrpc", '"2.0"'],
      ["id", id],
      ["method", JSON.stringify(method)],
      ["params", params],
    ]),
  );

/** Any body for Solana's JSON-RPC. */
export const rpcBody: fc.Arbitrary<string | Uint8Array | null> = fc.oneof(
  { weight: 12, arbitrary: rpcCall },
  { weight: 2, arbitrary: fc.array(rpcCall, { maxLength: 5 }).map((calls) => `[${calls}]`) },
  { weight: 1, arbitrary: broken },
  { weight: 1, arbitrary: costly },
);
