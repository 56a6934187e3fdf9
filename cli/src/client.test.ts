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
import { writePrivate } from "./own-files.ts";
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

test("a keypair that cannot be written whole leaves no file, which would look like a wallet", () => {
  using folder = tempDir();
  // Fails as on a full disk: after the file is made.
  expect(() => writePrivate(join(folder.path, "id.json"), {} as string, false)).toThrow();
  expect(readdirSync(folder.path)).toEqual([]);
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
    [
      ["address", "-k", "/nonexistent/id.json"],
      "There is no keypair file /non",
      "`tokenctl keygen -o /nonexistent/id.json` to make it",
    ],
    [["address", "-k", folder.path], "(EISDIR)", "--keypair or TOKENCTL"],
    [["keygen", "-o", below], `Cannot write ${below} (`, "--outfile"],
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
  [ABANDON, "it is a seed phrase: `solana-keygen recover`"],
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
      /error: usb:\/\/ledger\S* is not a file: tokenctl signs only with keypair files\nhint: /,
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

test("a device without an end is no keypair file", async () => {
  const { stderr, exitCode } = await run(["address", "-k", "/dev/zero"]);
  expect(stderr).toContain("/dev/zero: ");
  expect(exitCode).toBe(1);
});
