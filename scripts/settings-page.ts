import { join } from "node:path";
import { settingsPage } from "../server/src/config/describe-settings.ts";

/** Writes `docs/settings.md`. */
await Bun.write(join(import.meta.dir, "../docs/settings.md"), settingsPage());
