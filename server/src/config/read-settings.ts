import { type Env, type Setting, WrongSetting } from "./kinds.ts";
import { SETTINGS, type SettingName } from "./settings.ts";

export type Settings<Name extends SettingName = SettingName> = {
  readonly [N in Name]: (typeof SETTINGS)[N] extends Setting<infer T> ? T : never;
};

export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** Kubernetes' `enableServiceLinks` sets `METRICS_PORT=tcp://10.0.0.7:80` for Service `metrics`. */
const SERVICE_LINK = /^(?:tcp|udp|sctp):\/\//;

/** Empty variables and service links are not set. @throws {ConfigError} names all problems */
export function readSettings<Name extends SettingName>(
  env: Env,
  names: readonly Name[],
): Settings<Name> {
  const problems: string[] = [];
  const entries = names.map((name) => [name, readSetting(env, name, problems)]);
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  return Object.fromEntries(entries);
}

function readSetting(env: Env, name: SettingName, problems: string[]): unknown {
  const { kind, byDefault, isNeeded, meaning } = SETTINGS[name];
  const chain = env.CHAIN === "solana" ? "solana" : "local";
  const set = SERVICE_LINK.test(env[name] ?? "") ? undefined : env[name];
  const text = set || (typeof byDefault === "string" ? byDefault : byDefault?.[chain]);
  if (text) {
    try {
      return kind.parse(text);
    } catch (error) {
      if (!(error instanceof WrongSetting)) throw error;
      problems.push(...error.message.split("\n").map((problem) => `${name}${problem}`));
    }
  } else if (isNeeded(env)) {
    const [what] = meaning.split(/[;,(]/);
    problems.push(`${name} is not set, and is needed: ${what?.trim()} (${kind.allowed})`);
  }
  return null;
}
