import type { Stats } from "node:fs";

/**
 * Who but this user and root can open a file of secrets, and how to mend it.
 *
 * @param path for the command that mends it
 * @param user the effective user; undefined where files have no owner and mode
 * @returns the rest of a sentence that begins with the path, or null where nobody can
 */
export function exposure(
  path: string,
  { mode, uid }: Pick<Stats, "mode" | "uid">,
  user: number | undefined = process.geteuid?.(),
): string | null {
  if (user === undefined) return null;
  if (uid !== user && uid !== 0) {
    return (
      `belongs to another user (uid ${uid}), who can read and change it. ` +
      `If nobody else has seen it, run chown ${user} ${path}.`
    );
  }
  if ((mode & 0o077) === 0) return null;
  return (
    `is open to other users of this machine (mode ${(mode & 0o777).toString(8)}). ` +
    `If nobody else has seen it, run chmod 600 ${path}.`
  );
}
