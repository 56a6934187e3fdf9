import { expect, test } from "bun:test";
import { join } from "node:path";
import stringWidth from "string-width";
import { goodCheck, serveApi } from "./testing/api.ts";
import { TOKENCTL, tempDir, temporaryWallet } from "./testing/cli.ts";
import { claimRecord, EVENT, launchStatus, MINT, tokenRecord } from "./testing/records.ts";
import { openTerminal } from "./testing/terminal.ts";

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

/** Runs a command in a terminal of this width, against a server with these routes. */
async function inTerminal(columns: number, ...args: string[]) {
  await using api = serveApi(routes);
  using wallet = temporaryWallet();
  const flags = ["--quiet", "--api-url", api.url, "-k", wallet.keypair];
  const screen = await openTerminal(tokenctl(...args, ...flags), columns).end();
  return { ...screen, lines: screen.lines.filter((line) => line.trim() !== "") };
}

const COMMANDS = ["tokens", "launches", "fees"];

test.concurrent.each(
  COMMANDS.flatMap((command) => [60, 80, 200].map((columns) => [command, columns])),
)("%s fits a terminal of %i columns", async (command, columns) => {
  const { lines, exitCode } = await inTerminal(Number(columns), String(command));
  expect(exitCode).toBe(0);
  expect(lines.length).toBeGreaterThan(2);
  for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(Number(columns));
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
  await using api = serveApi({
    [`GET /api/v1/tokens/launch/status/${EVENT}`]: () => status,
  });
  using wallet = temporaryWallet();
  const flags = ["--wait", "--interval", "0.1", "--api-url", api.url, "-k", wallet.keypair];
  const terminal = openTerminal(tokenctl("status", EVENT, ...flags), 200);
  await terminal.shows(
    "Waiting for MINE to be on chain. It waits for its turn (place 3) (1 h 2 min)",
  );
  status = { ...status, waitingFor: "launch_wallet_short", queuePlace: undefined };
  await terminal.shows("It waits for SOL in the server's launch wallet (1 h 2 min)");
  status = { ...launch, status: "success", tokenMint: MINT, poolAddress: MINT };
  const { exitCode, raw } = await terminal.end();
  expect(exitCode).toBe(0);
  // The command shows the cursor again.
  expect(raw.lastIndexOf("\x1b[?25h")).toBeGreaterThan(raw.lastIndexOf("\x1b[?25l"));
});

test.concurrent("a server that hangs is said to give no answer", async () => {
  const hanging = Promise.withResolvers<object>();
  await using api = serveApi({ "GET /api/v1/tokens/": () => hanging.promise });
  using wallet = temporaryWallet();
  const flags = ["--api-url", api.url, "-k", wallet.keypair];
  const terminal = openTerminal(tokenctl("tokens", ...flags), 200);
  await terminal.shows(/Reading the tokens: no answer for [3-9] s/);
  hanging.resolve({ tokens });
  expect((await terminal.end()).lines.join("\n")).toContain(NAME);
});

test.concurrent("watch shows no spinner once it waits for events", async () => {
  await using api = serveApi({});
  using wallet = temporaryWallet();
  const flags = ["--api-url", api.url, "-k", wallet.keypair];
  const { raw } = await openTerminal(tokenctl("watch", ...flags), 200).end();
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
  await using api = serveApi({
    "GET /health": () => ({ ok: true, db: "connected", timestamp: "now", network: "devnet" }),
    "POST /api/v1/tokens/launch/check": () => goodCheck,
  });
  using wallet = temporaryWallet();
  const start = () =>
    openTerminal(tokenctl("launch", "--api-url", api.url, "-k", wallet.keypair), 80);
  const terminal = start();
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
    const other = start();
    await other.shows("Name: ");
    other.type(key);
    expect((await other.end()).exitCode).toBe(130);
  }
});

test.concurrent.each(["| cat", "< /dev/null", "2> /dev/null"])(
  "a launch with `%s` is not asked, in a terminal or not",
  async (pipe) => {
    await using api = serveApi({
      "GET /health": () => ({ ok: true, db: "connected", timestamp: "now", network: "devnet" }),
      "POST /api/v1/tokens/launch": () => ({ success: true, eventId: EVENT, message: "" }),
    });
    using wallet = temporaryWallet();
    const line = "launch --name Mine --ticker MINE --no-wait";
    const flags = ["--api-url", api.url, "-k", wallet.keypair];
    const command = [...tokenctl(...line.split(" "), ...flags), pipe].join(" ");
    const { exitCode, lines } = await openTerminal(["sh", "-c", command], 80).end();
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
