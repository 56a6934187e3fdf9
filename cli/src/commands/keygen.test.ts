import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { keypairSigner } from "@tokenctl/sdk";
import { run, tempDir } from "../testing/cli.ts";
import { derive, walletOf } from "./keygen.ts";

const ABANDON = `${"abandon ".repeat(11)}about`;
const USUAL = "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk";

test("keygen --seed-phrase prints a phrase that restores the same wallet", async () => {
  using folder = tempDir();
  const [first, second] = ["a.json", "b.json"].map((name) => join(folder.path, name)) as [
    string,
    string,
  ];
  const made = await run(["keygen", "--seed-phrase", "--words", "24", "-o", first]);
  const [address = "", phrase = ""] = made.stdout.split("\n");
  expect(phrase.split(" ")).toHaveLength(24);
  expect(keypairSigner(readFileSync(first, "utf8")).publicKey).toBe(address);
  const secret = `  ${phrase.toUpperCase().replaceAll(" ", "\t ")}`;
  const restored = await run(["keygen", "--restore", "-o", second], { secret });
  expect(restored).toEqual({ stdout: `${address}\n`, stderr: "", exitCode: 0 });
  expect(readFileSync(second, "utf8")).toBe(readFileSync(first, "utf8"));
});

test("keygen --json has the phrase only if one was asked for", async () => {
  using folder = tempDir();
  const of = async (...flags: string[]) => {
    const path = join(folder.path, crypto.randomUUID());
    return JSON.parse((await run(["keygen", ...flags, "--json", "-o", path])).stdout);
  };
  expect(await of()).toEqual({ address: expect.any(String), keypair: expect.any(String) });
  expect((await of("--seed-phrase")).seedPhrase.split(" ")).toHaveLength(12);
});

test("keygen --restore takes a derivation path and a passphrase", async () => {
  using folder = tempDir();
  const of = async (secret: string, ...flags: string[]) => {
    const args = ["keygen", "--restore", "-o", join(folder.path, crypto.randomUUID()), ...flags];
    return (await run(args, { secret })).stdout.trim();
  };
  expect(await of(ABANDON, "--derivation-path")).toBe(USUAL);
  expect(await of(ABANDON, "--derivation-path", "m/44'/501'/0'/0'")).toBe(USUAL);
  const plain = await of(ABANDON);
  expect(plain).not.toBe(USUAL);
  expect(await of(`${ABANDON}\nsecret`, "--passphrase")).not.toBe(plain);
  expect(await of(`${ABANDON}\nsecret`)).toBe(plain);
});

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

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

const KEY = "4wBqpZM9xaSheZzJSMawUKKwhdpChKbZ5eu5ky4Vigw7dtPqKkFWxD1yRQLZKXUrMMnbkA5t6pPSgnZk";

test.each([
  [
    "a word that is not in the list",
    ABANDON.replace("about", "abuot"),
    "word 12, abuot, is not in",
  ],
  ["two such words", `abondon zebro ${"abandon ".repeat(10)}`, "word 1, abondon, is not in"],
  ["a wrong checksum", ABANDON.replace("about", "zebra"), "its checksum is wrong"],
  ["too few words", "abandon about", "not 2"],
  ["a key in place of a word", ABANDON.replace("about", KEY), "word 12 is not in"],
])("what is no seed phrase is refused and nothing is written: %s", async (_, secret, why) => {
  using folder = tempDir();
  const keypair = join(folder.path, "id.json");
  const args = ["keygen", "--restore", "-o", keypair];
  const { stdout, stderr, exitCode } = await run(args, { secret });
  expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
  expect(stderr).toStartWith("error: Not a BIP-39 seed phrase: ");
  expect(stderr).toContain(why);
  // The error repeats no other word of the secret.
  for (const word of secret.split(" ")) {
    if (word !== "" && !why.includes(`, ${word},`)) expect(stderr).not.toContain(word);
  }
  expect(await Bun.file(keypair).exists()).toBe(false);
});
