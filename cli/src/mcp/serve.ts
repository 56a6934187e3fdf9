import { join } from "node:path";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { ClaimResult } from "@tokenctl/sdk";
import { parseSol } from "@tokenctl/shared/sol";
import { ClaimBudget } from "../commands/claim-budget.ts";
import { connect } from "../connect.ts";
import type { Context } from "../context.ts";
import { chooseReceivers } from "../receivers.ts";
import { AuditLog } from "./audit-log.ts";
import { AuditedTransport } from "./audited-transport.ts";
import { ClaimTickets } from "./claim-tickets.ts";
import type { Guards } from "./guards.ts";
import { LaunchAllowance } from "./launch-allowance.ts";
import { LaunchPayments } from "./launch-payments.ts";
import { NetworkGuard } from "./network-guard.ts";
import { Once } from "./once.ts";
import { allowedTools, createServer, loadSkill } from "./server.ts";

export interface ServeOptions {
  /** Absolute path; by default in the state folder. */
  readonly auditLog: string | undefined;
  /** Whether the server is a sandbox on another machine. */
  readonly sandbox: boolean | undefined;
}

/** Serves MCP on stdin and stdout until the client closes them, or Ctrl-C. */
export async function serve(
  context: Context,
  guards: Guards,
  { auditLog, sandbox }: ServeOptions,
): Promise<void> {
  const { settings, signal } = context;
  const client = await connect(context, { allowSandboxClaims: sandbox });
  const log = new AuditLog(auditLog ?? join(settings.stateDir, "mcp-audit.jsonl"), Date.now);
  const network = new NetworkGuard(client, guards.allowMainnet);
  const isSandbox = (await network.read(signal).catch(() => null)) === "sandbox";
  const offered = allowedTools(guards, isSandbox);
  const folder = join(settings.stateDir, "mcp-launches", fileName(client.apiUrl), client.address);
  const desk = {
    client,
    guards,
    network,
    allowance: new LaunchAllowance({ client, folder, limit: guards.maxLaunchesPerDay }),
    payments:
      guards.maxLaunchCostSol === null
        ? null
        : new LaunchPayments({
            folder,
            now: Date.now,
            perLaunch: parseSol(guards.maxLaunchCostSol),
            launchesPerDay: guards.maxLaunchesPerDay,
          }),
    tickets: new ClaimTickets<ClaimResult>(Date.now),
    payout: chooseReceivers(settings, client.address),
    budget: new ClaimBudget(parseSol(guards.maxTotalFeeSol)),
    once: new Once(),
    offered: offered.map(({ name }) => name),
  };
  const skill = await loadSkill();
  context.notices.stop();
  if (context.ask !== null) {
    context.notices.notice("Serving MCP: a client program starts this command and talks to it.");
    context.notices.notice(
      "The skill's references/mcp.md says how to add it to one. Ctrl-C ends it.",
    );
  }
  const transport = new AuditedTransport(new StdioServerTransport(), log);
  const connection = serveStdio(() => createServer(desk, offered, skill), {
    transport,
    onerror: (error) => context.notices.warn(error.message),
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
}

function fileName(apiUrl: string): string {
  return new URL(apiUrl).host.replace(/[^a-z0-9.-]/gi, "_");
}
