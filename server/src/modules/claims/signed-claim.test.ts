import { expect, test } from "bun:test";
import fc from "fast-check";
import { ServiceError } from "../../base/service-error.ts";
import { parseSignedClaim } from "./signed-claim.ts";

const base64 = (...bytes: number[]) => Buffer.from(bytes).toString("base64");
const filled = (count: number, byte: number) => Array<number>(count).fill(byte);

test("a transaction is split into its signature and its message", () => {
  const text = base64(1, ...filled(64, 7), 1, 0, 3);
  const claim = parseSignedClaim(text);
  expect([...(claim?.signature ?? [])]).toEqual(filled(64, 7));
  expect([...(claim?.message ?? [])]).toEqual([1, 0, 3]);
  expect(Buffer.from(claim?.transaction ?? []).toString("base64")).toBe(text);
});

test("base64 without padding is accepted", () => {
  const text = base64(1, ...filled(64, 7), 1, 2);
  expect(text).toEndWith("==");
  expect(parseSignedClaim(text.replace(/=+$/, ""))).toEqual(parseSignedClaim(text));
});

test("of a sponsored claim the agent's signature is the second, and its message asks for both", () => {
  const text = base64(2, ...filled(64, 0), ...filled(64, 7), 2, 0, 3);
  const claim = parseSignedClaim(text);
  expect([...(claim?.signature ?? [])]).toEqual(filled(64, 7));
  expect([...(claim?.message ?? [])]).toEqual([2, 0, 3]);
  expect(claim?.isSponsored).toBe(true);
});

test.each([
  ["one signature of a message that asks for two", base64(1, ...filled(64, 7), 2, 0, 3)],
  ["two signatures of a message that asks for one", base64(2, ...filled(128, 7), 1)],
  ["two signatures and nothing else", base64(2, ...filled(128, 7))],
  ["three signatures", base64(3, ...filled(192, 7), 3)],
  ["no signature", base64(0, 1, 0, 3)],
  ["a count in two bytes", base64(0x81, 0, ...filled(64, 7), 1)],
  ["a signature and nothing else", base64(1, ...filled(64, 7))],
  ["half a signature", base64(1, ...filled(30, 7))],
  ["no content", ""],
])("bytes with %s are not one of our transactions", (_, text) => {
  expect(parseSignedClaim(text)).toBeNull();
});

test.each([
  ["other characters", "AQ!!"],
  ["characters of the URL alphabet", "-_-_"],
  ["spaces", "AQ EB"],
  ["a character too many", "AQEBA"],
  ["loose bits at the end", "AR=="],
  ["1233 bytes", base64(1, ...filled(1232, 7))],
])("base64 with %s is refused", (_, text) => {
  expect(() => parseSignedClaim(text)).toThrow(ServiceError);
});

test("a transaction of 1232 bytes is accepted", () => {
  expect(parseSignedClaim(base64(1, ...filled(1231, 7)))?.message).toHaveLength(1167);
});

test("any text is either parsed or refused with a ServiceError", () => {
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
