import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventIdOf, tokensOf } from "./agents.ts";
import { dataFolder } from "./paths.ts";
import { agentOf } from "./seed.ts";

/** So many different requests take turns in a run. */
const REQUESTS = 1_000;

/** Numbers up to a limit in an order that looks random and is the same in every run. */
function scattered(limit: number): number[] {
  const count = Math.min(REQUESTS, limit);
  return Array.from({ length: count }, (_, index) => (index * 982_451_653) % limit);
}

/**
 * Writes the requests of a run for `get.lua`: status polls of launches all over the database.
 *
 * @param launches how many are seeded
 * @returns the file
 */
export async function statusRequests(launches: number): Promise<string> {
  const chosen = scattered(launches);
  const tokens = await tokensOf(chosen.map(agentOf));
  const lines = chosen.map(
    (launch, index) => `/api/v1/tokens/launch/status/${eventIdOf(launch)} ${tokens[index]}`,
  );
  return write("status.requests", lines);
}

/** Token lists of agents all over the database, for `get.lua`. */
export async function listRequests(launches: number): Promise<string> {
  const agents = scattered(agentOf(launches));
  const tokens = await tokensOf(agents);
  return write(
    "list.requests",
    tokens.map((token) => `/api/v1/tokens/ ${token}`),
  );
}

/** Bearer tokens of agents, for `launch.lua`. */
export async function launchTokens(agents: number): Promise<string> {
  return write("launch.tokens", await tokensOf(scattered(agents)));
}

function write(name: string, lines: readonly string[]): string {
  mkdirSync(dataFolder, { recursive: true });
  const path = join(dataFolder, name);
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}
