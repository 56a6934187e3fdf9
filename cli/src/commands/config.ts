import {
  type ConfigFile,
  configPath,
  PROFILE_KEYS,
  type ProfileKey,
  readConfigFile,
  writeConfigFile,
} from "../config-file.ts";
import type { Context } from "../context.ts";
import { UsageError } from "../errors.ts";
import type { Result } from "../result.ts";
import { findSettings, type GlobalOptions, toPath } from "../settings.ts";

/** The profile that the first `config set` makes if none is named. */
const FIRST_PROFILE = "default";

type ConfigContext = Pick<Context, "env">;

/** Lists the profiles. */
export async function configList({ env }: ConfigContext): Promise<Result> {
  return listed(env, readConfigFile(env));
}

/** Shows the settings in use, and where each comes from. @param key of the only one to show */
export async function configGet(
  { env }: ConfigContext,
  options: GlobalOptions,
  key: ProfileKey | undefined,
): Promise<Result> {
  const found = findSettings(options, env);
  const keys = key === undefined ? PROFILE_KEYS : [key];
  return { kind: "settings", data: { settings: keys.map((one) => ({ key: one, ...found[one] })) } };
}

/**
 * Sets one setting of a profile, and makes the profile if there is none with that name. The first
 * profile is used from then on.
 */
export async function configSet(
  { env, notices }: Pick<Context, "env" | "notices">,
  profile: string | undefined,
  key: ProfileKey,
  value: string,
): Promise<Result> {
  const config = readConfigFile(env);
  if (key !== "keypair") checkAddress(key, value);
  const name = profile ?? inUse(env, config) ?? FIRST_PROFILE;
  const settings = { ...own(config, name), [key]: key === "keypair" ? toPath(value) : value };
  const written = {
    profile: config.profile ?? name,
    profiles: { ...config.profiles, [name]: settings },
  };
  writeConfigFile(env, written);
  notices.notice(`Wrote ${configPath(env)}`);
  return listed(env, written);
}

/** Removes one setting of a profile, or the profile with its last one. */
export async function configUnset(
  { env }: ConfigContext,
  profile: string | undefined,
  key: ProfileKey,
): Promise<Result> {
  const config = readConfigFile(env);
  const name = profile ?? inUse(env, config) ?? FIRST_PROFILE;
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

/** Uses a profile from now on. */
export async function configUse({ env }: ConfigContext, profile: string): Promise<Result> {
  const config = readConfigFile(env);
  existing(config, profile);
  const written = { ...config, profile };
  writeConfigFile(env, written);
  return listed(env, written);
}

/** @throws {UsageError} if there is none */
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

/** @returns the name of the profile that commands use without --profile; undefined if there is none */
function inUse(env: ConfigContext["env"], config: ConfigFile): string | undefined {
  return env.TOKENCTL_PROFILE || config.profile;
}

/** @throws {UsageError} now, and not when a command uses it */
function checkAddress(key: ProfileKey, value: string): void {
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return;
  throw new UsageError(
    `${value} is not an http or https address`,
    `Give ${key} an address such as http://127.0.0.1:8787`,
  );
}

function listed(env: ConfigContext["env"], config: ConfigFile): Result {
  return {
    kind: "config",
    data: {
      current: inUse(env, config) ?? null,
      profiles: Object.entries(config.profiles).map(([name, settings]) => ({ name, ...settings })),
    },
  };
}
