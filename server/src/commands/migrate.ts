import { existsSync } from "node:fs";
import { parsePostgresUrl } from "../base/postgres-url.ts";
import { dataFiles, readStorageConfig } from "../config/config.ts";
import { type MoveProgress, moveToPostgres } from "../data/move-to-postgres.ts";

const TOLD_ROWS = 100_000;

export async function migrate({ to }: { readonly to: string }): Promise<void> {
  try {
    parsePostgresUrl(to);
  } catch (cause) {
    throw new Error(`The URL of --to ${(cause as Error).message}`);
  }
  const config = readStorageConfig({ ...process.env, DATABASE_URL: "" });
  const { tables, binding } = await moveToPostgres(config, to, tell);
  for (const { name, summary } of tables) {
    console.log(
      `${name.padEnd(18)}${String(summary.rows).padStart(10)}  sha256 ${summary.checksum}`,
    );
  }
  const { dataDir, mintSecret } = config;
  const files = dataFiles(dataDir);
  const secrets = [
    mintSecret === null
      ? `Copy ${files.mintSecret} into its DATA_DIR.`
      : "Set MINT_SECRET as here.",
    existsSync(files.jwtSecret)
      ? `Copy ${files.jwtSecret} there, or set a new JWT_SECRET; then agents sign in again.`
      : "Set JWT_SECRET as before.",
  ];
  console.error(`
Moved: both databases were read, and hold the same. Now, for every server:
  1. Set DATABASE_URL to the URL of --to, with its password.
  2. Give it the secrets, which are not in the database. ${secrets.join(" ")}
  3. Keep the launch wallet${binding.launchWallet === null ? "" : ` ${binding.launchWallet}`} and all other settings, run tokend doctor, and start.
Keep ${dataDir} as a backup. No server starts on it without DATABASE_URL: ${files.moved} says why.`);
}

function tell({ table, copied, rows }: MoveProgress): void {
  if (copied === 0 || copied === rows || copied % TOLD_ROWS !== 0) return;
  console.error(`${table}: ${copied} of ${rows} rows`);
}
