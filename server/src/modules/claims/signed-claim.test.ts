import { expect, test } from "bun:test";
import fc from "fast-check";
import { ServiceError } from "../../base/service-error.ts";
import { parseSignedClaim } from "./signed-claim.ts";

const base64 = (...bytes: number[]) => Buffer.from(bytes).toString("base64");
const filled = (count: number, byte: number) => Array<number>(count).fill(byte);

test("the signature and all that follows it", () => {
  const text = base64(1, ...filled(64, 7), 1, 0, 3);
  const claim = parseSignedClaim(text);
  expect([...(claim?.signature ?? [])]).toEqual(filled(64, 7));
  expect([...(claim?.message ?? [])]).toEqual([1, 0, 3]);
  expect(Buffer.from(claim?.transaction ?? []).toString("base64")).toBe(text);
});

test("base64 without its padding is read too", () => {
  const text = base64(1, ...filled(64, 7), 1, 2);
  expect(text).toEndWith("==");
  expect(parseSignedClaim(text.replace(/=+$/, ""))).toEqual(parseSignedClaim(text));
});

test.each([
  ["two signatures", base64(2, ...filled(128, 7), 1)],
  ["no signature", base64(0, 1, 0, 3)],
  ["a count in two bytes", base64(0x81, 0, ...filled(64, 7), 1)],
  ["a signature and nothing else", base64(1, ...filled(64, 7))],
  ["half a signature", base64(1, ...filled(30, 7))],
  ["no bytes", ""],
])("%s is no transaction of ours", (_, text) => {
  expect(parseSignedClaim(text)).toBeNull();
});

test.each([
  ["other characters", "AQ!!"],
  ["the URL alphabet", "-_-_"],
  ["spaces", "AQ EB"],
  ["a character too many", "AQEBA"],
  ["loose bits at the end", "AR=="],
  ["1233 bytes", base64(1, ...filled(1232, 7))],
])("%s is refused as base64", (_, text) => {
  expect(() => parseSignedClaim(text)).toThrow(ServiceError);
});

test("a transaction of 1232 bytes is taken", () => {
  expect(parseSignedClaim(base64(1, ...filled(1231, 7)))?.message).toHaveLength(1167);
});

test("any text is taken apart, refused or no transaction, and nothing else", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 100, unit: "binary" }), (text) => {
      try {
        parseSignedClaim(text);
      } catch (error) {
        expect(error).toBeInstanceOf(ServiceError);
      }
    }),
  );
});
