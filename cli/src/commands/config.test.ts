import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
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

test("a command uses the server and the wallet of the profile in use, or of --profile", async () => {
  using dir = setUp();
  using wallet = temporaryWallet();
  await using one = serveApi({ "GET /health": () => ({ ...well, network: "sandbox" }) });
  await using two = serveApi({ "GET /health": () => ({ ...well, network: "devnet" }) });
  await dir.tokenctl("config", "set", "api-url", one.url);
  await dir.tokenctl("config", "set", "api-url", two.url, "--profile", "two");
  await dir.tokenctl("config", "set", "keypair", wallet.keypair, "--profile", "two");
  expect((await dir.tokenctl("health")).stdout).toContain("sandbox");
  expect((await dir.tokenctl("health", "--profile", "two")).stdout).toContain("devnet");
  const address = await dir.tokenctl("address", "--profile", "two");
  expect(address.stdout).toBe(`${wallet.address}\n`);
  await dir.tokenctl("config", "use", "two");
  expect((await dir.tokenctl("health")).stdout).toContain("devnet");
  const { stdout } = await dir.tokenctl("config", "list");
  expect(stdout).toMatch(/^default +http.* +- +-$/m);
  expect(stdout).toMatch(/^two \* +http/m);
  const json = await dir.tokenctl("config", "list", "--json");
  expect(JSON.parse(json.stdout)).toEqual({
    current: "two",
    profiles: [
      { name: "default", "api-url": one.url },
      { name: "two", "api-url": two.url, keypair: wallet.keypair },
    ],
  });
});

test("unset removes a setting, and a profile with its last one", async () => {
  using dir = setUp();
  await dir.tokenctl("config", "set", "api-url", "http://one", "--profile", "one");
  await dir.tokenctl("config", "set", "rpc-url", "http://rpc", "--profile", "one");
  await dir.tokenctl("config", "unset", "api-url");
  expect(JSON.parse((await dir.tokenctl("config", "list", "--json")).stdout)).toEqual({
    current: "one",
    profiles: [{ name: "one", "rpc-url": "http://rpc" }],
  });
  const { stdout } = await dir.tokenctl("config", "unset", "rpc-url");
  expect(stdout).toBe("There are no profiles: `tokenctl config set` makes one.\n");
  expect((await dir.tokenctl("address")).stderr).not.toContain("no profile");
});

test("TOKENCTL_PROFILE names the profile in use for `config` too", async () => {
  using dir = setUp();
  await dir.tokenctl("config", "set", "api-url", "http://one", "--profile", "one");
  await dir.tokenctl("config", "set", "api-url", "http://two", "--profile", "two");
  const env = { ...dir.env, TOKENCTL_PROFILE: "two" };
  await run(["config", "set", "rpc-url", "http://rpc"], { env });
  await run(["config", "unset", "api-url"], { env });
  expect(JSON.parse((await run(["config", "list", "--json"], { env })).stdout)).toEqual({
    current: "two",
    profiles: expect.arrayContaining([
      { name: "one", "api-url": "http://one" },
      { name: "two", "rpc-url": "http://rpc" },
    ]),
  });
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
  expect((await dir.tokenctl("config", "list")).stdout).toStartWith("There are no profiles");
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
  expect(JSON.parse(readFileSync(configPath(dir.env), "utf8")).profiles).toEqual({
    default: { keypair: join(homedir(), "agents/one.json") },
  });
});

test.each([["config use none"], ["config unset keypair"], ["tokens --profile none"]])(
  "`%s` is a usage error if there is no such profile",
  async (line) => {
    using dir = setUp();
    const { stderr, exitCode } = await dir.tokenctl(...line.split(" "));
    expect(exitCode).toBe(2);
    expect(stderr).toStartWith("error: There is no profile ");
  },
);

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
    await run(["config", "set", key, value, "--profile", "two"], { env });
  }
  const get = async (...args: string[]) => (await run(["config", "get", ...args], { env })).stdout;
  expect(await get("--api-url", "http://flag")).toBe(
    [
      "SETTING  VALUE           FROM",
      "api-url  http://flag     flag",
      "keypair  /env.json       environment",
      "rpc-url  http://rpc.two  profile two",
      "payout   -               default",
      "",
    ].join("\n"),
  );
  expect(JSON.parse(await get("api-url", "--json"))).toEqual({
    settings: [{ key: "api-url", value: "http://env", from: "environment" }],
  });
  expect(await get("rpc-url", "--profile", "two")).toContain("profile two");
});

test.each(["{", "[]", '{"profiles":{"a":{"color":"red"}}}', '{"profiles":{"a":{"keypair":1}}}'])(
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
