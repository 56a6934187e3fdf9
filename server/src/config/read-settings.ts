import { type Env, type Setting, WrongSetting } from "./kinds.ts";
import { isNear } from "./misspelt.ts";
import { SETTINGS, type SettingName } from "./settings.ts";

export type Settings<Name extends SettingName = SettingName> = {
  readonly [N in Name]: (typeof SETTINGS)[N] extends Setting<infer T> ? T : never;
};

/** Settings are missing or wrong; `message` names all of them, one a line. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** An empty variable is not set. @throws {ConfigError} naming all that are missing or wrong */
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
  const text = env[name] || (typeof byDefault === "string" ? byDefault : byDefault?.[chain]);
  if (text) {
    try {
      return kind.parse(text);
    } catch (error) {
      if (!(error instanceof WrongSetting)) throw error;
      problems.push(...error.message.split("\n").map((problem) => `${name}${problem}`));
    }
  } else if (isNeeded(env)) {
    const other = Object.keys(env).find((set) => env[set] && isNear(set, name));
    const hint = other === undefined ? "" : ` (${other} is: is that a misspelling?)`;
    const [what] = meaning.split(/[;,(]/);
    problems.push(`${name} is not set, and is needed${hint}: ${what?.trim()} (${kind.allowed})`);
  }
  return null;
}
