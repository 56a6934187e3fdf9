import type { Context } from "../context.ts";
import type { Guards } from "../mcp/guards.ts";
import { serve } from "../mcp/serve.ts";
import { toPath } from "../settings.ts";

/** The flags of `mcp` beside the guards. */
interface McpFlags {
  readonly auditLog?: string;
  readonly sandbox?: boolean;
}

/** Serves the service's tools to a model, on stdin and stdout, until the client goes. */
export async function mcp(context: Context, guards: Guards, flags: McpFlags): Promise<null> {
  const auditLog = flags.auditLog === undefined ? undefined : toPath(flags.auditLog);
  await serve(context, guards, { auditLog, sandbox: flags.sandbox });
  return null;
}
