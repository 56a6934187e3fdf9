import { claimCommands } from "./claims.ts";
import type { Command } from "./command.ts";
import { eventCommands } from "./events.ts";
import { launchCommands } from "./launches.ts";
import { sandboxCommands } from "./sandbox.ts";
import { mcpCommand, programCommands, serviceCommands } from "./service.ts";
import { handOverCommands, tokenCommands } from "./tokens.ts";
import { walletCommands } from "./wallet.ts";
import { webhookCommands } from "./webhooks.ts";

const first: readonly Command[] = [
  ...walletCommands,
  ...launchCommands,
  ...tokenCommands,
  ...claimCommands,
  ...handOverCommands,
  ...eventCommands,
];

/** The whole grammar, in the order of the terminal's help. */
export const commands: readonly Command[] = [
  ...first,
  ...serviceCommands,
  mcpCommand([...serviceCommands, ...first, ...sandboxCommands]),
  ...webhookCommands,
  ...programCommands,
  ...sandboxCommands,
];

/** Commands that only contain other commands. */
export const groups: Readonly<Record<string, string>> = {
  webhooks: "manage receivers of the wallet's events",
  config: "set up profiles of servers and wallets",
  dev: "play the market on a sandbox server",
};
