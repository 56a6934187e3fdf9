import { readReceivers } from "../claim-terms.ts";
import { type Desk, type Result, rowsOf } from "../desk.ts";
import { UsageError } from "../errors.ts";
import { configPath, KEYS, type Key, readConfigFile, writeConfigFile } from "../own-files.ts";
import { findSettings, toPath } from "../settings.ts";
import { command } from "./command.ts";
import { choice, required, text } from "./field.ts";

const KEY = choice(KEYS, "api-url, keypair, rpc-url or payout");

export const configCommands = [
  command({
    name: "config get",
    help: "show the settings and where each comes from",
    needs: "nothing",
    operands: { key: KEY },
    examples: ["tokenctl config get", "tokenctl config get api-url --json"],
    run: async (desk, { key }) => shown(desk, key ? [key] : KEYS),
  }),
  command({
    name: "config set",
    help: "store a setting",
    effect: "writes",
    needs: "nothing",
    operands: { key: required(KEY), value: required(text("its value")) },
    examples: [
      "tokenctl config set api-url https://tokens.example",
      "tokenctl config set keypair ~/agents/two.json",
    ],
    async run(desk, { key, value }) {
      checkValue(key, value);
      const written = key === "keypair" ? toPath(value) : value;
      writeConfigFile(desk.env, { ...readConfigFile(desk.env), [key]: written });
      desk.notices.notice(`Wrote ${configPath(desk.env)}`);
      return shown(desk, [key]);
    },
  }),
  command({
    name: "config unset",
    help: "remove a stored setting",
    effect: "writes",
    needs: "nothing",
    operands: { key: required(KEY) },
    examples: ["tokenctl config unset rpc-url"],
    async run(desk, { key }) {
      const { [key]: _, ...left } = readConfigFile(desk.env);
      writeConfigFile(desk.env, left);
      return shown(desk, [key]);
    },
  }),
];

function shown({ env, options }: Desk, keys: readonly Key[]): Result {
  const found = findSettings(options, env);
  const settings = keys.map((key) => ({ key, ...found[key] }));
  const table = rowsOf(settings, [
    ["SETTING", ({ key }) => key],
    ["VALUE", ({ value }) => value],
    ["FROM", ({ from }) => from],
  ]);
  return { data: { settings }, table };
}

/** @throws {UsageError} at once, so that no later command meets a wrong value */
function checkValue(key: Key, value: string): void {
  if (key === "payout") {
    const receivers = readReceivers(value.split(","));
    if (typeof receivers !== "string") return;
    throw new UsageError(
      `The payout is wrong: ${receivers}`,
      "Set it to a wallet, or to several with their shares, such as <wallet>=70,<wallet>=30",
    );
  }
  const isUrl = URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
  if (key === "keypair" || isUrl) return;
  throw new UsageError(
    `${value} is not an http or https address`,
    `Set ${key} to an address such as http://127.0.0.1:8787`,
  );
}
