import { readReceivers } from "../claim-terms.ts";
import { type ColumnOf, type Desk, type Result, rowsOf } from "../desk.ts";
import { UsageError } from "../errors.ts";
import {
  type ConfigFile,
  configPath,
  PROFILE_KEYS,
  type ProfileKey,
  type ProfileSettings,
  readConfigFile,
  writeConfigFile,
} from "../own-files.ts";
import { findSettings, noProfile, toPath } from "../settings.ts";
import { command } from "./command.ts";
import { PROFILE } from "./common.ts";
import { choice, required, text } from "./field.ts";

const KEY = choice(PROFILE_KEYS, "api-url, keypair, rpc-url or payout");

export const configCommands = [
  command({
    name: "config list",
    help: "list the profiles; * marks the one in use",
    needs: "no profile",
    run: async (desk) => listed(desk, readConfigFile(desk.env)),
  }),
  command({
    name: "config get",
    help: "show the settings and where each comes from",
    needs: "no profile",
    operands: { key: KEY },
    examples: ["tokenctl config get", "tokenctl config get api-url --json"],
    async run({ env, options }, { key }) {
      const found = findSettings(options, env);
      const settings = (key ? [key] : PROFILE_KEYS).map((one) => ({ key: one, ...found[one] }));
      const columns: ColumnOf<(typeof settings)[number]>[] = [
        ["SETTING", (setting) => setting.key],
        ["VALUE", ({ value }) => value],
        ["FROM", ({ from, profile }) => (profile ? `${from} ${profile}` : from)],
      ];
      return { data: { settings }, table: rowsOf(settings, columns, { none: "" }) };
    },
  }),
  command({
    name: "config set",
    help: "set a setting of the profile in use",
    effect: "writes",
    needs: "no profile",
    operands: { key: required(KEY), value: required(text("its value")) },
    examples: [
      "tokenctl config set api-url https://tokens.example",
      "tokenctl config set keypair ~/agents/two.json --profile two",
    ],
    // It creates the profile if needed, and the first one becomes current.
    async run(desk, { key, value }) {
      checkValue(key, value);
      const { config, name, settings } = chosen(desk);
      const written = { ...settings, [key]: key === "keypair" ? toPath(value) : value };
      desk.notices.notice(`Wrote ${configPath(desk.env)}`);
      const profiles = { ...config.profiles, [name]: written };
      return stored(desk, { profile: config.profile ?? name, profiles });
    },
  }),
  command({
    name: "config unset",
    help: "remove a setting, and a profile with its last one",
    effect: "writes",
    needs: "no profile",
    operands: { key: required(KEY) },
    examples: ["tokenctl config unset rpc-url --profile two"],
    async run(desk, { key }) {
      const { config, name, settings } = chosen(desk);
      if (!settings) throw noProfile(name);
      const { [key]: _, ...left } = settings;
      const { [name]: __, ...others } = config.profiles;
      if (Object.keys(left).length > 0) {
        return stored(desk, { ...config, profiles: { ...others, [name]: left } });
      }
      const { profile } = config;
      const used = profile === undefined || profile === name ? {} : { profile };
      return stored(desk, { ...used, profiles: others });
    },
  }),
  command({
    name: "config use",
    help: "use a profile from now on",
    effect: "writes",
    needs: "no profile",
    operands: { profile: required(PROFILE) },
    examples: ["tokenctl config use two"],
    async run(desk, { profile }) {
      const config = readConfigFile(desk.env);
      if (!Object.hasOwn(config.profiles, profile)) throw noProfile(profile);
      return stored(desk, { ...config, profile });
    },
  }),
];

/** Returns the profile to set up: that of `--profile`, otherwise the one in use or `default`. */
function chosen({ env, options }: Desk) {
  const config = readConfigFile(env);
  const name = options.profile ?? (env.TOKENCTL_PROFILE || config.profile || "default");
  const settings = Object.hasOwn(config.profiles, name) ? config.profiles[name] : undefined;
  return { config, name, settings };
}

function stored(desk: Desk, config: ConfigFile): Result {
  writeConfigFile(desk.env, config);
  return listed(desk, config);
}

function listed({ env }: Desk, config: ConfigFile): Result {
  const current = env.TOKENCTL_PROFILE || config.profile || null;
  const profiles = Object.entries(config.profiles).map(([name, own]) => ({ name, ...own }));
  const columns: ColumnOf<{ readonly name: string } & ProfileSettings>[] = [
    ["PROFILE", ({ name }) => (name === current ? `${name} *` : name)],
    ["API URL", (profile) => profile["api-url"] ?? null],
    ["KEYPAIR", ({ keypair }) => keypair ?? null, { dropFirst: 1 }],
    ["RPC URL", (profile) => profile["rpc-url"] ?? null, { dropFirst: 2 }],
    ["PAYOUT", ({ payout }) => payout ?? null, { dropFirst: 3 }],
  ];
  const none = "There are no profiles: `tokenctl config set` makes one.";
  return { data: { current, profiles }, table: rowsOf(profiles, columns, { none }) };
}

/** @throws {UsageError} at once, so that no later command meets a wrong value */
function checkValue(key: ProfileKey, value: string): void {
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
