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
    # Homebrew downloads it as 0644, and makes it executable only after this.
    chmod 0555, bin/"tokenctl"
    generate_completions_from_executable(bin/"tokenctl", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/tokenctl --version")
  end
end
`;
}

/** What a package has of `ops/`, and which folder it makes. */
const DEBIAN = {
  tokend: {
    description: "Token launch service for autonomous agents on Solana",
    units: ["tokend.service", "tokend-backup.service", "tokend-backup.timer"],
    scripts: ["tokend-operator", "tokend-backup"],
    example: "tokend.env.example",
    folder: "etc/tokend",
  },
  "launch-signer": {
    description: "Signs for the launch wallet of tokend",
    units: ["launch-signer.service"],
  },
  tokenctl: { description: "Launch tokens on Solana and claim their fees" },
} as const;

interface Parts {
  readonly description: string;
  readonly units?: readonly string[];
  readonly scripts?: readonly string[];
  readonly example?: string;
  readonly folder?: string;
}

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
  for (const [program, parts] of Object.entries<Parts>(DEBIAN)) {
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
      const { units = [], scripts = [], example, folder: made } = parts;
      for (const file of [...units, ...scripts]) {
        const isUnit = units.includes(file);
        const text = await Bun.file(join(root, "ops/systemd", file)).text();
        const path = join(tree, isUnit ? "lib/systemd/system" : "usr/bin", file);
        await Bun.write(path, text.replaceAll("/usr/local/bin/", "/usr/bin/"));
        await chmod(path, isUnit ? 0o644 : 0o755);
      }
      if (example)
        await put(join(root, "ops", example), `usr/share/doc/${program}/${example}`, 0o644);
      if (made) {
        await mkdir(join(tree, made), { recursive: true, mode: 0o755 });
        await chmod(join(tree, made), 0o700);
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
Description: ${parts.description}
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
