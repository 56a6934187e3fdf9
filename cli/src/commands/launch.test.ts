import { expect, test } from "bun:test";
import { dirname, join } from "node:path";
import type { LaunchStatus } from "@tokenctl/sdk";
import { goodCheck, type Handler, refuse, refuseWith, runAgainst } from "../testing/api.ts";
import { temporaryWallet } from "../testing/cli.ts";
import { EVENT, launchStatus, MINT, POOL } from "../testing/records.ts";

const LAUNCH = "POST /api/v1/tokens/launch";
const STATUS = `GET /api/v1/tokens/launch/status/${EVENT}`;
const RETRY = `POST /api/v1/tokens/launch/${EVENT}/retry`;
const accepted = { success: true, eventId: EVENT, message: "Accepted" };
const wif = { ticker: "WIF", processedAt: "2026-11-21T09:30:00.123Z" };
const pending = launchStatus({ ticker: "WIF" });
const success = launchStatus({ ...wif, status: "success", tokenMint: MINT, poolAddress: POOL });
const failed = launchStatus({ ...wif, status: "failed", error: "The chain refused the name" });
const rateLimited = launchStatus({ ...wif, status: "rate_limited" });

/** Answers with each status in turn, and keeps repeating the last. */
function inTurn(...statuses: LaunchStatus[]): Handler {
  return () => (statuses.length > 1 ? statuses.shift() : statuses[0]);
}

const launchArgs = ["launch", "--name", "dog wif hat", "--ticker", "WIF", "--interval", "0.1"];

test("launch waits until the token is on chain and prints its addresses", async () => {
  const { stdout, stderr, exitCode, requests } = await runAgainst(
    { [LAUNCH]: () => accepted, [STATUS]: inTurn(pending, pending, success) },
    launchArgs,
  );
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  expect(requests).toEqual([LAUNCH, STATUS, STATUS, STATUS]);
  expect(stdout).toBe(`Status     success
Ticker     WIF
Mint       7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU
Pool       9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin
Processed  2026-11-21T09:30:00.123Z
Event id   ${EVENT}
`);
});

test("launch sends the given fields and nothing else, and with --no-wait prints the event id at once", async () => {
  const bodies: unknown[] = [];
  const keys: (string | null)[] = [];
  const routes = {
    [LAUNCH]: async (request: Request) => {
      bodies.push(await request.json());
      keys.push(request.headers.get("idempotency-key"));
      return accepted;
    },
  };
  const human = await runAgainst(routes, [...launchArgs, "--no-wait"]);
  expect(human).toMatchObject({ stdout: `Event id  ${EVENT}\n`, stderr: "", exitCode: 0 });
  expect(human.requests).toEqual([LAUNCH]);
  const all = ["--description", "a dog", "--image-url", "ipfs://a", "--idempotency-key", "k1"];
  const links = {
    website: "https://wif.example",
    twitter: "https://x.com/wif",
    telegram: "https://t.me/wif",
  };
  const linkFlags = Object.entries(links).flatMap(([field, url]) => [`--${field}`, url]);
  const flags = [...all, ...linkFlags, "--no-wait", "--json"];
  expect(JSON.parse((await runAgainst(routes, [...launchArgs, ...flags])).stdout)).toEqual(
    accepted,
  );
  const basic = { name: "dog wif hat", ticker: "WIF" };
  expect(bodies).toEqual([
    basic,
    { ...basic, description: "a dog", imageUrl: "ipfs://a", ...links },
  ]);
  expect(keys[1]).toBe("k1");
});

test("launch --image uploads the file, and launches with its URL", async () => {
  using folder = temporaryWallet();
  const file = join(dirname(folder.keypair), "logo.png");
  const image = new TextEncoder().encode("GIF89a, and its pixels");
  await Bun.write(file, image);
  const received: unknown[] = [];
  const url = "https://tokens.example/images/00.png";
  const routes = {
    "POST /api/v1/images": async (request: Request) => {
      received.push(await request.bytes());
      return { success: true, url, expiresAt: "2026-11-21T09:30:00.123Z" };
    },
    [LAUNCH]: async (request: Request) => {
      received.push(await request.json());
      return accepted;
    },
  };
  const { exitCode } = await runAgainst(routes, [...launchArgs, "--no-wait", "--image", file]);
  expect(exitCode).toBe(0);
  expect(received).toEqual([image, { name: "dog wif hat", ticker: "WIF", imageUrl: url }]);
});

