import { readDataDir } from "../config/config.ts";
import { makeBackup } from "../data/backup.ts";

/** `tokend backup FILE`: copies what the server keeps, whether it runs or not. */
export function backup(file: string): void {
  for (const { path, bytes } of makeBackup(readDataDir(process.env), file)) {
    console.log(`${path}  ${(bytes / 1024 ** 2).toFixed(1)} MB`);
  }
  console.error(
    "Keep these files together, and to yourself. The launch wallet's keypair and the settings are not in them.",
  );
}
