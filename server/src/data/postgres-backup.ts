import { withoutPassword } from "../base/postgres-url.ts";

/** @returns how to back up a PostgreSQL database; `tokend` leaves that to PostgreSQL's own tools */
export function dumpAdvice(url: string, file: string): string {
  return (
    "DATABASE_URL is set, and a PostgreSQL database is backed up with its own tool, while servers run:\n" +
    `  pg_dump --format=custom --file=${quoted(file)} ${quoted(withoutPassword(url))}\n` +
    "It reads the password from PGPASSWORD or ~/.pgpass. Also keep, private and apart from it, " +
    "MINT_SECRET (nothing could be restored without it), JWT_SECRET, the launch wallet's keypair and the settings."
  );
}

export function restoreAdvice(url: string, file: string): string {
  return (
    "DATABASE_URL is set, and a PostgreSQL database is restored with its own tool, into an empty " +
    "database and with every server stopped:\n" +
    "  pg_restore --exit-on-error --single-transaction --no-owner " +
    `--dbname=${quoted(withoutPassword(url))} ${quoted(file)}\n` +
    "It reads the password from PGPASSWORD or ~/.pgpass. Then start the servers with the MINT_SECRET " +
    "that the database had."
  );
}

/** As a shell takes it for one word. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
