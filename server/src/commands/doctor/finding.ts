import { problemText } from "../../launchpad/chain/cluster.ts";
import { ChainUnavailableError } from "../../launchpad/errors.ts";
import { readRpcError, remedyOf } from "../../solana/rpc-answer.ts";

export interface Finding {
  readonly verdict: "ok" | "warning" | "failure" | "skipped";
  readonly subject: string;
  /** What was found and, if something is wrong, what to do. Contains no secret and no keyed URL. */
  readonly text: string;
}

const finding =
  (verdict: Finding["verdict"]) =>
  (subject: string, text: string): Finding => ({ verdict, subject, text });

export const ok = finding("ok");
export const warning = finding("warning");
export const failure = finding("failure");

export async function attempt(
  subject: string,
  check: () => Finding | Promise<Finding>,
): Promise<Finding> {
  try {
    return await check();
  } catch (error) {
    return failure(subject, messageOf(error));
  }
}

export function messageOf(error: unknown): string {
  const { cause, code } = Object(error) as { cause?: unknown; code?: unknown };
  const failed = readRpcError(error) ?? readRpcError(cause);
  if (failed) return `${failed.sentence}: ${remedyOf(failed.kind)}`;
  if (error instanceof ChainUnavailableError) return problemText(error);
  const text = error instanceof Error ? error.message : String(error);
  const remedy = REMEDIES[String(code)];
  return remedy === undefined ? text : `${text.replace(/^\w+: /, "")}: ${remedy}`;
}

const RUN_AS = "run this as the server's user, or give the file to it (chown, chmod 600)";
const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: RUN_AS,
  EPERM: RUN_AS,
  ENOENT: "name one that exists",
  EISDIR: "name a file, not a folder",
  EROFS: "mount it so that it can be written",
  SQLITE_NOTADB: "restore a backup into an empty DATA_DIR (tokend restore <file>)",
};
