import { expect, test } from "bun:test";
import { type Handler, serveApi } from "./testing/api.ts";
import { TOKENCTL, tempDir, temporaryWallet } from "./testing/cli.ts";
import { everyCommand } from "./testing/commands.ts";
import { atWidth, openTerminal } from "./testing/terminal.ts";

const SIGINT = "\x03";

/** Starts a command line in a terminal of this width, against a server with only these routes. */
function start(columns: number, line: string, routes: Record<string, Handler>) {
  const [api, wallet, home] = [serveApi(routes), temporaryWallet(), tempDir()];
  const env = {
    TOKENCTL_API_URL: api.url,
    TOKENCTL_KEYPAIR: wallet.keypair,
    HOME: home.path,
  };
  const command = atWidth(columns, line.replace(/^tokenctl/, TOKENCTL.join(" ")));
  return {
    terminal: openTerminal(command, 80, env),
    async [Symbol.asyncDispose]() {
      for (const opened of [wallet, home]) opened[Symbol.dispose]();
      await api[Symbol.asyncDispose]();
    },
  };
}

/** The first example of each top-level command and of one command per group. */
const EXAMPLES = [
  ...new Map(
    everyCommand()
      .filter(({ isGroup }) => !isGroup)
      .map((command) => [command.name.split(" ")[0], command]),
  ).values(),
]
  .map(({ help }) => /\$ .*?(tokenctl [^|>#)\n]+)/.exec(help)?.[1]?.trim())
  .filter((line) => line !== undefined);

test.concurrent.each(EXAMPLES)("in a terminal of 0 columns, Ctrl-C ends `%s`", async (line) => {
  const never = () => new Promise<never>(() => {});
  await using started = start(0, line, {
    "GET /health": never,
    "POST /api/auth/challenge": never,
  });
  const { terminal } = started;
  // A command that sends the server no request ends by itself.
  const ended = terminal.end();
  await Promise.race([terminal.shows(/: no answer for [3-9] s|Serving|phrase: /), ended]);
  terminal.type(SIGINT);
  const { exitCode, raw } = await ended;
  // `mcp` exits with 0 like a server; an example may name a wallet or profile that does not exist.
  expect(raw.includes("no answer") ? [0, 130] : [0, 1, 2]).toContain(exitCode);
  expect(raw).not.toContain("\x1b[?25l");
});

test.concurrent("a spinner ends when its terminal loses its width, and the command goes on", async () => {
  const answer = Promise.withResolvers<object>();
  await using started = start(90, "tokenctl tokens", {
    "GET /api/v1/tokens/": () => answer.promise,
  });
  const { terminal } = started;
  await terminal.shows("⠋ Reading the tokens");
  const pty = /\/dev\/pts\/\d+/.exec(terminal.text())?.[0] ?? "";
  expect(await Bun.spawn(["stty", "-F", pty, "cols", "0"]).exited).toBe(0);
  // The text is on a line of its own, without the spinner.
  await terminal.shows(/\nReading the tokens: no answer for [3-9] s/);
  answer.resolve({ tokens: [] });
  expect((await terminal.end()).exitCode).toBe(0);
});
