import { settingNames } from "./config.ts";

/** {@link settingNames}, for a macro: it runs when the file is bundled, and a start need not read all settings twice. */
export function listSettings(): string[] {
  return [...settingNames()];
}
