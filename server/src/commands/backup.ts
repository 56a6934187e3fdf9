import { readDataDir } from "../config/config.ts";
import { makeBackup } from "../data/backup.ts";

/** `tokend backup FILE`: copies what a server keeps, running or not. */
export function backup(file: string): void {
  for (const { path, bytes } of makeBackup(readDataDir(process.env), file)) {
    console.log(`${path}  ${(bytes / 1024 ** 2).toFixed(1)} MB`);
  }
  console.error(
    "Keep these files together and private. They contain neither the launch wallet's keypair nor the settings.",
  );
}
