import { stat } from "node:fs/promises";
import type { Context } from "../context.ts";
import { CliError, exitCodes } from "../errors.ts";
import { type Guards, toolsets } from "../mcp/guards.ts";
import { serve } from "../mcp/serve.ts";
import { toPath } from "../settings.ts";

async function folderAt(path: string): Promise<string> {
  const status = await stat(path).catch(() => null);
  if (status?.isDirectory()) return path;
  throw new CliError("files_folder", `There is no folder ${path}`, {
    hint: "Set --files to the folder whose images a model may upload",
    exitCode: exitCodes.usage,
  });
}

interface McpFlags
  extends Pick<Guards, "maxLaunchesPerDay" | "confirm" | "maxTotalFeeSol">,
    Partial<Pick<Guards, "readOnly" | "toolsets" | "allowMainnet">> {
  readonly auditLog?: string;
  readonly files?: string;
  readonly sandbox?: boolean;
  readonly pay?: boolean;
  readonly maxLaunchCostSol?: string;
}

/** Serves the tools on stdin and stdout until the client closes them. */
export async function mcp(
  context: Context,
  { auditLog, files, sandbox, pay: _, maxLaunchCostSol, ...flags }: McpFlags,
): Promise<null> {
  const guards: Guards = {
    readOnly: false,
    toolsets,
    allowMainnet: false,
    ...flags,
    maxLaunchCostSol: maxLaunchCostSol ?? null,
    filesDir: files === undefined ? null : await folderAt(toPath(files)),
  };
  await serve(context, guards, { auditLog: auditLog && toPath(auditLog), sandbox });
  return null;
}
