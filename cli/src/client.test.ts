import { expect, test } from "bun:test";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { keypairSigner } from "@tokenctl/sdk";
import { derive, walletOf } from "./commands/keygen.ts";
import { run, tempDir, temporaryWallet } from "./testing/cli.ts";

/** The keypair of RFC 8032's first Ed25519 test vector, as the Solana CLI would write it. */
const SEED = Buffer.from("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60", "hex");
const PUBLIC = Buffer.from(
  "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
  "hex",
);
const SECRET = Buffer.concat([SEED, PUBLIC]);
const ADDRESS = "FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z";
const SECRET_BASE58 =
  "49W385L4rePHy6PAaQUovbD2aacgN4HsKXSMeUzRg4fmwXszN91JuMFrQRj3vMDpZuRF3ZknQBuRBoWQJEfXstMw";

const ABANDON = `${"abandon ".repeat(11)}about`;

test("keygen writes a keypair that only its owner can read, and prints only the address", async () => {
  using folder = tempDir();
  const path = join(folder.path, "new/folder/id.json");
  const { stdout, stderr, exitCode } = await run(["keygen", "--outfile", path]);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  const bytes = JSON.parse(readFileSync(path, "utf8"));
  expect(bytes).toHaveLength(64);
  expect(stdout).toBe(`${keypairSigner(bytes).publicKey}\n`);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder.path, "new")).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(folder.path, "new/folder"))).toEqual(["id.json"]);
});

test("keygen writes by default to the file that the other commands read", async () => {
  using folder = tempDir();
  const env = { TOKENCTL_KEYPAIR: join(folder.path, "id.json") };
  const { stdout } = await run(["keygen"], { env });
  expect(await run(["address"], { env })).toEqual({ stdout, stderr: "", exitCode: 0 });
});

test("keygen does not replace an existing file", async () => {
  using wallet = temporaryWallet();
  const before = readFileSync(wallet.keypair, "utf8");
  const { stdout, stderr, exitCode } = await run(["keygen", "-k", wallet.keypair]);
  expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
  expect(stderr).toContain(`The file ${wallet.keypair} already exists`);
  expect(stderr).toContain("--force");
  expect(readFileSync(wallet.keypair, "utf8")).toBe(before);
  expect(readdirSync(wallet.path)).toEqual(["id.json"]);
});

test("keygen --force replaces a file and makes it readable for its owner only", async () => {
  using wallet = temporaryWallet();
  chmodSync(wallet.keypair, 0o644);
  const { stdout, exitCode } = await run(["keygen", "-k", wallet.keypair, "--force", "--json"]);
  expect(exitCode).toBe(0);
  const { address, keypair } = JSON.parse(stdout);
  expect(address).not.toBe(wallet.address);
  expect(keypair).toBe(wallet.keypair);
  expect(statSync(wallet.keypair).mode & 0o777).toBe(0o600);
  expect(readdirSync(wallet.path)).toEqual(["id.json"]);
});

test("address reads the Solana CLI's format", async () => {
  using folder = tempDir();
  const path = join(folder.path, "id.json");
  writeFileSync(path, `[${SECRET.join(", ")}]\n`, { mode: 0o600 });
  const human = await run(["address", "-k", path]);
  expect(human).toEqual({ stdout: `${ADDRESS}\n`, stderr: "", exitCode: 0 });
  const json = await run(["address", "-k", path, "--json"]);
  expect(JSON.parse(json.stdout)).toEqual({ address: ADDRESS });
});

test.each([0o644, 0o640, 0o604])("address warns of a keypair file with mode %o", async (mode) => {
  using wallet = temporaryWallet();
  chmodSync(wallet.keypair, mode);
  const { stdout, stderr, exitCode } = await run(["address", "-k", wallet.keypair]);
  expect({ stdout, exitCode }).toEqual({ stdout: `${wallet.address}\n`, exitCode: 0 });
  expect(stderr).toStartWith("warning: Others can read the keypair");
  expect(stderr).toContain(`chmod 600 ${wallet.keypair}`);
  const json = await run(["address", "-k", wallet.keypair, "--json"]);
  expect(JSON.parse(json.stderr).warning).toContain(mode.toString(8));
  expect((await run(["address", "-k", wallet.keypair, "--quiet"])).stderr).toBe("");
});

