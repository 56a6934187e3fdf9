import { userInfo } from "node:os";
import { dataFiles, readStorageConfig } from "../config/config.ts";
import type { LaunchReport } from "../store/operator.ts";
import { views } from "./admin/render.ts";
import { confirm } from "./terminal.ts";

interface Options {
  readonly json?: boolean;
}

interface ChangeOptions extends Options {
  readonly reason?: string;
}

type View = keyof typeof views;
type Given = Readonly<Record<string, unknown>>;

export async function read(view: View, options: Options, given: Given = {}): Promise<void> {
  print(await askServer(view, given), options, views[view]);
}

export async function change(
  command: string,
  options: ChangeOptions,
  given: Given,
  done?: string,
): Promise<void> {
  const answer = await askServer(command, { ...given, reason: options.reason ?? null });
  print(answer, options, done === undefined ? views[command as View] : () => done);
}

function print(answer: unknown, { json = false }: Options, forPeople: (answer: never) => string) {
  console.log(json ? JSON.stringify(answer, null, 2) : forPeople(answer as never));
}

interface CancelOptions extends ChangeOptions {
  readonly wallet?: string;
  readonly network?: string;
  readonly yes?: boolean;
}

const SHOWN = 50;
const MOST_AT_ONCE = 10_000;

export async function cancel(options: CancelOptions): Promise<void> {
  const { json = false, yes = false, reason = null, ...which } = options;
  if (Object.keys(which).length === 0) throw new Error("Say which launches: --wallet or --network");
  const waiting = { ...which, status: "pending", isUnsigned: true, limit: MOST_AT_ONCE };
  const { launches } = (await askServer("launches", waiting)) as {
    readonly launches: readonly LaunchReport[];
  };
  if (launches.length === 0) {
    return print({ cancelled: 0 }, { json }, () => "No waiting launch matches");
  }
  if (!yes) {
    console.error(views.launches({ launches: launches.slice(0, SHOWN) }));
    if (launches.length > SHOWN) console.error(`and ${launches.length - SHOWN} more`);
    const question = `Cancel ${launches.length} launches?`;
    if (!process.stdin.isTTY) {
      throw new Error(`${question} Nothing was cancelled: repeat it with --yes`);
    }
    await confirm(question, "Nothing was cancelled");
  }
  const eventIds = launches.map(({ eventId }) => eventId);
  const answer = await askServer("cancel", { ...which, eventIds, reason });
  const rest = launches.length < MOST_AT_ONCE ? "" : "; repeat it for the rest";
  print(answer, { json }, ({ cancelled }) => `${cancelled} launches are cancelled${rest}`);
}

const MAX_ACTOR = 200;

/**
 * Sends a command to the server on DATA_DIR.
 * @throws {Error} if no server runs there, this user may not command it, or it refuses
 */
async function askServer(command: string, given: Given): Promise<unknown> {
  const { dataDir } = readStorageConfig(process.env);
  const body = JSON.stringify({ command, actor: actor(), ...given });
  const unix = dataFiles(dataDir).adminSocket;
  const response = await fetch("http://tokend", { unix, method: "POST", body }).catch((cause) => {
    const isRefused = cause instanceof Error && "code" in cause && cause.code === "EACCES";
    const text = isRefused
      ? `Only the user that the server runs as can command it: run this as that user (DATA_DIR=${dataDir})`
      : `No server runs on ${dataDir}: start it, or set DATA_DIR to the folder of one that runs`;
    throw new Error(text, { cause });
  });
  const answer = (await response.json()) as { readonly error?: unknown };
  if (response.ok) return answer;
  throw new Error(String(answer.error ?? `The server answered ${response.status}`));
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
