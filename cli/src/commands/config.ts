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
import { toPath } from "../settings.ts";

/** The profile that the first `config set` makes if none is named. */
const FIRST_PROFILE = "default";

type ConfigContext = Pick<Context, "env">;

/** Lists the profiles. */
export async function configList({ env }: ConfigContext): Promise<Result> {
  return listed(readConfigFile(env));
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
  const name = profile ?? config.profile ?? FIRST_PROFILE;
  const settings = { ...own(config, name), [key]: key === "keypair" ? toPath(value) : value };
  const written = {
    profile: config.profile ?? name,
    profiles: { ...config.profiles, [name]: settings },
  };
  writeConfigFile(env, written);
  notices.notice(`Wrote ${configPath(env)}`);
  return listed(written);
}

/** Removes one setting of a profile, or the profile with its last one. */
export async function configUnset(
  { env }: ConfigContext,
  profile: string | undefined,
  key: ProfileKey,
): Promise<Result> {
  const config = readConfigFile(env);
  const name = profile ?? config.profile ?? FIRST_PROFILE;
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
  return listed(written);
}

/** Uses a profile from now on. */
export async function configUse({ env }: ConfigContext, profile: string): Promise<Result> {
  const config = readConfigFile(env);
  existing(config, profile);
  const written = { ...config, profile };
  writeConfigFile(env, written);
  return listed(written);
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

function listed({ profile, profiles }: ConfigFile): Result {
  return {
    kind: "config",
    data: {
      current: profile ?? null,
      profiles: Object.entries(profiles).map(([name, settings]) => ({ name, ...settings })),
    },
  };
}
