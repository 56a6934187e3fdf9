import { expect, test } from "bun:test";
import stringWidth from "string-width";
import { goodCheck, type Handler, runAgainst, serveApi } from "./testing/api.ts";
import { TOKENCTL, tempDir, temporaryWallet } from "./testing/cli.ts";
import { claimRecord, EVENT, launchStatus, MINT, tokenRecord } from "./testing/records.ts";
import { atWidth, openTerminal } from "./testing/terminal.ts";

const TIME = "2026-11-21T09:30:00.123Z";
const NAME = "A token with a name that is as long as names of tokens are now and then";

const tokens = ["MINE", "LONGTICKER"].map((ticker) =>
  tokenRecord({ ticker, tokenName: NAME, deployedAt: TIME }),
);
const launches = ["MINE", "LONGTICKER"].map((ticker) =>
  launchStatus({
    ...{ ticker, status: "failed", processedAt: TIME, tokenMint: MINT, poolAddress: MINT },
    ...{ error: NAME, tokenName: NAME, createdAt: TIME },
  }),
);
const claims = [claimRecord("MINE", MINT, 0.000000001), claimRecord("LONGTICKER", MINT, 12_345)];
const routes = {
  "GET /api/v1/tokens/": () => ({ tokens }),
  "GET /api/v1/tokens/launches": () => ({ launches }),
  "GET /api/v1/tokens/claims": () => ({ claims }),
};

/** Starts a command line in a terminal of this width, against a server with only these routes. */
function start(columns: number, line: string, answers: Record<string, Handler> = {}) {
  const [api, wallet, home] = [serveApi(answers), temporaryWallet(), tempDir()];
  const env = {
    TOKENCTL_API_URL: api.url,
    TOKENCTL_KEYPAIR: wallet.keypair,
    HOME: home.path,
  };
  const command = line.replace(/^tokenctl/, TOKENCTL.join(" "));
  const terminal = openTerminal(atWidth(columns, command), columns || 80, env);
  return {
    api,
    terminal,
    async [Symbol.asyncDispose]() {
      for (const opened of [wallet, home]) opened[Symbol.dispose]();
      await api[Symbol.asyncDispose]();
    },
  };
}

function expectFits(lines: readonly string[], columns: number): void {
  expect(lines.filter((line) => line.trim() !== "").length).toBeGreaterThan(2);
  for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
}

test.concurrent("a list fits the terminal", async () => {
  await using started = start(60, "tokenctl tokens --quiet", routes);
  const { lines, exitCode } = await started.terminal.end();
  expect(exitCode).toBe(0);
  expectFits(lines, 60);
});

test.concurrent.each(["tokens", "launches", "fees"])("%s fits every width", async (command) => {
  for (const columns of [60, 80, 200]) {
    const { stdout } = await runAgainst(routes, [command], { columns });
    expectFits(stdout.split("\n"), columns);
  }
});

test.concurrent("a question ends a launch by n, Ctrl-C or Ctrl-D", async () => {
  for (const [keys, code] of [
    ["n\r", 1],
    ["\x03", 130],
    ["\x04", 130],
  ] as const) {
    await using started = start(80, "tokenctl launch --name Mine --ticker MINE", {
      "GET /health": () => ({ ok: true, db: "connected", timestamp: "now", network: "devnet" }),
      "POST /api/v1/tokens/launch/check": () => goodCheck,
    });
    const { api, terminal } = started;
    await terminal.shows(/Name on chain +Mine.*Paid by +the service.*on devnet\? \[y\/N\] /s);
    terminal.type(keys);
    expect((await terminal.end()).exitCode).toBe(code);
    expect(api.requests).toEqual(["POST /api/v1/tokens/launch/check"]);
  }
});

test.concurrent.each(["| cat", "< /dev/null", "2> /dev/null"])(
  "a launch with `%s` is not asked, in a terminal or not",
  async (pipe) => {
    const line = `tokenctl launch --name Mine --ticker MINE --no-wait ${pipe}`;
    await using started = start(80, line, {
      "GET /health": () => ({ ok: true, db: "connected", timestamp: "now", network: "devnet" }),
      "POST /api/v1/tokens/launch": () => ({ success: true, eventId: EVENT, message: "" }),
    });
    const { exitCode, lines } = await started.terminal.end();
    expect(exitCode).toBe(0);
    expect(lines.join("\n")).toContain(EVENT);
    expect(lines.join("\n")).not.toContain("[y/N]");
  },
);

/** One that reads, one that waits, one that serves, and one that only prints. */
const KINDS = ["tokenctl tokens", "tokenctl watch", "tokenctl mcp", "tokenctl config get"];

test.concurrent.each(KINDS)("in a terminal of 0 columns, Ctrl-C ends `%s`", async (line) => {
  const never = () => new Promise<never>(() => {});
  await using started = start(0, line, {
    "GET /health": never,
    "POST /api/auth/challenge": never,
  });
  const { terminal } = started;
  // A command that sends the server no request ends by itself.
  const ended = terminal.end();
  await Promise.race([terminal.shows(/Contacting.*(?!mcp)/), ended]);
  terminal.type("\x03");
  const { exitCode, raw } = await ended;
  expect(exitCode).toBe(line === "tokenctl config get" ? 0 : 130);
  expect(raw).not.toContain("\x1b[?25l");
});

test.concurrent("a spinner ends before an error, and the cursor is shown again", async () => {
  const refused = new Response("No", { status: 404 });
  await using started = start(80, "tokenctl tokens", { "GET /api/v1/tokens/": () => refused });
  const { exitCode, raw } = await started.terminal.end();
  expect(exitCode).toBe(4);
  expect(raw).toMatch(/\[\?25hContacting [^\n]+\r\nerror:/);
});

test.concurrent("a spinner ends when its terminal loses its width, and the command goes on", async () => {
  const answer = Promise.withResolvers<object>();
  await using started = start(90, "tokenctl tokens", {
    "GET /api/v1/tokens/": () => answer.promise,
  });
  const { terminal } = started;
  await terminal.shows("⠋ Contacting");
  const pty = /\/dev\/pts\/\d+/.exec(terminal.text())?.[0] ?? "";
  expect(await Bun.spawn(["stty", "-F", pty, "cols", "0"]).exited).toBe(0);
  await terminal.shows(/Contacting \S+\r\n/);
  answer.resolve({ tokens: [] });
  const { exitCode, raw } = await terminal.end();
  expect(exitCode).toBe(0);
  expect(raw.split("\x1b[?25l")).toHaveLength(2);
});
