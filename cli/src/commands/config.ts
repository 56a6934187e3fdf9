import {
  type ConfigFile,
  configPath,
  PROFILE_KEYS,
  type ProfileKey,
  type ProfileSettings,
  readConfigFile,
  writeConfigFile,
} from "../config-file.ts";
import type { Context, Result } from "../context.ts";
import { UsageError } from "../errors.ts";
import { readReceivers } from "../receivers.ts";
import { findSettings, toPath } from "../settings.ts";
import { type ColumnOf, rowsOf } from "../table.ts";

/** The profile that the first `config set` makes by default. */
const FIRST_PROFILE = "default";

export async function list({ env }: Context): Promise<Result> {
  return listed(env, readConfigFile(env));
}

/** Shows one setting in use or all, and where each comes from. */
export async function get({ env, options }: Context, key?: ProfileKey): Promise<Result> {
  const found = findSettings(options, env);
  const keys = key === undefined ? PROFILE_KEYS : [key];
  const settings = keys.map((one) => ({ key: one, ...found[one] }));
  const table = rowsOf(settings, [
    { title: "SETTING", of: (setting) => setting.key },
    { title: "VALUE", of: ({ value }) => value },
    {
      title: "FROM",
      of: ({ from, profile }) => (profile === undefined ? from : `${from} ${profile}`),
    },
  ]);
  return { data: { settings }, view: { table } };
}

/** Sets a setting of a profile, which it makes if there is none. The first profile is used from then on. */
export async function set(
  { env, notices, options }: Context,
  key: ProfileKey,
  value: string,
): Promise<Result> {
  const config = readConfigFile(env);
  checkValue(key, value);
  const name = options.profile ?? inUse(env, config) ?? FIRST_PROFILE;
  const settings = { ...own(config, name), [key]: key === "keypair" ? toPath(value) : value };
  const written = {
    profile: config.profile ?? name,
    profiles: { ...config.profiles, [name]: settings },
  };
  writeConfigFile(env, written);
  notices.notice(`Wrote ${configPath(env)}`);
  return listed(env, written);
}

/** Removes a setting of a profile, and the profile with its last setting. */
export async function unset({ env, options }: Context, key: ProfileKey): Promise<Result> {
  const config = readConfigFile(env);
  const name = options.profile ?? inUse(env, config) ?? FIRST_PROFILE;
  const { [key]: _, ...settings } = existing(config, name);
  const { [name]: __, ...others } = config.profiles;
  const isEmpty = Object.keys(settings).length === 0;
  const { profile: current, ...rest } = config;
  const written: ConfigFile = {
    ...rest,
    ...(current !== undefined && !(isEmpty && current === name) && { profile: current }),
    profiles: isEmpty ? others : { ...others, [name]: settings },
  };
  writeConfigFile(env, written);
  return listed(env, written);
}

export async function use({ env }: Context, profile: string): Promise<Result> {
  const config = readConfigFile(env);
  existing(config, profile);
  const written = { ...config, profile };
  writeConfigFile(env, written);
  return listed(env, written);
}

function existing(config: ConfigFile, name: string) {
  const settings = own(config, name);
  if (settings) return settings;
  throw new UsageError(
    `There is no profile ${name}`,
    `\`tokenctl config set ${PROFILE_KEYS[0]} <url> --profile ${name}\` makes it`,
  );
}

function own({ profiles }: ConfigFile, name: string) {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

/** @returns the name of the profile that commands use without --profile, if any */
function inUse(env: Context["env"], config: ConfigFile): string | undefined {
  return env.TOKENCTL_PROFILE || config.profile;
}

/** @throws {UsageError} now, not when a command uses the value */
function checkValue(key: ProfileKey, value: string): void {
  if (key === "keypair") return;
  if (key === "payout") {
    const receivers = readReceivers(value.split(","));
    if (typeof receivers !== "string") return;
    throw new UsageError(
      `The payout is wrong: ${receivers}`,
      "Set it to a wallet, or to several with their shares, such as <wallet>=70,<wallet>=30",
    );
  }
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return;
  throw new UsageError(
    `${value} is not an http or https address`,
    `Set ${key} to an address such as http://127.0.0.1:8787`,
  );
}

type Profile = { readonly name: string } & ProfileSettings;

function listed(env: Context["env"], config: ConfigFile): Result {
  const current = inUse(env, config) ?? null;
  const profiles: Profile[] = Object.entries(config.profiles).map(([name, own]) => ({
    name,
    ...own,
  }));
  const data = { current, profiles };
  if (profiles.length === 0) {
    return { data, view: ["There are no profiles: `tokenctl config set` makes one."] };
  }
  const columns: ColumnOf<Profile>[] = [
    { title: "PROFILE", of: ({ name }) => (name === current ? `${name} *` : name) },
    { title: "API URL", of: (profile) => profile["api-url"] ?? null },
    { title: "KEYPAIR", of: ({ keypair }) => keypair ?? null, dropFirst: 1 },
    { title: "RPC URL", of: (profile) => profile["rpc-url"] ?? null, dropFirst: 2 },
    { title: "PAYOUT", of: ({ payout }) => payout ?? null, dropFirst: 3 },
  ];
  return { data, view: { table: rowsOf(profiles, columns) } };
}
