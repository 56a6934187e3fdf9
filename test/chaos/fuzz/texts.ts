import fc from "fast-check";

/** Is part of many texts that are sent, and must be part of no error that is answered. */
export const CANARY = "qZk7vCanary";

/** Texts that often break programs. */
const AWKWARD = [
  "",
  " ",
  "\0",
  "null",
  "undefined",
  "NaN",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "../../../../etc/passwd",
  "' or 1=1 --",
  '"; drop table launches; --',
  "%00",
  "%s%n",
  "{{7*7}}",
  "<script>alert(1)</script>",
  "\u202e\ufeff",
  "\ud800",
  "😀".repeat(200),
  "e\u0301".repeat(50),
  "11111111111111111111111111111111",
  "00000000-0000-4000-8000-000000000000",
  "-1",
  "0x10",
  "1e400",
];

/** Placeholders of things that exist, of this agent and of another. */
const KNOWN = [
  "mint",
  "otherMint",
  "eventId",
  "otherEventId",
  "limitedEventId",
  "cancelledEventId",
  "wallet",
  "otherWallet",
  "pool",
  "nonce",
  "signature",
  "transaction",
  "signedTransaction",
  "token",
];

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

const base58 = fc.oneof(
  fc.string({ unit: fc.constantFrom(...BASE58), minLength: 32, maxLength: 44 }),
  fc.string({ unit: fc.constantFrom(...BASE58), minLength: 60, maxLength: 90 }),
);

/** Far longer than any limit. */
const long = fc
  .tuple(fc.constantFrom("1", "A", "z", "😀", "%", "\n"), fc.constantFrom(256, 1_001, 10_000))
  .map(([unit, length]) => unit.repeat(length));

export const known = fc.constantFrom(...KNOWN).map((name) => `{{${name}}}`);

/** Any text. */
export const text: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: "grapheme", maxLength: 40 }) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  { weight: 3, arbitrary: fc.string({ maxLength: 20 }).map((rest) => CANARY + rest) },
  { weight: 3, arbitrary: known },
  { weight: 2, arbitrary: base58 },
  { weight: 2, arbitrary: fc.uuid() },
  { weight: 2, arbitrary: fc.constantFrom(...AWKWARD) },
  { weight: 1, arbitrary: fc.base64String({ maxLength: 200 }) },
  { weight: 1, arbitrary: long },
);

/** Any value of a header: one byte a character, without line breaks and NUL. */
export const headerText: fc.Arbitrary<string> = fc.oneof(
  text.map(toHeader),
  fc.constant("a".repeat(3_000)),
  fc.string({
    unit: fc
      .integer({ min: 0x20, max: 0xff })
      .filter((byte) => byte !== 0x7f)
      .map((byte) => String.fromCharCode(byte)),
    maxLength: 60,
  }),
);

function toHeader(value: string): string {
  return Buffer.from(value, "utf8")
    .toString("latin1")
    .replace(/[^\x20-\x7e\x80-\xff]/g, "?")
    .slice(0, 3_000);
}
