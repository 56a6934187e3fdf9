import {
  type ConfigFile,
  configPath,
  PROFILE_KEYS,
  type ProfileKey,
  type ProfileSettings,
  readConfigFile,
  writeConfigFile,
} from "../config-file.ts";
import type { Desk, Result } from "../desk.ts";
import { UsageError } from "../errors.ts";
import { readReceivers } from "../receivers.ts";
import { findSettings, noProfile, toPath } from "../settings.ts";
import type { ColumnOf } from "../table.ts";
import { listed } from "./list.ts";

type Profile = { readonly name: string } & ProfileSettings;

export async function list({ env }: Desk, config = readConfigFile(env)): Promise<Result> {
  const current = env.TOKENCTL_PROFILE || config.profile || null;
  const rows: Profile[] = Object.entries(config.profiles).map(([name, own]) => ({ name, ...own }));
  const columns: ColumnOf<Profile>[] = [
    ["PROFILE", ({ name }) => (name === current ? `${name} *` : name)],
    ["API URL", (profile) => profile["api-url"] ?? null],
    ["KEYPAIR", ({ keypair }) => keypair ?? null, { dropFirst: 1 }],
    ["RPC URL", (profile) => profile["rpc-url"] ?? null, { dropFirst: 2 }],
    ["PAYOUT", ({ payout }) => payout ?? null, { dropFirst: 3 }],
  ];
  const none = "There are no profiles: `tokenctl config set` makes one.";
  return listed({ current, profiles: rows }, { rows, columns, none });
}

export async function get({ env, options }: Desk, { key }: { key?: ProfileKey }): Promise<Result> {
  const found = findSettings(options, env);
  const rows = (key ? [key] : PROFILE_KEYS).map((one) => ({ key: one, ...found[one] }));
  const columns: ColumnOf<(typeof rows)[number]>[] = [
    ["SETTING", (setting) => setting.key],
    ["VALUE", ({ value }) => value],
    ["FROM", ({ from, profile }) => (profile ? `${from} ${profile}` : from)],
  ];
  return listed({ settings: rows }, { rows, columns, none: "" });
}

/** Sets a profile's setting, and creates the profile if needed. The first one becomes current. */
export async function set(
  desk: Desk,
  { key, value }: { key: ProfileKey; value: string },
): Promise<Result> {
  checkValue(key, value);
  const { config, name, settings } = chosen(desk);
  const written = { ...settings, [key]: key === "keypair" ? toPath(value) : value };
  desk.notices.notice(`Wrote ${configPath(desk.env)}`);
  return store(desk, {
    profile: config.profile ?? name,
    profiles: { ...config.profiles, [name]: written },
  });
}

export async function unset(desk: Desk, { key }: { key: ProfileKey }): Promise<Result> {
  const { config, name, settings } = chosen(desk);
  if (!settings) throw noProfile(name);
  const { [key]: _, ...left } = settings;
  const { [name]: __, ...others } = config.profiles;
  if (Object.keys(left).length > 0) {
    return store(desk, { ...config, profiles: { ...others, [name]: left } });
  }
  const { profile, ...rest } = config;
  const used = profile === undefined || profile === name ? {} : { profile };
  return store(desk, { ...rest, ...used, profiles: others });
}

export async function use(desk: Desk, { profile }: { profile: string }): Promise<Result> {
  const config = readConfigFile(desk.env);
  if (!Object.hasOwn(config.profiles, profile)) throw noProfile(profile);
  return store(desk, { ...config, profile });
}

/** Returns the profile to set up: that of `--profile`, otherwise the one in use or `default`. */
function chosen({ env, options }: Desk) {
  const config = readConfigFile(env);
  const name = options.profile ?? (env.TOKENCTL_PROFILE || config.profile || "default");
  const settings = Object.hasOwn(config.profiles, name) ? config.profiles[name] : undefined;
  return { config, name, settings };
}

function store(desk: Desk, config: ConfigFile): Promise<Result> {
  writeConfigFile(desk.env, config);
  return list(desk, config);
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