test("a file that cannot be read or written is named, with the reason and what to do", async () => {
  using folder = tempDir();
  writeFileSync(join(folder.path, "file"), "");
  const below = join(folder.path, "file/id.json");
  for (const [args, error, hint] of [
    [["address", "-k", "/nonexistent/id.json"], "There is no keypair file /non", "tokenctl keygen"],
    [["address", "-k", folder.path], "illegal operation on a directory", "--keypair or TOKENCTL"],
    [["keygen", "-o", below], `Cannot write ${below}: `, "--outfile"],
  ] as const) {
    const { stderr, exitCode } = await run(args);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(error);
    expect(stderr).toContain(hint);
  }
});

test.each([
  ["", "it is empty"],
  ["not a key", "neither a JSON array of numbers nor base58"],
  [ABANDON, "it is a seed phrase: `tokenctl keygen --restore`"],
  [SECRET.toString("base64"), "64 bytes in base64"],
  [SECRET.toString("hex"), "64 bytes in hex"],
  [`0x${SEED.toString("hex")}`, "32 bytes in hex, as a seed alone"],
  [SEED.toString("base64"), "32 bytes in base64, as a seed alone"],
  [`"${SECRET_BASE58}"`, "in quotation marks: remove them"],
  [ADDRESS, "base58 of 32 bytes, as an address or a seed"],
  [`[${SEED.join(",")}]`, "32 bytes instead of 64, as a seed"],
  [JSON.stringify({ secretKey: [...SECRET] }), "a JSON object"],
  ["[1, 2, 3]", "3 bytes"],
  [`[${SECRET.join(",")}`, "is not one"],
  [`[${SEED.join(",")},${Buffer.alloc(32, 7).join(",")}]`, "does not match"],
])(
  "address refuses a file that holds no key and does not repeat its text: %p",
  async (text, why) => {
    using folder = tempDir();
    const path = join(folder.path, "id.json");
    writeFileSync(path, text, { mode: 0o600 });
    const { stdout, stderr, exitCode } = await run(["address", "-k", path]);
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
    expect(stderr).toContain(path);
    expect(stderr).toContain(why);
    expect(stderr).not.toContain("157,97");
    if (text.length > 20) expect(stderr).not.toContain(text.slice(1, 20));
  },
);

test("address says that a hardware wallet cannot sign here, wherever it is named", async () => {
  using folder = tempDir();
  const path = join(folder.path, ".config/solana/cli/config.yml");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, 'keypair_path: "usb://ledger?key=0"\n');
  const env = { HOME: folder.path, TOKENCTL_KEYPAIR: "" };
  for (const args of [["-k", "usb://ledger"], []]) {
    const { stderr, exitCode } = await run(["address", ...args], { env });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /error: usb:\/\/ledger\S* is no file: tokenctl signs with keypair files alone\nhint: /,
    );
  }
});

test.each([
  "keypair_path: PATH",
  "json_rpc_url: http://a\nkeypair_path: 'PATH'\ncommitment: confirmed",
])("the Solana CLI's keypair is used unless another is named: %s", async (config) => {
  using folder = tempDir();
  using wallet = temporaryWallet();
  const path = join(folder.path, ".config/solana/cli/config.yml");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, config.replace("PATH", wallet.keypair));
  const env = { HOME: folder.path, TOKENCTL_KEYPAIR: "" };
  expect((await run(["address"], { env })).stdout).toBe(`${wallet.address}\n`);
  const got = await run(["config", "get", "keypair", "--json"], { env });
  expect(JSON.parse(got.stdout).settings).toEqual([
    { key: "keypair", value: wallet.keypair, from: "solana cli" },
  ]);
  rmSync(path);
  const none = await run(["address"], { env });
  expect(none.stderr).toContain(`There is no keypair file ${folder.path}/.config/solana/id.json`);
});
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
