import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { configPath } from "../own-files.ts";
import { readSettings } from "../settings.ts";
import { serveApi } from "../testing/api.ts";
import { run, tempDir, temporaryWallet } from "../testing/cli.ts";

const well = { ok: true, db: "connected", timestamp: "now" };

function setUp() {
  const folder = tempDir();
  const env = { XDG_CONFIG_HOME: folder.path, TOKENCTL_KEYPAIR: "" };
  const tokenctl = (...args: string[]) => run(args, { env });
  return { ...folder, env, tokenctl };
}

test("a command uses the server and the wallet that are stored, until they are removed", async () => {
  using dir = setUp();
  using wallet = temporaryWallet();
  await using one = serveApi({ "GET /health": () => ({ ...well, network: "sandbox" }) });
  await dir.tokenctl("config", "set", "api-url", one.url);
  await dir.tokenctl("config", "set", "keypair", wallet.keypair);
  expect((await dir.tokenctl("health")).stdout).toContain("sandbox");
  expect((await dir.tokenctl("address")).stdout).toBe(`${wallet.address}\n`);
  const { stdout } = await dir.tokenctl("config", "unset", "keypair");
  expect(stdout).toMatch(/^keypair +\S+ +default$/m);
  const stored = readFileSync(configPath(dir.env), "utf8");
  expect(JSON.parse(stored)).toEqual({ "api-url": one.url });
});

test.each([
  ["api-url", "127.0.0.1:8787"],
  ["api-url", "ftp://tokens.example"],
  ["rpc-url", "nonsense"],
])("%s is not set to %s, which no command could use", async (key, value) => {
  using dir = setUp();
  const { stderr, exitCode } = await dir.tokenctl("config", "set", key, value);
  expect(exitCode).toBe(2);
  expect(stderr).toStartWith(`error: ${value} is not an http or https address\nhint: Set ${key}`);
  expect(existsSync(configPath(dir.env))).toBe(false);
});

test("payout is one wallet, or several with shares, and nothing that no claim could pay", async () => {
  using dir = setUp();
  const [one, two] = [
    "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU",
    "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin",
  ];
  const { stderr, exitCode } = await dir.tokenctl("config", "set", "payout", `${one}=70`);
  expect(exitCode).toBe(2);
  expect(stderr).toStartWith("error: The payout is wrong: ");
  for (const value of [one, `${one}=70,${two}=30`]) {
    const { exitCode, stdout } = await dir.tokenctl("config", "set", "payout", value);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(value);
    expect((await dir.tokenctl("config", "get", "payout")).stdout).toContain(value);
  }
});

test("the file is its owner's, and a keypair's path is kept whole", async () => {
  using dir = setUp();
  await dir.tokenctl("config", "set", "keypair", "~/agents/one.json");
  expect(statSync(configPath(dir.env)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(configPath(dir.env), "utf8"))).toEqual({
    keypair: join(homedir(), "agents/one.json"),
  });
});

test("a configuration that cannot be written is a failure", async () => {
  const env = { XDG_CONFIG_HOME: "/dev/null" };
  const { stderr, exitCode } = await run(["config", "set", "api-url", "http://one"], { env });
  expect(exitCode).toBe(1);
  expect(stderr).toStartWith("error: Cannot write /dev/null/tokenctl/config.json");
});

test("config get shows where each setting comes from", async () => {
  using folder = tempDir();
  const env = {
    XDG_CONFIG_HOME: folder.path,
    TOKENCTL_API_URL: "http://env",
    TOKENCTL_KEYPAIR: "/env.json",
  };
  for (const [key = "", value = ""] of [
    ["rpc-url", "http://rpc.two"],
    ["keypair", "/two.json"],
  ]) {
    await run(["config", "set", key, value], { env });
  }
  const get = async (...args: string[]) => (await run(["config", "get", ...args], { env })).stdout;
  expect(await get("--api-url", "http://flag")).toBe(
    [
      "SETTING  VALUE           FROM",
      "api-url  http://flag     flag",
      "keypair  /env.json       environment",
      "rpc-url  http://rpc.two  config",
      "payout   -               default",
      "",
    ].join("\n"),
  );
  expect(JSON.parse(await get("api-url", "--json"))).toEqual({
    settings: [{ key: "api-url", value: "http://env", from: "environment" }],
  });
});

test.each(["{", "[1]", "null", '{"color":"red"}', '{"keypair":1}'])(
  "a configuration that is not as tokenctl writes it is refused: %s",
  (text) => {
    using dir = setUp();
    mkdirSync(join(dir.path, "tokenctl"));
    writeFileSync(configPath(dir.env), text);
    expect(() => readSettings({}, dir.env)).toThrow("The configuration ");
  },
);

test("the state folder follows XDG_STATE_HOME, if that is absolute", () => {
  expect(readSettings({}, { XDG_STATE_HOME: "/state" }).stateDir).toBe("/state/tokenctl");
  const relative = readSettings({}, { XDG_STATE_HOME: "state" });
  expect(relative.stateDir).toBe(readSettings({}, {}).stateDir);
});
