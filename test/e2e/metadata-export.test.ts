import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { CarReader } from "@ipld/car";
import { exporter, recursive } from "ipfs-unixfs-exporter";
import { keypairSigner, TokenctlClient } from "../../sdk/src/index.ts";
import { pinFolder } from "../../server/src/data/pin-folder.ts";
import { admin } from "../support/admin.ts";
import { Agent } from "../support/agent.ts";
import { pngImage } from "../support/images.ts";
import { run, TOKEND, tempDir } from "../support/processes.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";

setDefaultTimeout(300_000);

const BASE = "https://metadata.example/tokens";
const PIN_TOKEN = "hush-hush";

const exported = (cwd: string, env: Readonly<Record<string, string>>) =>
  run([...TOKEND, "metadata", "export", join(cwd, "out")], cwd, env);

/** Launches a token with an image, beside one that no token has. @returns its mint */
async function launch(server: TestServer, ticker: string, image: Uint8Array): Promise<string> {
  const agent = await Agent.signedIn(server);
  const signer = keypairSigner(agent.keypair.secretKey);
  const client = new TokenctlClient({ apiUrl: server.url, signer });
  const { url } = await client.uploadImage(image);
  expect(url).toStartWith(`${BASE}/images/`);
  await client.uploadImage(pngImage(9, 9));
  const { tokenMint } = await agent.launched(ticker, { imageUrl: url });
  return tokenMint ?? "";
}

test("a static file server of what was exported answers as the server does", async () => {
  using folder = tempDir();
  const env = { METADATA_BASE_URL: `${BASE}/`, PUBLIC_URL: "http://127.0.0.1:8787" };
  await using server = await startTestServer(env);
  const mints = [
    await launch(server, "ONE", pngImage(1, 1)),
    await launch(server, "TWO", pngImage(2, 1)),
  ];
  const data = { DATA_DIR: server.config.dataDir };
  const first = await exported(folder.path, data);
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
  const again = await exported(folder.path, data);
  expect(again.stdout).toEndWith(": documents: 2, new images: 0\n");
});

test("an export takes away the images of hidden tokens that an earlier one wrote, and nothing else", async () => {
  using folder = tempDir();
  await using server = await startTestServer({ METADATA_BASE_URL: BASE });
  const { dataDir } = server.config;
  const hidden = await launch(server, "HIDDEN", pngImage(1, 1));
  await launch(server, "SHOWN", pngImage(2, 1));
  await exported(folder.path, { DATA_DIR: dataDir });
  const [images, documents] = [join(folder.path, "out/images"), join(folder.path, "out/metadata")];
  writeFileSync(join(images, "own.png"), "another's");
  const before = readdirSync(images);
  await admin(dataDir, "hide", hidden, "--reason", "asked by mail");
  const { exitCode, stdout } = await exported(folder.path, { DATA_DIR: dataDir });
  expect([exitCode, stdout.split(": ").slice(1).join(": ")]).toEqual([
    0,
    "documents: 2, new images: 0\n",
  ]);
  const after = readdirSync(images);
  expect(before).toHaveLength(3);
  expect(after).toHaveLength(2);
  expect(after).toContain("own.png");
  const shown = readdirSync(documents).map((name) =>
    JSON.parse(readFileSync(join(documents, name), "utf8")),
  );
  const named = shown.flatMap(({ image }) => (image ? [basename(image)] : []));
  expect(after.filter((name) => name !== "own.png")).toEqual(named);
});

describe("pinned on IPFS", () => {
  /** A service with Kubo's RPC: it hashes each block, and reads the files from the root that it was named. */
  function serveKubo(rename = (cid: string) => cid) {
    const files = new Map<string, Uint8Array>();
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      async fetch(request) {
        const { pathname, search } = new URL(request.url);
        expect([request.method, pathname + search]).toEqual([
          "POST",
          "/api/v0/dag/import?pin-roots=true",
        ]);
        if (request.headers.get("authorization") !== `Bearer ${PIN_TOKEN}`) {
          return new Response("no", { status: 401 });
        }
        const sent = (await request.formData()).get("file") as Blob;
        const car = await CarReader.fromBytes(await sent.bytes());
        const blocks = new Map<string, Uint8Array>();
        for await (const { cid, bytes } of car.blocks()) {
          expect(Buffer.from(cid.multihash.digest)).toEqual(
            createHash("sha256").update(bytes).digest(),
          );
          blocks.set(String(cid), bytes);
        }
        const [root] = await car.getRoots();
        if (root === undefined) throw new Error("it has no root");
        const store = {
          async *get(cid: unknown) {
            yield blocks.get(String(cid)) as Uint8Array;
          },
        };
        for await (const { cid, path } of recursive(root, store as never)) {
          const entry = await exporter(cid, store as never);
          if (entry.type !== "file" && entry.type !== "raw") continue;
          const parts: Uint8Array[] = await Array.fromAsync(entry.content());
          files.set(path.replace(String(root), ""), Buffer.concat(parts));
        }
        const pinned = { Root: { Cid: { "/": rename(String(root)) }, PinErrorMsg: "" } };
        return new Response(`${JSON.stringify(pinned)}\n`);
      },
    });
    return { files, url: server.url.origin, [Symbol.asyncDispose]: () => server.stop(true) };
  }

  test("is what an export writes, under the CID that the service computes too", async () => {
    using folder = tempDir();
    await using server = await startTestServer({ METADATA_BASE_URL: BASE });
    await launch(server, "PINNED", pngImage(3, 1));
    const env = { DATA_DIR: server.config.dataDir, METADATA_BASE_URL: BASE };
    await exported(folder.path, env);
    const out = join(folder.path, "out");
    const pin = (url: string) =>
      run([...TOKEND, "metadata", "pin", url], folder.path, { ...env, PIN_TOKEN });

    await using kubo = serveKubo();
    const { exitCode, stdout, stderr } = await pin(kubo.url);
    expect([exitCode, stderr]).toEqual([0, ""]);
    const [, cid = ""] = /^Pinned ipfs:\/\/(baf\w+): documents: 1, images: 1$/m.exec(stdout) ?? [];
    expect(stdout).toContain(`METADATA_BASE_URL=${BASE} serves`);
    expect(stdout).toContain(`_dnslink.metadata.example TXT "dnslink=/ipfs/${cid}"`);
    const written = readdirSync(out, { recursive: true, withFileTypes: true }).filter((one) =>
      one.isFile(),
    );
    expect(kubo.files.size).toBe(written.length);
    for (const { parentPath, name } of written) {
      const path = join(parentPath, name);
      const pinned = kubo.files.get(new URL(BASE).pathname + path.slice(out.length));
      expect(Buffer.from(pinned ?? [])).toEqual(readFileSync(path));
    }

    const changed = (real: string) => `${real.slice(0, -1)}${real.endsWith("a") ? "b" : "a"}`;
    await using liar = serveKubo(changed);
    const pinned = (endpoint: string, token = PIN_TOKEN) =>
      pinFolder(out, { endpoint, token, path: new URL(BASE).pathname });
    await expect(pinned(liar.url)).rejects.toThrow(`did not pin ${cid} (HTTP 200)`);
    await expect(pinned(kubo.url, "another")).rejects.toThrow(`did not pin ${cid} (HTTP 401)`);
    await expect(pinned("http://kubo.invalid")).rejects.toThrow("cannot be reached (");
    expect((await pin("kubo")).stderr).toContain("It is not an http or https URL.");
  });
});
