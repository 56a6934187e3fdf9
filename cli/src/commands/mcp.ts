import { stat } from "node:fs/promises";
import type { Context } from "../context.ts";
import { CliError, exitCodes } from "../errors.ts";
import { type Guards, toolsets } from "../mcp/guards.ts";
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

/** The flags of `mcp`: the guards, and where it reads and writes. */
interface McpFlags
  extends Pick<Guards, "maxLaunchesPerDay" | "confirm" | "maxTotalFeeSol">,
    Partial<Pick<Guards, "readOnly" | "toolsets" | "allowMainnet">> {
  readonly auditLog?: string;
  readonly files?: string;
  readonly sandbox?: boolean;
}

/** Serves the service's tools to a model, on stdin and stdout, until the client goes. */
export async function mcp(
  context: Context,
  { auditLog, files, sandbox, ...flags }: McpFlags,
): Promise<null> {
  const guards: Guards = {
    readOnly: false,
    toolsets,
    allowMainnet: false,
    ...flags,
    filesDir: files === undefined ? null : await folderAt(toPath(files)),
  };
  await serve(context, guards, { auditLog: auditLog && toPath(auditLog), sandbox });
  return null;
}
