import { spawn } from "node:child_process";
import { isAddress } from "../arguments.ts";
import { connect } from "../connect.ts";
import type { Context } from "../context.ts";
import { CliError } from "../errors.ts";
import { resolveMint } from "../resolve-token.ts";
import type { Result } from "../result.ts";

/**
 * Opens a token's page in the browser and prints its address; without a terminal, or without a browser, it
 * only prints.
 *
 * @param name its mint or its ticker
 */
export async function open(context: Context, name: string): Promise<Result> {
  const { ask, env, notices, signal } = context;
  const client = await connect(context);
  const mint = await resolveMint(client, name, signal);
  // By a ticker the server says it, and a browser gets it.
  if (!isAddress(mint)) {
    throw new CliError("invalid_response", "The server's mint of that token is no address");
  }
  const url = `${client.apiUrl}/#/token/${mint}`;
  const isOpened = ask !== null && (await opens(url, env));
  if (isOpened) notices.notice("Opened in the browser.");
  return { kind: "page", data: { url } };
}

/** @returns whether the system's program for web pages was started */
function opens(url: string, env: Context["env"]): Promise<boolean> {
  const isHeadless =
    process.platform === "linux" && !(env.DISPLAY || env.WAYLAND_DISPLAY || env.WSL_DISTRO_NAME);
  if (isHeadless) return Promise.resolve(false);
  const [program = "", ...args] = opener();
  const child = spawn(program, [...args, url], { env, stdio: "ignore", detached: true });
  child.unref();
  return new Promise((resolve) => {
    child.once("spawn", () => resolve(true));
    child.once("error", () => resolve(false));
  });
}

/** `start` belongs to the shell of Windows, and takes its first text for a title. */
function opener(): string[] {
  if (process.platform === "darwin") return ["open"];
  if (process.platform === "win32") return ["cmd", "/c", "start", ""];
  return ["xdg-open"];
}
