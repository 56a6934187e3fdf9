import type { LaunchReport } from "../store/operator-reads.ts";
import { askServer } from "./admin/client.ts";
import { views } from "./admin/render.ts";
import { confirm } from "./confirm.ts";

interface Options {
  readonly json?: boolean;
}

interface ChangeOptions extends Options {
  readonly reason?: string;
}

type View = keyof typeof views;
type Given = Readonly<Record<string, unknown>>;

/** Prints the answer as JSON for programs, or as a view for people. */
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
  readonly address?: string;
  readonly network?: string;
  readonly since?: number;
  readonly yes?: boolean;
}

const SHOWN = 50;

export async function cancel(options: CancelOptions): Promise<void> {
  const { json = false, yes = false, reason = null, ...which } = options;
  if (Object.keys(which).length === 0) {
    throw new Error("Say which launches: --wallet, --address, --network or --since");
  }
  const waiting = { ...which, status: "pending", isUnsigned: true, limit: 10_000 };
  const { launches } = (await askServer("launches", waiting)) as {
    readonly launches: readonly LaunchReport[];
  };
  if (launches.length === 0) {
    return print({ cancelled: 0 }, { json }, () => "No launch that waits is one of these");
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
  // Spares launches that were accepted after the list was read: they were not shown.
  const until = Math.max(...launches.map(({ createdAt }) => createdAt));
  const answer = await askServer("cancel", { ...which, until, reason });
  const { cancelled } = answer as { readonly cancelled: number };
  print(answer, { json }, () => `${cancelled} launches are cancelled`);
}
