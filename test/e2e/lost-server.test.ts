import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { serveApi } from "../../cli/src/testing/api.ts";
import { run, temporaryWallet } from "../../cli/src/testing/cli.ts";
import { ROOT, type ServerProcess, startProcess, tempFolder } from "../support/processes.ts";

setDefaultTimeout(60_000);

/** A real server, started from the source. */
function start(folder: string): Promise<ServerProcess> {
  return startProcess([process.execPath, join(ROOT, "server/src/main.ts")], {
    cwd: folder,
    env: { PORT: "0", DATA_DIR: join(folder, "data") },
    ready: /"url":"(http[^"]+)"[^\n]*tokend listens/,
  });
}

/** A gateway in front of a server that is killed when the signed claim comes, or right after it is paid. */
function gateway(server: ServerProcess, mint: string, when: "before" | "after") {
  const path = `/api/v1/tokens/claims/${mint}`;
  let isGone = false;
  return serveApi(
    {
      [`POST ${path}`]: async (request) => {
        const body = await request.text();
        const { headers } = request;
        const forward = () => fetch(server.url + path, { method: "POST", headers, body });
        if (body === "") return forward();
        if (when === "after" && !isGone) expect((await forward()).status).toBe(200);
        isGone = true;
        await server.end("SIGKILL");
        return new Response("<html>502 Bad Gateway</html>", { status: 502 });
      },
    },
    server.url,
  );
}

test.each([
  ["before", { exitCode: 0, text: "Claimed      0.02 SOL\n" }],
  ["after", { exitCode: 5, text: "error: No fees to claim\n" }],
] as const)(
  "a claim whose server is killed %s it is paid is paid once, by running it again",
  async (when, again) => {
    using folder = tempFolder();
    using wallet = temporaryWallet();
    const tokenctl = (url: string, ...args: string[]) =>
      run([...args, "--api-url", url, "-k", wallet.keypair]);
    const data = async (url: string, ...args: string[]) =>
      JSON.parse((await tokenctl(url, ...args, "--json")).stdout);

    await using server = await start(folder.path);
    await data(server.url, "dev", "airdrop");
    const launch = ["launch", "--name", "Lost", "--ticker", "LOST", "--interval", "0.1"];
    const { tokenMint } = await data(server.url, ...launch);
    await data(server.url, "dev", "trade", tokenMint, "--sol", "2");

    await using front = gateway(server, tokenMint, when);
    const lost = await tokenctl(front.url, "claim", tokenMint);
    expect(lost).toEqual({
      stdout: "",
      stderr:
        "error: It is not known whether the claim was paid: HTTP 502\n" +
        `hint: Once \`tokenctl health\` says ok, run \`tokenctl claim ${tokenMint}\` again: it cannot pay twice, as fees are paid once\n`,
      exitCode: 6,
    });

    await using next = await start(folder.path);
    const { stdout, stderr, exitCode } = await tokenctl(next.url, "claim", tokenMint);
    expect(exitCode).toBe(again.exitCode);
    expect(stdout + stderr).toStartWith(again.text);
    expect((await data(next.url, "fees")).claims).toMatchObject([
      { dbcClaimableFees: 0, dbcClaimedFees: 0.02, dbcTotalFees: 0.02 },
    ]);
  },
);
