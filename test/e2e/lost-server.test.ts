import { expect, setDefaultTimeout, test } from "bun:test";
import { serveApi } from "../../cli/src/testing/api.ts";
import { run, temporaryWallet } from "../../cli/src/testing/cli.ts";
import { type ServerProcess, startTokend, TOKEND, tempFolder } from "../support/processes.ts";

setDefaultTimeout(300_000);

/** A gateway that kills the server behind it when the signed claim arrives, or once it is paid. */
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
  "a claim whose server is killed %s it is paid is paid once, if the command is run again",
  async (when, again) => {
    using folder = tempFolder();
    using wallet = temporaryWallet();
    const tokenctl = (url: string, ...args: string[]) =>
      run([...args, "--api-url", url, "-k", wallet.keypair]);
    const data = async (url: string, ...args: string[]) =>
      JSON.parse((await tokenctl(url, ...args, "--json")).stdout);

    await using server = await startTokend(TOKEND, folder.path);
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
        `hint: When \`tokenctl health\` says ok, run \`tokenctl claim ${tokenMint}\` again: fees are paid only once\n`,
      exitCode: 6,
    });

    await using next = await startTokend(TOKEND, folder.path);
    const { stdout, stderr, exitCode } = await tokenctl(next.url, "claim", tokenMint);
    expect(exitCode).toBe(again.exitCode);
    expect(stdout + stderr).toStartWith(again.text);
    expect((await data(next.url, "fees")).claims).toMatchObject([
      { dbcClaimableFees: 0, dbcClaimedFees: 0.02, dbcTotalFees: 0.02 },
    ]);
  },
);
