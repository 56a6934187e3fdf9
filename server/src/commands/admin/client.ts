import { readdirSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { readStorageConfig } from "../../config/config.ts";

const SOCKET = /^admin(?:-\d+)?\.sock$/;

const MAX_ACTOR = 200;

/**
 * Sends a command to the server on DATA_DIR.
 * @throws {Error} if no server runs there, this user may not command it, or it refuses
 */
export async function askServer(
  command: string,
  given: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const { dataDir } = readStorageConfig(process.env);
  const sockets = socketsIn(dataDir);
  let problem: unknown = null;
  for (const socket of sockets) {
    try {
      return await ask(socket, { command, actor: actor(), ...given });
    } catch (error) {
      if (error instanceof RefusedCommand) throw new Error(error.message);
      problem = error;
    }
  }
  throw new Error(explain(dataDir, problem), { cause: problem });
}

class RefusedCommand extends Error {}

async function ask(unix: string, command: object): Promise<unknown> {
  const body = JSON.stringify(command);
  const response = await fetch("http://tokend", { unix, method: "POST", body });
  const answer: unknown = await response.json();
  if (response.ok) return answer;
  const isExplained = typeof answer === "object" && answer !== null && "error" in answer;
  throw new RefusedCommand(
    isExplained ? String(answer.error) : `The server answered ${response.status}`,
  );
}

/** Lists the sockets in a data folder. Any of them will do. */
function socketsIn(dataDir: string): string[] {
  try {
    const names = readdirSync(dataDir).filter((name) => SOCKET.test(name));
    return names.sort().map((name) => join(dataDir, name));
  } catch {
    return [];
  }
}

/** Returns who gives the command: only the server's own user and root can. */
function actor(): string {
  const { uid, username } = userInfo();
  // Bun takes the name from the environment, which anyone can set.
  const { exitCode, stdout } = Bun.spawnSync(["id", "-un"], { stderr: "ignore" });
  const name = exitCode === 0 ? stdout.toString().trim() : username;
  const by = process.env.SUDO_USER ? `, by sudo of ${process.env.SUDO_USER}` : "";
  return `uid ${uid} (${name}${by})`.slice(0, MAX_ACTOR);
}

function explain(dataDir: string, problem: unknown): string {
  const code = problem instanceof Error && "code" in problem ? problem.code : null;
  if (code === "EACCES" || code === "EPERM") {
    return `Only the user that the server runs as can command it: run this as that user (DATA_DIR=${dataDir})`;
  }
  return `No server runs on ${dataDir}: start it, or set DATA_DIR to the folder of one that runs`;
}
