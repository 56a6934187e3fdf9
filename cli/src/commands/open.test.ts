import { expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runAgainst, serveApi } from "../testing/api.ts";
import { run, tempDir, temporaryWallet } from "../testing/cli.ts";
import { MINT, tokenRecord } from "../testing/records.ts";

const answer = () => "";

test("open prints the token's page and opens it in the browser", async () => {
  await using api = serveApi({ "GET /api/v1/tokens/": () => ({ tokens: [token(MINT)] }) });
  using wallet = temporaryWallet();
  using folder = tempDir();
  const opened = join(folder.path, "opened");
  const program = join(folder.path, "xdg-open");
  // The pipe lets the test wait for it.
  expect(await Bun.spawn(["mkfifo", opened]).exited).toBe(0);
  writeFileSync(program, `#!/bin/sh\nprintf %s "$*" > ${opened}\n`);
  chmodSync(program, 0o755);
  const args = ["open", "mine", "--api-url", api.url, "-k", wallet.keypair];
  const env = { PATH: `${folder.path}:/usr/bin:/bin` };
  const [{ stdout, exitCode }, page] = await Promise.all([
    run(args, { env, answer }),
    Bun.file(opened).text(),
  ]);
  const url = `${api.url}/t/${MINT}`;
  expect({ stdout, exitCode, page }).toEqual({ stdout: `${url}\n`, exitCode: 0, page: url });
});

test("open only prints without a browser, in scripts and with --json", async () => {
  using wallet = temporaryWallet();
  using folder = tempDir();
  const args = ["open", MINT, "--api-url", "http://127.0.0.1:1", "-k", wallet.keypair];
  const url = `http://127.0.0.1:1/t/${MINT}`;
  const env = { PATH: folder.path };
  for (const options of [{ env, answer }, { env }]) {
    const done = await run(args, options);
    expect(done).toEqual({ stdout: `${url}\n`, stderr: "", exitCode: 0 });
  }
  const json = await run([...args, "--json"], { env, answer });
  expect(JSON.parse(json.stdout)).toEqual({ url });
});

test("open hands no text of a server to a browser that is no address", async () => {
  const routes = { "GET /api/v1/tokens/": () => ({ tokens: [token("../x&y")] }) };
  const done = await runAgainst(routes, ["open", "MINE"]);
  expect(done).toMatchObject({ stdout: "", exitCode: 1 });
});

const token = (tokenMint: string) => tokenRecord({ tokenMint });
