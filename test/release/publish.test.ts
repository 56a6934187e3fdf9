import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import cli from "../../cli/package.json" with { type: "json" };
import sdk from "../../sdk/package.json" with { type: "json" };
import { succeed } from "../support/packages.ts";
import { ROOT, run, tempDir } from "../support/processes.ts";

const SCRIPT = join(ROOT, "scripts/release/publish-npm.sh");
const PACKAGES = { "@tokenctl/sdk": sdk, tokenctl: cli };
type Name = keyof typeof PACKAGES;
const NAMES: Name[] = ["@tokenctl/sdk", "tokenctl"];

test("a release that failed half-way is published by a second run, and never over another one", async () => {
  using folder = tempDir();
  const documents = new Map<string, unknown>();
  const published: string[] = [];
  const closed = new Set(["tokenctl"]);
  using registry = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const name = decodeURIComponent(new URL(request.url).pathname.slice(1));
      if (request.method === "GET") {
        const document = documents.get(name);
        return document ? Response.json(document) : Response.json({}, { status: 404 });
      }
      if (closed.has(name)) return Response.json({ error: "closed" }, { status: 403 });
      documents.set(name, await request.json());
      published.push(name);
      return Response.json({}, { status: 201 });
    },
  });
  writeFileSync(join(folder.path, ".npmrc"), `//${registry.url.host}/:_authToken=x\n`);
  const publish = async () => {
    const env = {
      HOME: folder.path,
      npm_config_registry: registry.url.href,
      npm_config_update_notifier: "false",
    };
    const { exitCode, stdout, stderr } = await run([SCRIPT, "release", "1.2.3"], folder.path, env);
    return { exitCode, said: stdout + stderr };
  };
  const pack = async (name: Name, text: string) => {
    const package_ = join(folder.path, "package");
    mkdirSync(package_, { recursive: true });
    const { publishConfig } = PACKAGES[name];
    const manifest = { name, version: "1.2.3", description: text, publishConfig };
    writeFileSync(join(package_, "package.json"), JSON.stringify(manifest));
    const file = `release/${name.replace("@", "").replace("/", "-")}-1.2.3.tgz`;
    mkdirSync(join(folder.path, "release"), { recursive: true });
    await succeed(["tar", "--create", "--gzip", "--file", file, "package"], folder.path);
  };

  for (const name of NAMES) await pack(name, "first");
  expect((await publish()).exitCode).toBeGreaterThan(0);
  expect(published).toEqual(["@tokenctl/sdk"]);
  closed.clear();
  expect(await publish()).toMatchObject({
    exitCode: 0,
    said: expect.stringContaining("npm has @tokenctl/sdk@1.2.3 already"),
  });
  expect(published).toEqual(NAMES);
  await pack("tokenctl", "second");
  const other = await publish();
  expect(other).toMatchObject({ exitCode: 1, said: expect.stringContaining("raise the version") });
  expect(published).toEqual(NAMES);
}, 120_000);
