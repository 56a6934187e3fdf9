import { expect, test } from "bun:test";
import { join } from "node:path";
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

const tokenctl = (...args: readonly string[]) => [...TOKENCTL, ...args];

/** Starts a command line in a terminal of this width, against a server with only these routes. */
function start(columns: number, line: string, answers: Record<string, Handler> = {}) {
  const [api, wallet, home] = [serveApi(answers), temporaryWallet(), tempDir()];
  const env = {
    TOKENCTL_API_URL: api.url,
    TOKENCTL_KEYPAIR: wallet.keypair,
    HOME: home.path,
  };
  const command = line.replace(/^tokenctl/, TOKENCTL.join(" "));
  const terminal =
    columns === 0
      ? openTerminal(atWidth(0, command), 80, env)
      : openTerminal(["sh", "-c", `tty; exec ${command}`], columns, env);
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

test.concurrent("the spinner shows what a launch waits for, and for how long", async () => {
  const launch = { ...launches[0], tokenMint: null, poolAddress: null, error: null };
  let status: object = {
    ...launch,
    status: "pending",
    processedAt: null,
    waitingFor: "queue",
    queuePlace: 3,
    waitingSince: new Date(Date.now() - 3_720_000).toISOString(),
  };
  await using started = start(200, `tokenctl status ${EVENT} --wait --interval 0.1`, {
    [`GET /api/v1/tokens/launch/status/${EVENT}`]: () => status,
  });
  const { terminal } = started;
  await terminal.shows(
    "Waiting for MINE to be on chain. It waits for its turn (place 3) (1 h 2 min)",
  );
  status = { ...status, waitingFor: "launch_wallet_short", queuePlace: undefined };
  await terminal.shows("It waits for SOL in the service's launch wallet (1 h 2 min)");
  status = { ...launch, status: "success", tokenMint: MINT, poolAddress: MINT };
  const { exitCode, raw } = await terminal.end();
  expect(exitCode).toBe(0);
  // The command shows the cursor again.
  expect(raw.lastIndexOf("\x1b[?25h")).toBeGreaterThan(raw.lastIndexOf("\x1b[?25l"));
});

test.concurrent("a server that hangs is said to give no answer", async () => {
  const hanging = Promise.withResolvers<object>();
  await using started = start(200, "tokenctl tokens", {
    "GET /api/v1/tokens/": () => hanging.promise,
  });
  const { terminal } = started;
  await terminal.shows(/Reading the tokens: no answer for [3-9] s/);
  hanging.resolve({ tokens });
  expect((await terminal.end()).lines.join("\n")).toContain(NAME);
});

test.concurrent("watch shows no spinner once it waits for events", async () => {
  await using started = start(200, "tokenctl watch");
  const { raw } = await started.terminal.end();
  const [before = "", after = "Contacting"] = raw.split("Waiting for events.");
  expect(before).toContain("Contacting");
  expect(after).not.toContain("Contacting");
});

test.concurrent("keygen --restore asks for the phrase, and the terminal does not show it", async () => {
  using folder = tempDir();
  const phrase = `${"abandon ".repeat(11)}about`;
  const keypair = join(folder.path, "id.json");
  const args = ["keygen", "--restore", "--derivation-path", "--passphrase", "-o", keypair];
  const terminal = openTerminal(tokenctl(...args), 80);
  await terminal.shows("Seed phrase: ");
  terminal.type(`${phrase}\r`);
  await terminal.shows("Passphrase: ");
  terminal.type("\r");
  const { exitCode, raw } = await terminal.end();
  expect(exitCode).toBe(0);
  expect(raw).toContain("HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk");
  expect(raw).not.toContain("abandon");
});

test.concurrent("launch asks a terminal for what it needs, and Ctrl-C or Ctrl-D ends it", async () => {
  const launch = () =>
    start(80, "tokenctl launch", {
      "GET /health": () => ({ ok: true, db: "connected", timestamp: "now", network: "devnet" }),
      "POST /api/v1/tokens/launch/check": () => goodCheck,
    });
  await using started = launch();
  const { api, terminal } = started;
  await terminal.shows("Name: ");
  terminal.type("My Token\r");
  await terminal.shows("Ticker, ");
  terminal.type("MINE\r");
  await terminal.shows(/Name on chain +My Token.*Paid by +the service.*on devnet\? \[y\/N\] /s);
  terminal.type("n\r");
  const { exitCode, lines } = await terminal.end();
  expect(exitCode).toBe(1);
  expect(lines.join("\n")).toContain("error: Nothing was done");
  expect(api.requests).toEqual(["POST /api/v1/tokens/launch/check"]);
  for (const key of ["\x03", "\x04"]) {
    await using other = launch();
    await other.terminal.shows("Name: ");
    other.terminal.type(key);
    expect((await other.terminal.end()).exitCode).toBe(130);
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

test.concurrent.each([
  ["the same", 0],
  ["another", 2],
])("a new phrase's passphrase is asked for twice: %s", async (second, code) => {
  using folder = tempDir();
  const keypair = join(folder.path, "id.json");
  const args = ["keygen", "--seed-phrase", "--passphrase", "-o", keypair];
  const terminal = openTerminal(tokenctl(...args), 80);
  await terminal.shows("Passphrase: ");
  terminal.type("the same\r");
  await terminal.shows("Repeat it: ");
  terminal.type(`${second}\r`);
  const { exitCode, raw } = await terminal.end();
  expect(exitCode).toBe(code);
  expect(raw).not.toContain("the same");
  expect(await Bun.file(keypair).exists()).toBe(code === 0);
});

test.concurrent("Ctrl-C at the question for a phrase ends the command, and nothing is written", async () => {
  using folder = tempDir();
  const keypair = join(folder.path, "id.json");
  const terminal = openTerminal(tokenctl("keygen", "--restore", "-o", keypair), 80);
  await terminal.shows("Seed phrase: ");
  terminal.type("\x03");
  expect((await terminal.end()).exitCode).toBe(130);
  expect(await Bun.file(keypair).exists()).toBe(false);
});

/** One that reads, one that waits, one that asks, one that serves, and one that only prints. */
const KINDS = [
  ...["tokenctl tokens", "tokenctl watch", "tokenctl keygen --restore", "tokenctl mcp"],
  "tokenctl config list",
];

test.concurrent.each(KINDS)("in a terminal of 0 columns, Ctrl-C ends `%s`", async (line) => {
  const never = () => new Promise<never>(() => {});
  await using started = start(0, line, {
    "GET /health": never,
    "POST /api/auth/challenge": never,
  });
  const { terminal } = started;
  // A command that sends the server no request ends by itself.
  const ended = terminal.end();
  await Promise.race([terminal.shows(/: no answer for [3-9] s|phrase: /), ended]);
  terminal.type("\x03");
  const { exitCode, raw } = await ended;
  expect(exitCode).toBe(line === "tokenctl config list" ? 0 : 130);
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
