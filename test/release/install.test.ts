import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import manifest from "../../cli/package.json" with { type: "json" };
import { PROGRAMS } from "../../scripts/compile.ts";
import { targets } from "../../scripts/release/binaries.ts";
import {
  debianPackages,
  formula,
  mcpNameOf,
  repositoryOf,
  serverJson,
} from "../../scripts/release/install-files.ts";
import { installBinaries } from "../support/binaries.ts";
import { ROOT, run, tempDir } from "../support/processes.ts";
import schema from "./mcp-server.schema.json" with { type: "json" };

setDefaultTimeout(300_000);

const folder = tempDir();
const repository = "owner/name";
const here = `${process.platform}-${process.arch}`;
const target = targets.find(({ name }) => name === here);
const file = `tokenctl-${here}`;
/** A release whose programs are scripts, which are downloaded, packed and read in no time. */
const small = join(folder.path, "small");
let releases: ReturnType<typeof Bun.serve>;

async function writeSums(release: string, ...names: string[]): Promise<void> {
  const lines = names.map(async (name) => {
    const bytes = await Bun.file(join(release, name)).bytes();
    return `${new Bun.CryptoHasher("sha256").update(bytes).digest("hex")}  ${name}\n`;
  });
  writeFileSync(join(release, "SHA256SUMS"), (await Promise.all(lines)).join(""));
}

beforeAll(async () => {
  await installBinaries(folder.path);
  for (const program of PROGRAMS) {
    renameSync(join(folder.path, program), join(folder.path, `${program}-${here}`));
  }
  mkdirSync(small);
  for (const program of PROGRAMS) {
    const script = '#!/bin/sh\necho "a stand-in for $*"\n';
    writeFileSync(join(small, `${program}-${here}`), script, { mode: 0o755 });
  }
  releases = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch({ url }) {
      const release = url.includes("/small/") ? small : folder.path;
      return new Response(Bun.file(join(release, url.split("/").at(-1) ?? "")));
    },
  });
  const script = await Bun.file(join(ROOT, "ops/install/install.sh")).text();
  writeFileSync(join(folder.path, "install.sh"), script.replace("@REPOSITORY@", repository));
});

afterAll(async () => {
  await releases?.stop(true);
  folder[Symbol.dispose]();
});

/** Installs from the small release. */
function install(args: string[] = [], more: Record<string, string> = {}) {
  const env = { PREFIX: folder.path, RELEASES: `${releases.url.href}small`, HOME: folder.path };
  return run(["sh", join(folder.path, "install.sh"), ...args], folder.path, { ...env, ...more });
}

test.skipIf(!target)("install.sh installs nothing with a wrong checksum or name", async () => {
  const program = join(folder.path, "bin/tokenctl");
  const other = `${"0".repeat(64)}  tokend-${here}\n`;
  writeFileSync(join(small, "SHA256SUMS"), other.replace("tokend", "tokenctl"));
  const wrong = await install();
  expect(wrong).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("checksum") });
  expect(existsSync(program)).toBeFalse();
  await writeSums(small, file);
  appendFileSync(join(small, "SHA256SUMS"), other);
  const installed = await install(["tokenctl", "0.1.0"]);
  expect(installed).toMatchObject({ exitCode: 0, stderr: "" });
  expect(installed.stdout).toContain(`installed ${program}: a stand-in for licenses\n`);
  expect(await install(["rm"])).toMatchObject({ exitCode: 1 });
});

test.skipIf(!target)(
  "a disk that is full during install.sh leaves the installed program",
  async () => {
    const [path, program] = [join(folder.path, "mv-bin"), join(folder.path, "bin/tokenctl")];
    for (const made of [path, dirname(program)]) mkdirSync(made, { recursive: true });
    await writeSums(small, file);
    // What mv does between two disks, the second full: it removes the old file, then copies a part.
    const script = `#!/bin/sh
[ "$(stat -c %d "$1")" = "$(stat -c %d "$(dirname "$2")")" ] && exec /bin/mv "$@"
rm -f "$2"; head -c 1 "$1" >"$2"; exit 1\n`;
    writeFileSync(join(path, "mv"), script, { mode: 0o755 });
    writeFileSync(program, "the old one");
    const more = { PATH: `${path}:${process.env.PATH}`, TMPDIR: "/dev/shm" };
    expect(await install([], more)).toMatchObject({ exitCode: 0, stderr: "" });
    expect(readFileSync(program, "utf8")).toContain("a stand-in");
    expect(readdirSync(dirname(program))).toEqual(["tokenctl"]);
  },
);

test.skipIf(!target)("the commands of the README install programs that run", async () => {
  await writeSums(folder.path, file, `tokend-${here}`);
  const readme = await Bun.file(join(ROOT, "README.md")).text();
  const [, block = ""] = /^```sh\n(curl .*?)^```$/ms.exec(readme) ?? [];
  const from = releases.url.href.replace(/\/$/, "");
  const lines = block.replaceAll("https://github.com/OWNER/NAME/releases", from);
  const empty = join(folder.path, "empty");
  mkdirSync(empty);
  const printed = await run(["sh", "-euc", lines], empty, { HOME: empty, RELEASES: from });
  expect(printed).toMatchObject({ exitCode: 0, stderr: "" });
  for (const name of ["tokend", "tokenctl"]) {
    const program = join(empty, ".local/bin", name);
    expect(printed.stdout).toContain(`installed ${program}: ${name} ${manifest.version} (MIT)\n`);
  }
});

