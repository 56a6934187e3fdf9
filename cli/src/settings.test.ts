import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { configPath } from "./config-file.ts";
import { readSettings } from "./settings.ts";
import { tempDir } from "./testing/cli.ts";

test.each(["{", "[]", '{"profiles":{"a":{"color":"red"}}}', '{"profiles":{"a":{"keypair":1}}}'])(
  "a configuration that is not as tokenctl writes it is refused: %s",
  (text) => {
    using folder = tempDir();
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
