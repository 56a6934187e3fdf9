import { stat } from "node:fs/promises";
import { join } from "node:path";
import { memorySkillFiles, SkillsExtension } from "@modelcontextprotocol/server/ext/skills";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { skillFiles } from "@tokenctl/shared/skill";
import { chooseReceivers } from "../claim-terms.ts";
import type { Desk } from "../desk.ts";
import { CliError } from "../errors.ts";
import type { Command } from "../grammar/command.ts";
import { type Toolset, toolsets } from "../grammar/common.ts";
import { readNetwork } from "../network.ts";
import { toPath } from "../settings.ts";
import { AuditedTransport, AuditLog } from "./audit.ts";
import { Frames } from "./frames.ts";
import { type Guards, ModelLimits } from "./model-limits.ts";
import { createServer, toolsOf } from "./server.ts";

type Limits = "confirm" | "readOnly" | "allowMainnet" | "maxTotalFeeSol" | "maxLaunchesPerDay";

interface McpFlags extends Partial<Pick<Guards, Limits>> {
  readonly toolsets?: string;
  readonly auditLog?: string;
  readonly files?: string;
  readonly maxLaunchCostSol?: number;
}

/** Serves MCP on stdin and stdout until the client closes them or the user presses Ctrl-C. */
export async function mcp(
  desk: Desk,
  flags: McpFlags,
  commands: readonly Command[],
): Promise<null> {
  const { ask, client, notices, settings, signal } = desk;
  const { auditLog, files: dir, toolsets: sets, ...rest } = flags;
  const guards: Guards = {
    readOnly: false,
    allowMainnet: false,
    confirm: true,
    maxLaunchesPerDay: 1,
    maxTotalFeeSol: 0,
    maxLaunchCostSol: null,
    ...rest,
    toolsets: (sets?.split(",").map((name) => name.trim()) as Toolset[] | undefined) ?? toolsets,
    filesDir: dir === undefined ? null : await folderAt(toPath(dir)),
  };
  // Refuses an invalid payout now, not at the first claim.
  chooseReceivers(settings, client.address);
  const { stateDir } = settings;
  const log = new AuditLog(auditLog ? toPath(auditLog) : join(stateDir, "mcp-audit.jsonl"));
  const sandbox = (await readNetwork(desk)) === "sandbox";
  const tools = toolsOf(commands, guards, { node: settings.rpcUrl !== undefined, sandbox });
  const host = new URL(client.apiUrl).host.replace(/[^a-z0-9.-]/gi, "_");
  const folder = join(stateDir, "mcp-launches", host, client.address);
  const names = tools.map(({ tool }) => tool.name);
  const model = new ModelLimits(guards, client, folder, names);
  // Clients read the skill for models as resources.
  const files = Object.entries(skillFiles).map(([path, text]) => [`tokenctl/${path}`, text]);
  const skill = await SkillsExtension.load(memorySkillFiles(Object.fromEntries(files)), {
    strict: true,
  });
  notices.stop();
  if (ask !== null) {
    notices.notice("Serving MCP: a client program starts this command and talks to it.");
    notices.notice("The skill's references/mcp.md says how to add it to one. Ctrl-C ends it.");
  }
  const frames = new Frames({
    answer: (message) => void transport.send(message),
    warn: notices.warn,
  });
  const stdio = new StdioServerTransport(process.stdin.pipe(frames));
  const transport = new AuditedTransport(stdio, log);
  const connection = serveStdio(() => createServer({ ...desk, model }, tools, skill), {
    transport,
    onerror: (error) => notices.warn(error.message),
  });
  await new Promise<void>((resolve) => {
    const close = transport.onclose;
    transport.onclose = () => {
      close?.();
      resolve();
    };
    const stop = () => void connection.close().finally(resolve);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop);
  });
  return null;
}

async function folderAt(path: string): Promise<string> {
  const status = await stat(path).catch(() => null);
  if (status?.isDirectory()) return path;
  throw new CliError("files_folder", `There is no folder ${path}`, {
    hint: "Set --files to the folder whose images a model may upload",
  });
}