test.skipIf(!target)(
  "install.sh verifies the attestation by a gh that can, and installs beside an older one",
  async () => {
    const path = join(folder.path, "gh-bin");
    mkdirSync(path);
    await writeSums(small, file);
    const installBeside = async (known: string) => {
      const script = `#!/bin/sh\ncase "$*" in ${known}) ;; *) exit 1 ;; esac\n`;
      writeFileSync(join(path, "gh"), script, { mode: 0o755 });
      return install([], { PATH: `${path}:${process.env.PATH}` });
    };
    const old = await installBeside('"auth status"');
    expect(old).toMatchObject({ exitCode: 0, stderr: "" });
    expect(old.stdout).not.toContain("is attested");
    const refused = await installBeside('"auth status" | "attestation --help"');
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("not attested") });
    const verified = await installBeside('"auth status" | "attestation "*');
    expect(verified).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(`${file} is attested by ${repository}\n`),
    });
  },
);

test.skipIf(target?.os !== "linux" || Bun.which("dpkg") === null)(
  "the Debian packages install programs that run, units, and no script of their own",
  async () => {
    if (!target) return;
    const version = "1.2.3";
    const names = await debianPackages(target, { root: ROOT, folder: small, version });
    const root = join(folder.path, "root");
    for (const name of names) {
      const deb = join(small, name);
      const control = await run(["dpkg-deb", "--ctrl-tarfile", deb], folder.path);
      expect(control.stdout).not.toMatch(/\.\/(?:pre|post)(?:inst|rm)/);
      const { stdout: contents } = await run(["dpkg-deb", "--contents", deb], folder.path);
      expect(contents.split("\n").filter((line) => /^drwx------/.test(line))).toEqual(
        name.startsWith("tokend_") ? [expect.stringMatching(/ \.\/etc\/tokend\/$/)] : [],
      );
    }
    const database = join(root, "var/lib/dpkg");
    for (const made of ["info", "updates", "triggers"]) {
      mkdirSync(join(database, made), { recursive: true });
    }
    writeFileSync(join(database, "status"), "");
    // The root has no libc6, and a machine's own settings may leave out /usr/share/doc.
    const force = "--force-depends,not-root,bad-path,unsafe-io";
    const options = [`--log=${root}/log`, "--path-include=/usr/share/doc/*"];
    const dpkg = ["dpkg", `--root=${root}`, force, ...options];
    const installed = await run([...dpkg, "--install", ...names], small);
    expect(installed).toMatchObject({ exitCode: 0 });
    const status = await Bun.file(join(database, "status")).text();
    expect(status.match(/^Status: install ok installed$/gm)).toHaveLength(PROGRAMS.length);
    for (const name of names) {
      const program = join(root, "usr/bin", name.split("_")[0] ?? "");
      const { stdout } = await run([program, "licenses"], folder.path);
      expect(stdout).toBe("a stand-in for licenses\n");
    }
    expect(names).toHaveLength(PROGRAMS.length);
    const unit = await Bun.file(join(root, "lib/systemd/system/tokend.service")).text();
    expect(unit).toContain("ExecStart=/usr/bin/tokend serve");
    const signer = await Bun.file(join(root, "lib/systemd/system/launch-signer.service")).text();
    expect(signer).toContain("ExecStart=/usr/bin/launch-signer ");
    const operator = await Bun.file(join(root, "usr/bin/tokend-operator")).text();
    expect(operator).toContain('exec /usr/bin/tokend "$@"');
    const timer = await Bun.file(join(root, "lib/systemd/system/tokend-backup.timer")).text();
    expect(timer).toContain("OnCalendar=");
    const service = await Bun.file(join(root, "lib/systemd/system/tokend-backup.service")).text();
    const [, script = ""] = /^ExecStart=(\S+)/m.exec(service) ?? [];
    const modes = [script, "etc/tokend", "usr/share/doc/tokend/tokend.env.example"].map(
      (path) => statSync(join(root, path)).mode & 0o777,
    );
    expect(modes).toEqual([0o755, 0o700, 0o644]);
  },
);

test("formula and registry entry name the release's files, checksums and package", async () => {
  const names = targets.map(({ name }) => `tokenctl-${name}`);
  const sums = new Map(names.map((name, index) => [name, String(index).repeat(64)]));
  const text = formula("1.2.3", repository, sums);
  for (const [name, sum] of sums) {
    expect(text).toContain(
      `${repository}/releases/download/v1.2.3/${name}"\n      sha256 "${sum}"`,
    );
  }
  expect(text).toMatch(/chmod 0555, bin\/"tokenctl"\n +generate_completions/);
  expect(() => formula("1.2.3", repository, new Map())).toThrow(
    "there is no checksum of tokenctl-",
  );
  const url = "git+https://github.com/owner/name.git";
  expect(repositoryOf({ repository: { url } })).toBe(repository);
  const entry = serverJson({ ...manifest, repository: { url } });
  const isValid = addFormats(new Ajv()).compile(schema);
  expect([isValid(entry), isValid.errors]).toEqual([true, null]);
  expect(isValid({ ...entry, name: "tokenctl" })).toBe(false);
  expect(entry).toMatchObject({
    $schema: schema.$id,
    name: mcpNameOf(repository),
    version: manifest.version,
    packages: [{ identifier: manifest.name, version: manifest.version }],
  });
});