test("launch --image sends nothing if the file cannot be an image", async () => {
  using folder = temporaryWallet();
  const large = join(dirname(folder.keypair), "large.png");
  await Bun.write(large, new Uint8Array(2 * 1024 ** 2 + 1));
  const { exitCode, stderr, requests } = await runAgainst({}, [...launchArgs, "--image", large]);
  expect(stderr).toContain(`The image ${large} has 2097153 bytes, more than 2097152`);
  expect([exitCode, requests]).toEqual([2, []]);
  const wrong = await runAgainst({}, [...launchArgs, "--image", folder.keypair]);
  expect(wrong.stderr).toContain("is not a PNG, JPEG, WebP or GIF file by its content");
  expect([wrong.exitCode, wrong.requests]).toEqual([2, []]);
  const both = ["--image", large, "--image-url", "ipfs://a"];
  expect((await runAgainst({}, [...launchArgs, ...both])).exitCode).toBe(2);
});

test("launch shows the event id on a terminal before it waits, and what to do next", async () => {
  const { stderr } = await runAgainst(
    { [LAUNCH]: () => accepted, [STATUS]: inTurn(pending, success) },
    launchArgs,
    { terminal: true },
  );
  expect(stderr).toContain(`tokenctl status ${EVENT} --wait`);
  expect(stderr).toMatch(
    /Share it: http:\/\/[\w.:]+\/t\/7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU\n/,
  );
  expect(stderr).toContain("`tokenctl claim WIF` claims it");
});

test.each([
  ["failed", failed, "The launch of WIF failed: The chain refused the name", "`tokenctl retry"],
  [
    "rate_limited",
    rateLimited,
    "has already launched a token today",
    "After midnight UTC, `tokenctl retry",
  ],
])("launch exits with 7 if the launch ends %s", async (_, status, message, hint) => {
  const routes = { [LAUNCH]: () => accepted, [STATUS]: () => status };
  const human = await runAgainst(routes, launchArgs);
  expect(human.exitCode).toBe(7);
  expect(human.stdout).toContain(`Status     ${status.status}\n`);
  expect(human.stderr).toContain(message);
  expect(human.stderr).toContain(`${hint} ${EVENT}`);
  const json = await runAgainst(routes, [...launchArgs, "--json"]);
  expect(JSON.parse(json.stdout)).toEqual(status);
  expect(JSON.parse(json.stderr)).toMatchObject({ code: `launch_${status.status}`, exitCode: 7 });
});

test("launch names refused fields by their flags", async () => {
  const details = [
    { field: "ticker", message: "must be 2 to 10 characters of A-Z and 0-9" },
    { field: "imageUrl", message: "must be a URL" },
  ];
  const routes = { [LAUNCH]: () => refuseWith("validation_failed", { details }) };
  const human = await runAgainst(routes, launchArgs);
  expect(human).toMatchObject({ stdout: "", exitCode: 2 });
  expect(human.stderr).toContain("error: Validation failed\n");
  expect(human.stderr).toContain("  --ticker must be 2 to 10 characters of A-Z and 0-9\n");
  expect(human.stderr).toContain("  --image-url must be a URL\n");
  const json = await runAgainst(routes, [...launchArgs, "--json"]);
  expect(JSON.parse(json.stderr)).toMatchObject({ error: "Validation failed", details });
});

