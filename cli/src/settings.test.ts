import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { configPath, writeConfigFile } from "./config-file.ts";
import { readSettings } from "./settings.ts";
import { temporaryFolder } from "./testing/cli.ts";

test("by default the settings name no server and the Solana CLI's keypair", () => {
  expect(readSettings({}, {})).toEqual({
    apiUrl: undefined,
    rpcUrl: undefined,
    payout: undefined,
    allowNonceWithoutHost: false,
    keypairPath: join(homedir(), ".config/solana/id.json"),
    stateDir: join(homedir(), ".local/state/tokenctl"),
    json: false,
    quiet: false,
  });
});

test("the command line takes precedence over the environment", () => {
  const env = {
    TOKENCTL_API_URL: "http://env",
    TOKENCTL_KEYPAIR: "/env.json",
    TOKENCTL_RPC_URL: "http://rpc.env",
  };
  expect(readSettings({}, env)).toMatchObject({
    apiUrl: "http://env",
    keypairPath: "/env.json",
    rpcUrl: "http://rpc.env",
  });
  const flags = { apiUrl: "http://flag", keypair: "/flag.json", rpcUrl: "http://rpc.flag" };
  expect(readSettings(flags, env)).toMatchObject({
    apiUrl: "http://flag",
    keypairPath: "/flag.json",
    rpcUrl: "http://rpc.flag",
  });
});

test("an empty variable counts as not set", () => {
  expect(
    readSettings({}, { TOKENCTL_API_URL: "", TOKENCTL_KEYPAIR: "", TOKENCTL_RPC_URL: "" }),
  ).toEqual(readSettings({}, {}));
});

test("a profile comes after the environment, and the one in use is that of --profile", () => {
  using folder = temporaryFolder();
  const env = { XDG_CONFIG_HOME: folder.path };
  writeConfigFile(env, {
    profile: "one",
    profiles: {
      one: { "api-url": "http://one", keypair: "/one.json" },
      two: { "api-url": "http://two", "rpc-url": "http://rpc.two" },
    },
  });
  expect(readSettings({}, env)).toMatchObject({ apiUrl: "http://one", keypairPath: "/one.json" });
  expect(readSettings({ profile: "two" }, env)).toMatchObject({
    apiUrl: "http://two",
    rpcUrl: "http://rpc.two",
    keypairPath: join(homedir(), ".config/solana/id.json"),
  });
  expect(readSettings({}, { ...env, TOKENCTL_PROFILE: "two" }).apiUrl).toBe("http://two");
  const flags = { profile: "one", apiUrl: "http://flag" };
  expect(readSettings(flags, { ...env, TOKENCTL_KEYPAIR: "/env.json" })).toMatchObject({
    apiUrl: "http://flag",
    keypairPath: "/env.json",
  });
  expect(() => readSettings({ profile: "three" }, env)).toThrow("There is no profile three");
  expect(() => readSettings({ profile: "__proto__" }, env)).toThrow("There is no profile");
});

test.each(["{", "[]", '{"profiles":{"a":{"color":"red"}}}', '{"profiles":{"a":{"keypair":1}}}'])(
  "a configuration that is not as tokenctl writes it is refused: %s",
  (text) => {
    using folder = temporaryFolder();
    const env = { XDG_CONFIG_HOME: folder.path };
    mkdirSync(join(folder.path, "tokenctl"));
    writeFileSync(configPath(env), text);
    expect(() => readSettings({}, env)).toThrow("The configuration ");
  },
);

test("a tilde that the shell did not expand means the home folder", () => {
  expect(readSettings({ keypair: "~/a.json" }, {}).keypairPath).toBe(join(homedir(), "a.json"));
});

test("the state folder follows XDG_STATE_HOME, if that is absolute", () => {
  expect(readSettings({}, { XDG_STATE_HOME: "/state" }).stateDir).toBe("/state/tokenctl");
  const relative = readSettings({}, { XDG_STATE_HOME: "state" });
  expect(relative.stateDir).toBe(readSettings({}, {}).stateDir);
});
