import { stat } from "node:fs/promises";
import type { Context } from "../context.ts";
import { CliError } from "../errors.ts";
import { exitCodes } from "../exit.ts";
import type { Guards } from "../mcp/guards.ts";
import { serve } from "../mcp/serve.ts";
import { toPath } from "../settings.ts";

/** @throws {CliError} if there is no such folder */
async function folderAt(path: string): Promise<string> {
  const status = await stat(path).catch(() => null);
  if (status?.isDirectory()) return path;
  throw new CliError("files_folder", `There is no folder ${path}`, {
    hint: "Give --files the folder whose images a model may upload",
    exitCode: exitCodes.usage,
  });
}

/** The flags of `mcp` beside the guards. */
interface McpFlags {
  readonly auditLog?: string;
  readonly files?: string;
  readonly sandbox?: boolean;
}

/** Serves the service's tools to a model, on stdin and stdout, until the client goes. */
export async function mcp(
  context: Context,
  guards: Omit<Guards, "filesDir">,
  flags: McpFlags,
): Promise<null> {
  const auditLog = flags.auditLog === undefined ? undefined : toPath(flags.auditLog);
  const filesDir = flags.files === undefined ? null : await folderAt(toPath(flags.files));
  await serve(context, { ...guards, filesDir }, { auditLog, sandbox: flags.sandbox });
  return null;
}
