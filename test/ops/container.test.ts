import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, chownSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { installBinaries } from "../support/binaries.ts";
import { succeed } from "../support/packages.ts";
import { ROOT, run, startProcess, tempDir } from "../support/processes.ts";
import { findTool } from "./tool.ts";

setDefaultTimeout(300_000);

const buildah = findTool("buildah");
const FILE = join(ROOT, "ops/container/Dockerfile");
const OWNER = 65532;
/** Where Docker's names differ from Node's. */
const ARCHITECTURES: Record<string, string> = { x64: "amd64" };

/** As an engine starts a container with a read-only root, one volume, and a `/tmp` that nothing can write. */
const CONTAINER = `set -e
root=$1 data=$2; shift 2
mount --bind "$root" "$root"
mount --bind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount --bind "$data" "$root/data"
mount -o remount,bind,ro "$root"
exec chroot --userspec=${OWNER}:${OWNER} "$root" "$@"`;

test("the image's base is pinned by digest, and no step of the build runs a program", async () => {
  const text = await Bun.file(FILE).text();
  const bases = text.match(/^FROM .*$/gm) ?? [];
  expect(bases).toEqual([expect.stringMatching(/^FROM \S+@sha256:[0-9a-f]{64}$/)]);
  expect(text).not.toMatch(/^RUN /m);
});

// No registry is asked: the base is what the program needs of this machine. It takes root to change root.
test.skipIf(buildah.isMissing || process.getuid?.() !== 0)(
  "the image runs without root and with a read-only root, and is healthy when it is ready",
  async () => {
    using folder = tempDir();
    const { tokend } = await installBinaries(folder.path);
    const architecture = ARCHITECTURES[process.arch] ?? process.arch;
    const base = join(folder.path, "base");
    for (const name of ["dev", "proc", "tmp"]) mkdirSync(join(base, name), { recursive: true });
    for (const file of await libraries(tokend)) copy(file, join(base, file));
    writeFileSync(join(folder.path, "Base"), "FROM scratch\nCOPY . /\n");
    const context = join(folder.path, "image");
    copy(tokend, join(context, architecture, "tokend"));
    mkdirSync(join(context, "data"), { mode: 0o700 });

    const stores = ["--root", join(folder.path, "store"), "--runroot", join(folder.path, "run")];
    const engine = (...args: string[]) =>
      succeed([buildah.path, "--storage-driver", "vfs", ...stores, ...args], folder.path);
    const build = ["build", "--isolation", "chroot", "--format", "docker", "--pull-never"];
    await engine(...build, "-t", "base", "-f", "Base", base);
    await engine(...build, "--from", "localhost/base", "-t", "tokend", "-f", FILE, context);
    const { Docker } = JSON.parse(await engine("inspect", "--type", "image", "localhost/tokend"));
    expect(Docker.config).toMatchObject({
      User: `${OWNER}:${OWNER}`,
      Entrypoint: ["tokend"],
      Cmd: ["serve"],
      Volumes: { "/data": {} },
      ExposedPorts: { "8787/tcp": {} },
      StopSignal: "SIGTERM",
      Healthcheck: { Test: ["CMD", "tokend", "healthcheck"] },
      Labels: { "org.opencontainers.image.licenses": "MIT" },
    });

    const container = (await engine("from", "--pull-never", "localhost/tokend")).trim();
    const root = (await engine("mount", container)).trim();
    const files = await succeed(["find", ".", "-type", "f", "-not", "-path", "./lib*"], root);
    expect(files).toBe("./usr/local/bin/tokend\n");
    const data = join(folder.path, "volume");
    mkdirSync(data, { mode: 0o700 });
    chownSync(data, OWNER, OWNER);
    const image = Object.fromEntries(Docker.config.Env.map((pair: string) => pair.split(/=(.*)/s)));
    const env = (PORT: string) => ({
      ...image,
      PATH: `${image.PATH}:${process.env.PATH}`,
      ALLOW_REMOTE_SANDBOX: "true",
      PORT,
    });
    const start = ["unshare", "--mount", "sh", "-c", CONTAINER, "sh", root, data];
    await using server = await startProcess(
      [...start, ...Docker.config.Entrypoint, ...Docker.config.Cmd],
      { cwd: folder.path, env: env("0"), ready: /"url":"(http[^"]+)"[^\n]*tokend listens/ },
    );
    expect(server.output()).not.toMatch(/"level":"(?:error|fatal)"/);
    const check = (port: string) =>
      run([...start, ...Docker.config.Healthcheck.Test.slice(1)], folder.path, env(port));
    expect(await check(new URL(server.url).port)).toMatchObject({ exitCode: 0, stdout: "ready\n" });
    expect(await check("1")).toMatchObject({ exitCode: 1 });
    expect(await server.end("SIGTERM")).toBe(0);
  },
);

/** @returns what the program needs of the system, its addon included */
async function libraries(program: string): Promise<Set<string>> {
  const addons = new Bun.Glob(`node_modules/.bun/litesvm-linux-${process.arch}-gnu@*/**/*.node`);
  const [addon = ""] = await Array.fromAsync(addons.scan({ cwd: ROOT, dot: true, absolute: true }));
  const needed = await succeed(["ldd", program, addon], ROOT);
  return new Set(needed.match(/\/lib\S+(?= \(0x)/g));
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
  chmodSync(to, 0o755);
}
