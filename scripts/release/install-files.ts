/** What installs a release beside npm: `install.sh`, a Homebrew formula, Debian packages, and MCP's `server.json`. */
import { chmod, cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import type { Target } from "./binaries.ts";

/** Stands for the repository until the packages name it. */
export const NO_REPOSITORY = "OWNER/NAME";

/** The npm package whose server a model uses. */
interface CliManifest {
  readonly version: string;
  readonly description: string;
  readonly repository?: { readonly url: string };
}

/** @returns for example `owner/name`, as `repository` of a package says */
export function repositoryOf({ repository }: Pick<CliManifest, "repository">): string {
  return (
    /github\.com[/:]([\w.-]+\/[\w.-]+?)(?:\.git)?$/.exec(repository?.url ?? "")?.[1] ??
    NO_REPOSITORY
  );
}

/** @returns the name under which MCP's registry knows the server, which `mcpName` in the npm package proves */
export function mcpNameOf(repository: string): string {
  return `io.github.${repository.split("/")[0]}/tokenctl`;
}

/** MCP's registry entry (schema of 2025-12-11). */
export function serverJson({ version, description, repository }: CliManifest): object {
  const slug = repositoryOf({ ...(repository && { repository }) });
  const setting = (name: string, text: string, more = {}) => ({ name, description: text, ...more });
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: mcpNameOf(slug),
    title: "tokenctl",
    description: description.slice(0, 100),
    version,
    repository: { url: `https://github.com/${slug}`, source: "github", subfolder: "cli" },
    packages: [
      {
        registryType: "npm",
        registryBaseUrl: "https://registry.npmjs.org",
        identifier: "tokenctl",
        version,
        runtimeHint: "npx",
        transport: { type: "stdio" },
        packageArguments: [{ type: "positional", value: "mcp" }],
        environmentVariables: [
          setting("TOKENCTL_API_URL", "The launch service", { isRequired: true, format: "string" }),
          setting("TOKENCTL_KEYPAIR", "The wallet's keypair file, which stays on this machine", {
            format: "filepath",
            default: "~/.config/solana/id.json",
          }),
        ],
      },
    ],
  };
}

/** @param checksums by file name, as `SHA256SUMS` has them */
export function formula(
  version: string,
  repository: string,
  checksums: ReadonlyMap<string, string>,
): string {
  const from = `https://github.com/${repository}/releases/download/v${version}`;
  const part = (os: "macos" | "linux", cpu: "arm" | "intel") => {
    const file = `tokenctl-${os === "macos" ? "darwin" : "linux"}-${cpu === "arm" ? "arm64" : "x64"}`;
    const sum = checksums.get(file);
    if (sum === undefined) throw new Error(`there is no checksum of ${file}`);
    return `  on_${os} do\n    on_${cpu} do\n      url "${from}/${file}"\n      sha256 "${sum}"\n    end\n  end\n`;
  };
  return `class Tokenctl < Formula
  desc "Launch tokens on Solana from a terminal, watch their fees and claim them"
  homepage "https://github.com/${repository}"
  version "${version}"
  license "MIT"

${part("macos", "arm")}${part("macos", "intel")}${part("linux", "arm")}${part("linux", "intel")}
  def install
    bin.install Dir["tokenctl-*"].first => "tokenctl"
    generate_completions_from_executable(bin/"tokenctl", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/tokenctl --version")
  end
end
`;
}

/** What of `ops/systemd/` a package has, and where. */
const SYSTEMD = [
  ["tokend.service", "lib/systemd/system", 0o644],
  ["tokend-backup.service", "lib/systemd/system", 0o644],
  ["tokend-backup.timer", "lib/systemd/system", 0o644],
  ["tokend-operator", "usr/bin", 0o755],
  ["tokend-backup", "usr/bin", 0o755],
] as const;

const ARCHITECTURES = { x64: "amd64", arm64: "arm64" } as const;

/**
 * Packs the binaries of a Linux target for Debian. The unit makes its own user and folders, so no script runs as
 * root. @returns the packages' names
 */
export async function debianPackages(
  target: Pick<Target, "name" | "cpu">,
  {
    root,
    folder,
    version,
  }: { readonly root: string; readonly folder: string; readonly version: string },
): Promise<string[]> {
  const architecture = ARCHITECTURES[target.cpu as keyof typeof ARCHITECTURES];
  const names: string[] = [];
  for (const program of ["tokend", "tokenctl"]) {
    const tree = await mkdtemp(join(tmpdir(), "release-deb-"));
    try {
      await chmod(tree, 0o755);
      const put = async (from: string, to: string, mode: number) => {
        await mkdir(join(tree, to, ".."), { recursive: true, mode: 0o755 });
        await cp(from, join(tree, to));
        await chmod(join(tree, to), mode);
      };
      await put(join(folder, `${program}-${target.name}`), `usr/bin/${program}`, 0o755);
      await put(join(root, "LICENSE"), `usr/share/doc/${program}/copyright`, 0o644);
      if (program === "tokend") {
        for (const [file, to, mode] of SYSTEMD) {
          const text = await Bun.file(join(root, "ops/systemd", file)).text();
          const path = join(tree, to, file);
          await Bun.write(path, text.replaceAll("/usr/local/bin/tokend", "/usr/bin/tokend"));
          await chmod(path, mode);
        }
        const example = "usr/share/doc/tokend/tokend.env.example";
        await put(join(root, "ops/tokend.env.example"), example, 0o644);
        await mkdir(join(tree, "etc/tokend"), { recursive: true, mode: 0o700 });
      }
      const size = await $`du -sk ${tree}`.text();
      await Bun.write(
        join(tree, "DEBIAN/control"),
        `Package: ${program}
Version: ${version}
Architecture: ${architecture}
Maintainer: The maintainers of ${program}
Installed-Size: ${Number.parseInt(size, 10)}
Depends: libc6 (>= 2.31)
Section: net
Priority: optional
Description: ${program === "tokend" ? "Token launch service for autonomous agents on Solana" : "Launch tokens on Solana and claim their fees"}
`,
      );
      const name = `${program}_${version}_${architecture}.deb`;
      await $`dpkg-deb --root-owner-group -Zzstd --build ${tree} ${join(folder, name)}`.quiet();
      names.push(name);
    } finally {
      await rm(tree, { recursive: true, force: true });
    }
  }
  return names;
}
