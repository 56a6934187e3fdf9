import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { benchFolder } from "./paths.ts";

/** Which peers can run here. */
export interface PeerPackages {
  readonly hono: boolean;
  readonly fastify: boolean;
  /** Why a peer is missing, for people. */
  readonly notices: readonly string[];
}

/**
 * Installs the peers' packages from their lockfile, unless they are installed. They are no part of the
 * workspace, so that a build of the service does not have to compile better-sqlite3.
 *
 * @param quick whether to leave out packages that may have to be compiled
 */
export async function installPeerPackages(quick: boolean): Promise<PeerPackages> {
  if (Bun.which("npm") === null) return missing("npm is not installed");
  const stamp = join(benchFolder, "node_modules", ".installed");
  const lock = readFileSync(join(benchFolder, "package-lock.json"), "utf8");
  const wanted = [lock, `${lock}quick`].slice(0, quick ? 2 : 1);
  if (!existsSync(stamp) || !wanted.includes(readFileSync(stamp, "utf8"))) {
    console.error(`installing the peers' packages${quick ? "" : "; some may take minutes"} …`);
    const child = Bun.spawn(
      ["npm", "ci", "--no-audit", "--no-fund", ...(quick ? ["--omit=optional"] : [])],
      { cwd: benchFolder, stdout: "ignore", stderr: "pipe" },
    );
    const errors = await new Response(child.stderr).text();
    if ((await child.exited) !== 0) return missing(`npm ci failed: ${errors.slice(-500)}`);
    writeFileSync(stamp, `${lock}${quick ? "quick" : ""}`);
  }
  const fastify = await runs("new (require('better-sqlite3'))(':memory:')");
  return {
    hono: true,
    fastify,
    notices: fastify ? [] : ["Fastify is left out: better-sqlite3 is not built here"],
  };
}

function missing(why: string): PeerPackages {
  return { hono: false, fastify: false, notices: [`Hono and Fastify are left out: ${why}`] };
}

async function runs(script: string): Promise<boolean> {
  const child = Bun.spawn(["node", "-e", script], {
    cwd: benchFolder,
    stdout: "ignore",
    stderr: "ignore",
  });
  return (await child.exited) === 0;
}
