import { expect, test } from "bun:test";
import fc from "fast-check";
import { ServiceError } from "../../base/service-error.ts";
import { readSigned } from "./service.ts";

const base64 = (...bytes: number[]) => Buffer.from(bytes).toString("base64");
const filled = (count: number, byte: number) => Array<number>(count).fill(byte);

test("a transaction is split into its signature and its message", () => {
  const text = base64(1, ...filled(64, 7), 1, 0, 3);
  const signed = readSigned(text);
  expect(signed?.signatures.map((it) => [...it])).toEqual([filled(64, 7)]);
  expect([...(signed?.message ?? [])]).toEqual([1, 0, 3]);
  expect(Buffer.from(signed?.transaction ?? []).toString("base64")).toBe(text);
});

test("base64 without padding is accepted", () => {
  const text = base64(1, ...filled(64, 7), 1, 2);
  expect(text).toEndWith("==");
  expect(readSigned(text.replace(/=+$/, ""))).toEqual(readSigned(text));
});

test("it has as many signatures as its message asks for, in their order", () => {
  const text = base64(3, ...filled(64, 0), ...filled(64, 7), ...filled(64, 8), 3, 0, 3);
  const signed = readSigned(text);
  expect(signed?.signatures.map(([first]) => first)).toEqual([0, 7, 8]);
  expect([...(signed?.message ?? [])]).toEqual([3, 0, 3]);
});

test.each([
  ["one signature of a message that asks for two", base64(1, ...filled(64, 7), 2, 0, 3)],
  ["two signatures of a message that asks for one", base64(2, ...filled(128, 7), 1)],
  ["two signatures and nothing else", base64(2, ...filled(128, 7))],
  ["no signature", base64(0, 1, 0, 3)],
  ["a count in two bytes", base64(0x81, 0, ...filled(64, 7), 1)],
  ["a signature and nothing else", base64(1, ...filled(64, 7))],
  ["half a signature", base64(1, ...filled(30, 7))],
  ["no content", ""],
])("bytes with %s are not one of our transactions", (_, text) => {
  expect(readSigned(text)).toBeNull();
});

test.each([
  ["other characters", "AQ!!"],
  ["characters of the URL alphabet", "-_-_"],
  ["spaces", "AQ EB"],
  ["a character too many", "AQEBA"],
  ["loose bits at the end", "AR=="],
  ["1233 bytes", base64(1, ...filled(1232, 7))],
])("base64 with %s is refused", (_, text) => {
  expect(() => readSigned(text)).toThrow(ServiceError);
});

test("a transaction of 1232 bytes is accepted", () => {
  const text = base64(1, ...filled(64, 7), 1, ...filled(1166, 7));
  expect(readSigned(text)?.message).toHaveLength(1167);
});

test("any text is either parsed or refused with a ServiceError", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 100, unit: "binary" }), (text) => {
      try {
        readSigned(text);
      } catch (error) {
        expect(error).toBeInstanceOf(ServiceError);
      }
    }),
  );
});
