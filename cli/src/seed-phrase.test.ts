import { expect, test } from "bun:test";
import { keypairSigner } from "@tokenctl/sdk";
import { derive, readSeedPhrase, walletOf } from "./seed-phrase.ts";

const ABANDON = `${"abandon ".repeat(11)}about`;
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const _addressOf = async (...args: Parameters<typeof walletOf>) =>
  keypairSigner(await walletOf(...args)).publicKey;

// https://github.com/satoshilabs/slips/blob/master/slip-0010.md#test-vector-1-for-ed25519
test.each([
  ["m", "2b4be7f19ee27bbf30c667b642d5f4aa69fd169872f8fc3059c08ebae2eb19e7"],
  ["m/0'", "68e0fe46dfb67e368c75379acec591dad19df3cde26e63b93a8e704f1dade7a3"],
  ["m/0'/1'", "b1d0bad404bf35da785a64ca1ac54b2617211d2777696fbffaf208f746ae84f2"],
  ["m/0'/1'/2'/2'/1000000000'", "8f94d394a8e8fd6b1bc2f3f49f5c47e385281d5c17e65324b0f62483e37e8793"],
])("SLIP-0010 derives its own test vector at %s", (path, key) => {
  expect(hex(derive(Buffer.from("000102030405060708090a0b0c0d0e0f", "hex"), path))).toBe(key);
});

test("without a path the key is the first half of the BIP-39 seed, as solana-keygen makes it", async () => {
  // The seed of phrase and passphrase: https://github.com/trezor/python-mnemonic, vectors.json
  const secret = await walletOf(ABANDON, "TREZOR", null);
  expect(hex(secret.subarray(0, 32))).toBe(
    "c55257c360c07c72029aebc1b53c05ed0362ada38ead3e3e9efa3708e5349553",
  );
});

test("a phrase is read in any case and spacing, and not with a wrong word", () => {
  expect(readSeedPhrase(`  ${ABANDON.toUpperCase().replaceAll(" ", "\n ")}`)).toBe(ABANDON);
  const said = (text: string) => () => readSeedPhrase(text);
  expect(said(ABANDON.replace("about", "abandon"))).toThrow("its checksum is wrong");
  expect(said("")).toThrow("it must have 12, 15, 18, 21 or 24 words, not 1");
});
