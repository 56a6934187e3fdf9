import { expect, test } from "bun:test";
import { goodCheck, type Handler, runAgainst } from "../testing/api.ts";
import type { RunOptions } from "../testing/cli.ts";
import { claimRecord, EVENT, launchStatus, MINT } from "../testing/records.ts";

const LAUNCH = "POST /api/v1/tokens/launch";
const CHECK = "POST /api/v1/tokens/launch/check";
const CANCEL = `POST /api/v1/tokens/launch/${EVENT}/cancel`;
const CLAIM = `POST /api/v1/tokens/claims/${MINT}`;
const cancelled = launchStatus({ status: "failed", error: "Cancelled by its agent" });

const launched: unknown[] = [];
const routes = (network: string | undefined): Record<string, Handler> => ({
  "GET /health": () => ({ ok: true, db: "connected", timestamp: "now", network }),
  [LAUNCH]: async (request) => {
    launched.push(await request.json());
    return { success: true, eventId: EVENT, message: "" };
  },
  [CHECK]: () => goodCheck,
  [CANCEL]: () => cancelled,
  "GET /api/v1/tokens/claims": () => ({ claims: [claimRecord("MINE", MINT, 1)] }),
});

/** Runs a command at a terminal that answers questions, or without a terminal. */
async function runOn(network: string | undefined, line: string, options: RunOptions = {}) {
  const questions: string[] = [];
  const { answer } = options;
  const finished = await runAgainst(routes(network), line.split(" "), {
    ...options,
    ...(answer && {
      answer: (question) => {
        questions.push(question);
        return answer(question);
      },
    }),
  });
  return { ...finished, questions };
}

const COMMANDS: [string, string][] = [
  ["launch --name Mine --ticker MINE --no-wait", LAUNCH],
  [`cancel ${EVENT}`, CANCEL],
  ["claim --all", CLAIM],
];

test.each(COMMANDS)("`%s` asks once where money is real, and no ends it", async (line, route) => {
  for (const network of ["mainnet-beta", "devnet", "private", undefined]) {
    for (const answer of network === "devnet" ? ["", "n", "no", "yy"] : ["n"]) {
      const refused = await runOn(network, line, { answer: () => answer });
      expect(refused.questions).toHaveLength(1);
      expect(refused.questions[0]).toEndWith("? [y/N] ");
      expect(refused.questions[0]).toContain(network ?? "an unknown chain");
      expect(refused).toMatchObject({ stdout: "", exitCode: 1 });
      expect(refused.stderr).toContain("error: Nothing was done\n");
      expect(refused.requests).not.toContain(route);
    }
    const agreed = await runOn(network, line, { answer: () => " Y " });
    expect(agreed.questions).toHaveLength(1);
    expect(agreed.requests).toContain(route);
  }
});

test.each(COMMANDS)(
  "`%s` asks no sandbox, localnet, script, pipe or --yes",
  async (line, route) => {
    const answer = () => "n";
    for (const [network, more, options] of [
      ["sandbox", "", { answer }],
      ["localnet", "", { answer }],
      ["mainnet-beta", " --yes", { answer }],
      ["mainnet-beta", " --json", { answer }],
      ["mainnet-beta", "", {}],
    ] as const) {
      const done = await runOn(network, line + more, options);
      expect(done.questions).toEqual([]);
      expect(done.requests).toContain(route);
    }
  },
);

test("launch asks a terminal for the name and the ticker, until they can be used", async () => {
  launched.length = 0;
  const answers = ["", "My Token", "mine", "M!", "MINE"];
  const { questions, exitCode } = await runOn("sandbox", "launch --no-wait", {
    answer: () => answers.shift() ?? "",
  });
  expect(exitCode).toBe(0);
  expect(launched).toEqual([{ name: "My Token", ticker: "MINE" }]);
  expect(questions.map((question) => question.replace(/ .*/, ""))).toEqual([
    ...["Name:", "Name:", "Ticker,", "It", "It"],
  ]);
  expect(questions[3]).toContain("Did you mean MINE?");
});

test("launch asks for the name on chain if the typed name is too long for it", async () => {
  launched.length = 0;
  const long = "A name of far more than thirty-two bytes";
  const answers = [long, "A name"];
  await runOn("sandbox", "launch --ticker MINE --no-wait", { answer: () => answers.shift() ?? "" });
  expect(launched).toEqual([{ name: long, ticker: "MINE", onChainName: "A name" }]);
});

test("a launch without its flags is a usage error in scripts and with --json", async () => {
  const script = await runOn("sandbox", "launch --ticker MINE");
  expect(script).toMatchObject({ exitCode: 2, requests: [] });
  expect(script.stderr).toStartWith("error: required option '--name <name>' is missing\n");
  const json = await runOn("sandbox", "launch --json", { answer: () => "x" });
  expect(json).toMatchObject({ exitCode: 2, questions: [] });
});
