import type { Stats } from "node:fs";

/**
 * Checks that only this user and root can open a file of secrets.
 *
 * @param user undefined on systems whose files have no owner and mode
 * @returns who else can and what to do, as the rest of a sentence that begins with the path;
 * otherwise null
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
      `If no other user has read it, run chown ${user} ${path}.`
    );
  }
  if ((mode & 0o077) === 0) return null;
  return (
    `is open to other users of this machine (mode ${(mode & 0o777).toString(8)}). ` +
    `If no other user has read it, run chmod 600 ${path}.`
  );
}
