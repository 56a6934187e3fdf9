import { expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { keypairSigner, TokenctlClient } from "../../sdk/src/index.ts";
import { openPostgresStore } from "../../server/src/store/postgres/store.ts";
import { describePostgres } from "../../server/src/testing/describe-postgres.ts";
import { insertToken } from "../../server/src/testing/launches.ts";
import { PATIENT, sharedPostgres } from "../../server/src/testing/postgres.ts";
import { Agent } from "../support/agent.ts";
import { pngImage } from "../support/images.ts";
import { run, startTokend, TOKEND, tempFolder } from "../support/processes.ts";

setDefaultTimeout(300_000);

const BASE = "https://metadata.example/tokens";

const exported = (cwd: string, env: Readonly<Record<string, string>>) =>
  run([...TOKEND, "metadata", "export", join(cwd, "out")], cwd, env);

test("a static file server of what was exported answers as the server does", async () => {
  using folder = tempFolder();
  const env = { METADATA_BASE_URL: `${BASE}/`, PUBLIC_URL: "http://127.0.0.1:8787" };
  await using server = await startTokend(TOKEND, folder.path, env);
  const agents = await Promise.all([Agent.signedIn(server), Agent.signedIn(server)]);
  const mints: string[] = [];
  for (const [index, agent] of agents.entries()) {
    const signer = keypairSigner(agent.keypair.secretKey);
    const client = new TokenctlClient({ apiUrl: server.url, signer });
    const { url } = await client.uploadImage(pngImage(index + 1, 1));
    expect(url).toStartWith(`${BASE}/images/`);
    await client.uploadImage(pngImage(9, 9));
    const { tokenMint } = await agent.launched(`COIN${index}`, { imageUrl: url });
    mints.push(tokenMint ?? "");
  }
  const env2 = { DATA_DIR: join(folder.path, "data") };
  const first = await exported(folder.path, env2);
  expect([first.exitCode, first.stderr]).toEqual([0, ""]);
  expect(first.stdout).toEndWith(": documents: 2, new images: 2\n");

  const files = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) =>
      new Response(Bun.file(join(folder.path, "out", new URL(request.url).pathname))),
  });
  try {
    for (const mint of mints) {
      const path = `/metadata/${mint}.json`;
      const [own, copy] = await Promise.all([
        fetch(server.url + path).then((answer) => answer.json()),
        fetch(files.url.origin + path).then((answer) => answer.json()),
      ]);
      expect(copy).toEqual(own);
      const image = (copy as { image: string }).image.slice(BASE.length);
      const [ownImage, copyOfImage] = await Promise.all([
        fetch(server.url + image),
        fetch(files.url.origin + image),
      ]);
      expect(copyOfImage.headers.get("content-type")).toBe("image/png");
      expect(await copyOfImage.bytes()).toEqual(await ownImage.bytes());
    }
  } finally {
    await files.stop(true);
  }
  // Nothing else is exported: no image without a token, no draft.
  expect(readdirSync(join(folder.path, "out", "images"))).toHaveLength(2);
  const again = await exported(folder.path, env2);
  expect(again.stdout).toEndWith(": documents: 2, new images: 0\n");
});

describePostgres("an export of a shared database", () => {
  test("writes the documents of all its tokens", async () => {
    using folder = tempFolder();
    const url = await (await sharedPostgres()).createDatabase();
    const store = await openPostgresStore(url, { timeouts: PATIENT });
    const temp = { store, clock: store.clock } as unknown as Parameters<typeof insertToken>[0];
    await insertToken(temp, "ONE", { wallet: "one" });
    await insertToken(temp, "TWO", { wallet: "two" });
    await store.close();
    const { exitCode, stdout } = await exported(folder.path, { DATABASE_URL: url });
    expect(exitCode).toBe(0);
    expect(stdout).toEndWith(": documents: 2, new images: 0\n");
    expect(readdirSync(join(folder.path, "out", "metadata")).toSorted()).toEqual([
      ...["mint-ONE.json", "mint-TWO.json"],
    ]);
  });
});