test("launch sends a name that is cut on chain only if that is allowed, says how it is cut, and checks the same in a dry run", async () => {
  const name = "A name that has more than 32 bytes";
  const args = ["launch", "--name", name, "--ticker", "WIF", "--no-wait"];
  const routes = { [LAUNCH]: () => accepted };
  const refused = await runAgainst(routes, args);
  expect(refused).toMatchObject({ stdout: "", requests: [], exitCode: 2 });
  expect(refused.stderr).toContain('where it would be "A name that has more than 32 byt"');
  expect(refused.stderr).toContain("--on-chain-name, or add --allow-shortened-name");

  const dryRun = { "POST /api/v1/tokens/launch/check": () => goodCheck };
  for (const [more, exitCode] of [
    [[], 2],
    [["--allow-shortened-name"], 0],
    [["--on-chain-name", "A name"], 0],
  ] as const) {
    const checked = await runAgainst(dryRun, [...args, "--dry-run", ...more]);
    expect(checked.exitCode).toBe(exitCode);
    expect(checked.stdout).toStartWith(`Launch        ${exitCode ? "name_too_long" : "ok"}\n`);
    expect(checked.stderr).toBe(exitCode ? refused.stderr : "");
  }

  const allowed = await runAgainst(routes, [...args, "--allow-shortened-name"]);
  expect(allowed).toMatchObject({ requests: [LAUNCH], exitCode: 0 });
  expect(allowed.stderr).toContain("On chain the name is: A name that has more than 32 byt");
  const chosen = await runAgainst(routes, [...args, "--on-chain-name", "A name"]);
  expect(chosen).toMatchObject({ requests: [LAUNCH], exitCode: 0, stderr: "" });
});

test("launch names the wallet's own launch that has the ticker, its status and what to do", async () => {
  const own = { code: "ticker_taken", eventId: EVENT, status: "pending" };
  const routes = { [LAUNCH]: () => refuse(409, "Ticker WIF already exists", own) };
  const { stderr, exitCode } = await runAgainst(routes, [...launchArgs, "--json"]);
  expect(exitCode).toBe(5);
  expect(JSON.parse(stderr)).toMatchObject({
    code: "ticker_taken",
    eventId: EVENT,
    launchStatus: "pending",
    hint: `It is your own launch, which is pending: \`tokenctl status ${EVENT} --wait\` continues it, \`tokenctl cancel ${EVENT}\` drops it`,
  });
});

test("Ctrl-C before the answer says that the launch may have been accepted", async () => {
  let interrupt = () => {};
  const { stderr, exitCode } = await runAgainst(
    {
      [LAUNCH]: () => {
        interrupt();
        return new Promise(() => {});
      },
    },
    launchArgs,
    {
      onInterruptible: (listener) => {
        interrupt = listener;
      },
    },
  );
  expect(exitCode).toBe(130);
  expect(stderr).toContain("Interrupted before the server answered");
  expect(stderr).toContain("may have been accepted");
});

test("launch prints the event id even if it cannot read the status", async () => {
  const { stderr, exitCode } = await runAgainst(
    { [LAUNCH]: () => accepted, [STATUS]: () => refuseWith("launch_not_found") },
    launchArgs,
  );
  expect(exitCode).toBe(4);
  expect(stderr).toContain("Launch not found; the launch is accepted and continues");
  expect(stderr).toContain(`tokenctl status ${EVENT} --wait`);
});

test.each([
  ["status", ["--wait"], [pending, pending, success]],
  ["retry", [], [failed, pending, success]],
])("%s waits until the launch has ended", async (command, flags, statuses) => {
  const { exitCode, stdout, requests } = await runAgainst(
    { [RETRY]: () => accepted, [STATUS]: inTurn(...statuses) },
    [command, EVENT, ...flags, "--interval", "0.1", "--json"],
  );
  expect(exitCode).toBe(0);
  const reopened = command === "retry" ? [RETRY] : [];
  expect(requests).toEqual([STATUS, ...reopened, STATUS, STATUS]);
  expect(JSON.parse(stdout)).toEqual(success);
});

test("status of a cancelled launch says that its ticker is free, and not that it is kept", async () => {
  const cancelled = { ...failed, error: "Cancelled by its agent" };
  const { stderr, exitCode } = await runAgainst({ [STATUS]: () => cancelled }, ["status", EVENT]);
  expect(exitCode).toBe(7);
  expect(stderr).toContain(`\`tokenctl retry ${EVENT}\` launches it again. Its ticker is free`);
  expect(stderr).not.toContain("keeps the ticker");
});
