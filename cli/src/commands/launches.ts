import type {
  LaunchRecord,
  LaunchStatus,
  LaunchStatusName,
  Network,
  TokenctlClient,
} from "@tokenctl/sdk";
import { solText } from "../amount.ts";
import { connect, orInterrupted } from "../connect.ts";
import type { Context, Result } from "../context.ts";
import { LaunchEndedError, StoppedWaitingError } from "../errors.ts";
import { confirm, enterNetwork, readNetwork } from "../network.ts";
import { afterLaunch, comeBack } from "../next-steps.ts";
import { resolveLaunch } from "../resolve-token.ts";
import { type Cell, type ColumnOf, rowsOf } from "../table.ts";
import { minute } from "../text.ts";
import { waitingText } from "../waiting.ts";

interface WaitFlags {
  readonly wait?: boolean;
  /** Seconds. */
  readonly interval?: number | undefined;
}

const COLUMNS: readonly ColumnOf<LaunchRecord>[] = [
  { title: "TICKER", of: ({ ticker }) => ticker },
  { title: "STATUS", of: ({ status }) => statusCell(status) },
  { title: "EVENT ID", of: ({ eventId }) => eventId },
  { title: "LAUNCHED", of: ({ createdAt }) => minute(createdAt), dropFirst: 2 },
  { title: "MINT", of: ({ tokenMint }) => tokenMint, shorten: "middle", dropFirst: 1 },
  {
    title: "WHY",
    of: (launch) => launch.error ?? waitingText(launch) ?? "",
    shorten: "end",
    dropFirst: 3,
  },
];

export async function launches(
  context: Context,
  { status, limit }: { status?: LaunchStatusName; limit?: number },
): Promise<Result> {
  const { notices, signal } = context;
  const client = await connect(context);
  notices.progress("Reading the launches");
  const data = await client.launches({ status, limit, signal });
  if (data.launches.length > 0) return { data, view: { table: rowsOf(data.launches, COLUMNS) } };
  const isFiltered =
    status !== undefined && (await client.launches({ limit: 1, signal })).launches.length > 0;
  const none = isFiltered
    ? `No launch of this wallet has the status ${status}; it has others.`
    : "This wallet has no launches yet.";
  return { data, view: [none] };
}

/** @param name the launch's event id, ticker or mint */
export async function status(context: Context, name: string, flags: WaitFlags): Promise<Result> {
  const { notices, signal } = context;
  const client = await connect(context);
  notices.progress("Reading the launch");
  const eventId = await resolveLaunch(client, name, signal);
  // The first read is outside the wait: an unknown launch gets no hint to return to it.
  const [now, network] = await Promise.all([
    client.launchStatus(eventId, { signal }),
    readNetwork(client, signal),
  ]);
  if (now.status !== "pending" || !flags.wait) return launchResult(now, network);
  return followLaunch(context, client, { eventId, network, wait: true, interval: flags.interval });
}

/** @param name the launch's event id, ticker or mint */
export async function retry(context: Context, name: string, flags: WaitFlags): Promise<Result> {
  const { notices, signal } = context;
  const client = await connect(context);
  const eventId = await resolveLaunch(client, name, signal);
  const network = await enterNetwork(context, client);
  notices.progress("Putting the launch back in the queue");
  const accepted = await client.retryLaunch(eventId, { signal });
  return followLaunch(context, client, { ...accepted, network, ...flags });
}

/** @param name the launch's event id, ticker or mint */
export async function cancel(
  context: Context,
  name: string,
  { yes: isAgreed }: { yes?: boolean },
): Promise<Result> {
  const { notices, signal } = context;
  const client = await connect(context);
  const eventId = await resolveLaunch(client, name, signal);
  const network = context.ask === null ? undefined : await readNetwork(client, signal);
  await confirm(context, `Cancel the launch ${name}`, { network, isAgreed });
  notices.progress("Cancelling the launch");
  const data = await orInterrupted(
    client.cancelLaunch(eventId, { signal }),
    `\`tokenctl status ${eventId}\` shows whether it was cancelled`,
  );
  const next = `The ticker ${data.ticker} is free. \`tokenctl retry ${eventId}\` launches it after all`;
  return { data, view: { fields: fieldsOf(data) }, next: [next] };
}

/** Waits until an accepted launch has ended, if it should. @throws {StoppedWaitingError} */
export async function followLaunch(
  { notices, signal }: Context,
  client: TokenctlClient,
  launch: WaitFlags & { readonly eventId: string; readonly network: Network | undefined },
): Promise<Result> {
  const { network, wait, interval, ...data } = launch;
  const { eventId } = data;
  if (!wait) {
    const fields = [
      ["Event id", eventId],
      ["Network", network],
    ] as const;
    return { data, network, view: { fields }, next: [comeBack(eventId)] };
  }
  notices.notice(`Launch ${eventId} is accepted. Return to it at any time with:`);
  notices.notice(`  tokenctl status ${eventId} --wait`);
  const begun = Date.now();
  notices.progress("Waiting for the token to be on chain", begun);
  const onStatus = (status: LaunchStatus) => {
    const waiting = waitingText(status);
    const text = `Waiting for ${status.ticker} to be on chain`;
    const since = Date.parse(status.waitingSince ?? "");
    notices.progress(
      waiting === null ? text : `${text}. It waits for ${waiting}`,
      Number.isNaN(since) ? begun : since,
    );
  };
  try {
    const intervalMs = interval && Math.ceil(interval * 1000);
    const options = { signal, onStatus, intervalMs };
    return launchResult(await client.waitForLaunch(eventId, options), network);
  } catch (error) {
    throw new StoppedWaitingError(eventId, error);
  }
}

function launchResult(data: LaunchStatus, network: Network | undefined): Result {
  const hasEndedBadly = data.status === "failed" || data.status === "rate_limited";
  return {
    data,
    network,
    view: { fields: fieldsOf(data, network) },
    next: afterLaunch(network, data),
    failure: hasEndedBadly ? new LaunchEndedError(data) : undefined,
  };
}

function fieldsOf(launch: LaunchStatus, network?: Network) {
  return [
    ["Status", statusCell(launch.status)],
    ["Ticker", launch.ticker],
    ["Mint", launch.tokenMint],
    ["Pool", launch.poolAddress],
    ["Paid by", launch.payer && "this wallet"],
    ["Cost", launch.costSOL === undefined ? undefined : solText(launch.costSOL)],
    ["Processed", launch.processedAt],
    ["Waiting for", waitingText(launch) ?? undefined],
    ["Since", launch.waitingSince],
    ["Network", network],
    ["Event id", launch.eventId],
    ["Error", launch.error ?? undefined],
  ] as const;
}

const COLOURS = {
  pending: "yellow",
  success: "green",
  failed: "red",
  rate_limited: "red",
} as const;

function statusCell(status: LaunchStatusName): Cell {
  return { text: status, colour: COLOURS[status] };
}
