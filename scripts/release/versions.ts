import { join } from "node:path";
import { $ } from "bun";
import { mcpNameOf, NO_REPOSITORY, repositoryOf } from "./install-files.ts";

/** What must agree before a release. */
export interface ReleaseState {
  /** Versions by package name. */
  readonly versions: Readonly<Record<string, string>>;
  readonly changelog: string;
  /** Files of changesets that are not yet part of a version. */
  readonly changesets: readonly string[];
  /** Versions that have a tag `v<version>`. */
  readonly tagged: readonly string[];
  /** The commit of the tag `v<version>`; null if there is no such tag. */
  readonly taggedCommit: string | null;
  readonly head: string;
  /** Files that differ from the commit. */
  readonly changedFiles: readonly string[];
  /** Packages for npm that name no repository, which npm compares with where they were built. */
  readonly withoutRepository: readonly string[];
  /** For example `owner/name`. */
  readonly repository: string;
  /** By which the npm package proves to MCP's registry whose server it is. */
  readonly mcpName: string | null;
}

const packages = ["server", "sdk", "cli", "shared", "signers"];
const published = ["sdk", "cli"];
/** The changelog's section of the next version, until the release gives it its number. */
const UNRELEASED = "Unreleased";

export async function readReleaseState(root: string): Promise<ReleaseState> {
  const git = async (...args: string[]) => (await $`git -C ${root} ${args}`.text()).trim();
  const manifests = await Promise.all(
    packages.map((name) => Bun.file(join(root, name, "package.json")).json()),
  );
  const version: string = manifests[0].version;
  const changesets = new Bun.Glob("*.md").scan({ cwd: join(root, ".changeset") });
  const tag = await $`git -C ${root} rev-parse --verify --quiet ${`v${version}^{commit}`}`
    .nothrow()
    .text();
  return {
    versions: Object.fromEntries(manifests.map((manifest) => [manifest.name, manifest.version])),
    changelog: await Bun.file(join(root, "CHANGELOG.md")).text(),
    changesets: (await Array.fromAsync(changesets)).filter((name) => name !== "README.md"),
    tagged: (await git("tag")).match(/(?<=^v)\d+\.\d+\.\d+(?:-[\w.-]+)?$/gm) ?? [],
    taggedCommit: tag.trim() || null,
    head: await git("rev-parse", "HEAD"),
    changedFiles: (await git("status", "--porcelain")).split("\n").filter((line) => line !== ""),
    withoutRepository: published.filter(
      (_, i) => !manifests[packages.indexOf(published[i] ?? "")].repository,
    ),
    repository: repositoryOf(manifests[packages.indexOf("cli")]),
    mcpName: manifests[packages.indexOf("cli")].mcpName ?? null,
  };
}

/** @returns the version of all packages together; null if they differ */
export function versionOf({ versions }: ReleaseState): string | null {
  const [version, ...others] = new Set(Object.values(versions));
  return version !== undefined && others.length === 0 ? version : null;
}

/** @returns the changelog's text of a version, or else what is unreleased; null if it has neither */
export function changesOf(changelog: string, version: string): string | null {
  return sectionOf(changelog, version) ?? sectionOf(changelog, UNRELEASED);
}

/** @returns a section's text without its heading; null if there is none */
function sectionOf(changelog: string, name: string): string | null {
  const heading = new RegExp(`^## ${RegExp.escape(name)}(?: .*)?$`, "m").exec(changelog);
  if (!heading) return null;
  const rest = changelog.slice(heading.index + heading[0].length);
  return rest.split(/^## /m, 1)[0]?.trim() ?? null;
}

/** @returns the name of the changelog's first section; null if it has none */
function newestIn(changelog: string): string | null {
  return /^## (\S+)/m.exec(changelog)?.[1] ?? null;
}

/**
 * Compares versions, changelog and tag.
 *
 * @returns `errors` stop every release; `unfinished` is still to do and stops all but a rehearsal
 */
export function compareRelease(state: ReleaseState): { errors: string[]; unfinished: string[] } {
  const errors: string[] = [];
  const unfinished: string[] = [];
  const version = versionOf(state);
  if (version === null) {
    const list = Object.entries(state.versions).map(([name, of]) => `${name} ${of}`);
    return { errors: [`the packages' versions differ: ${list.join(", ")}`], unfinished };
  }
  const changes = changesOf(state.changelog, version);
  const newest = newestIn(state.changelog);
  const unnamed = newest === UNRELEASED && sectionOf(state.changelog, version) === null;
  if (changes === null) errors.push(`CHANGELOG.md has no section "## ${version}"`);
  else if (newest !== version && !unnamed) {
    errors.push(`CHANGELOG.md begins with ${newest}, the packages have ${version}`);
  } else if (changes === "") errors.push(`CHANGELOG.md says nothing about ${version}`);
  if (unnamed) unfinished.push(`CHANGELOG.md calls ${version} ${UNRELEASED}`);
  if (state.changesets.length > 0) {
    unfinished.push(`changesets wait for \`bun run version\`: ${state.changesets.join(", ")}`);
  }
  if (state.taggedCommit === null) unfinished.push(`there is no tag v${version}`);
  else if (state.taggedCommit !== state.head) errors.push(`v${version} tags another commit`);
  const later = state.tagged.filter((of) => Bun.semver.order(of, version) > 0);
  for (const of of later) errors.push(`the tag v${of} is of a later version than ${version}`);
  if (state.changedFiles.length > 0) {
    unfinished.push(`files differ from the commit: ${state.changedFiles.join(", ")}`);
  }
  for (const name of state.withoutRepository) {
    unfinished.push(`${name}/package.json names no repository, which npm's provenance needs`);
  }
  const mcpName = mcpNameOf(state.repository);
  if (state.repository !== NO_REPOSITORY && state.mcpName !== mcpName) {
    unfinished.push(`mcpName in cli/package.json must be ${mcpName}`);
  }
  return { errors, unfinished };
}
