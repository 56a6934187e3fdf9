import { type Contestant, type Running, start } from "./contestant.ts";

/** Servers that run side by side, each on its own copy of a database. */
export interface RunningAll extends AsyncDisposable {
  readonly servers: readonly Running[];
}

/** Starts contestants, or none of them. */
export async function startAll(
  contestants: readonly Contestant[],
  seed: string,
): Promise<RunningAll> {
  await using stack = new AsyncDisposableStack();
  const servers: Running[] = [];
  for (const contestant of contestants) servers.push(stack.use(await start(contestant, seed)));
  const running = stack.move();
  return { servers, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
