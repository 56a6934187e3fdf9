import { expect, test } from "bun:test";
import { homedir } from "node:os";
import { join } from "node:path";
import { readSettings } from "./settings.ts";

test("default: no server named, the Solana CLI's keypair", () => {
  expect(readSettings({}, {})).toEqual({
    apiUrl: undefined,
    keypairPath: join(homedir(), ".config/solana/id.json"),
    json: false,
    quiet: false,
  });
});

test("behavior: the command line comes before the environment", () => {
  const env = { TOKENCTL_API_URL: "http://env", TOKENCTL_KEYPAIR: "/env.json" };
  expect(readSettings({}, env)).toMatchObject({ apiUrl: "http://env", keypairPath: "/env.json" });
  expect(readSettings({ apiUrl: "http://flag", keypair: "/flag.json" }, env)).toMatchObject({
    apiUrl: "http://flag",
    keypairPath: "/flag.json",
  });
});

test("behavior: an empty variable counts as none", () => {
  expect(readSettings({}, { TOKENCTL_API_URL: "", TOKENCTL_KEYPAIR: "" })).toEqual(
    readSettings({}, {}),
  );
});

test("behavior: a tilde that the shell left is the home folder", () => {
  expect(readSettings({ keypair: "~/a.json" }, {}).keypairPath).toBe(join(homedir(), "a.json"));
});
