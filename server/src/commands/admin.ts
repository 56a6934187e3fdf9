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

export async function read(path: string, options: Options, view: View): Promise<void> {
  print(await askServer(path), options, views[view]);
}

interface Change {
  readonly body?: Readonly<Record<string, unknown>>;
  readonly done: string | { readonly view: View };
}

export async function change(
  path: string,
  options: ChangeOptions,
  { body, done }: Change,
): Promise<void> {
  const answer = await askServer(path, { ...body, reason: options.reason ?? null });
  print(answer, options, typeof done === "string" ? () => done : views[done.view]);
}

function print(answer: unknown, { json = false }: Options, forPeople: (answer: never) => string) {
  console.log(json ? JSON.stringify(answer, null, 2) : forPeople(answer as never));
}

interface CancelOptions extends ChangeOptions {
  readonly wallet?: string;
  readonly address?: string;
  readonly network?: string;
  /** Milliseconds since the Unix epoch. */
  readonly since?: number;
  readonly yes?: boolean;
}

const SHOWN = 50;

export async function cancel(options: CancelOptions): Promise<void> {
  const { wallet, address, network, since = null, yes = false, reason = null } = options;
  const named = Object.entries({ wallet, address, network }).filter(([, value]) => value);
  if (named.length === 0 && since === null) {
    throw new Error("Say which launches: --wallet, --address, --network or --since");
  }
  const query = new URLSearchParams({
    ...Object.fromEntries(named),
    ...(since !== null && { since: String(since) }),
    status: "pending",
    unsigned: "true",
    limit: "10000",
  });
  const { launches } = (await askServer(`/launches?${query}`)) as {
    readonly launches: readonly LaunchReport[];
  };
  if (launches.length === 0) {
    return print({ cancelled: 0 }, options, () => "No launch that waits is one of these");
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
  // What was accepted after the look was not shown.
  const until = Math.max(...launches.map(({ createdAt }) => createdAt));
  const which = { ...Object.fromEntries(named), since, until };
  const answer = await askServer("/launches/cancel", { ...which, reason });
  const { cancelled } = answer as { readonly cancelled: number };
  print(answer, options, () => `${cancelled} launches are cancelled`);
}
