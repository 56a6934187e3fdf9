import { expect, test } from "bun:test";
import { homedir } from "node:os";
import { join } from "node:path";
import { readSettings } from "./settings.ts";

test("by default the settings name no server and the Solana CLI's keypair", () => {
  expect(readSettings({}, {})).toEqual({
    apiUrl: undefined,
    rpcUrl: undefined,
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

test("a tilde that the shell did not expand means the home folder", () => {
  expect(readSettings({ keypair: "~/a.json" }, {}).keypairPath).toBe(join(homedir(), "a.json"));
});

test("the state folder follows XDG_STATE_HOME, if that is absolute", () => {
  expect(readSettings({}, { XDG_STATE_HOME: "/state" }).stateDir).toBe("/state/tokenctl");
  const relative = readSettings({}, { XDG_STATE_HOME: "state" });
  expect(relative.stateDir).toBe(readSettings({}, {}).stateDir);
});
