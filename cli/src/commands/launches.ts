import type { LaunchAccepted, LaunchListOptions, LaunchRecord, LaunchStatus } from "@tokenctl/sdk";
import { TimeoutError } from "@tokenctl/sdk";
import { waitingText } from "@tokenctl/shared/waits-for";
import { type ColumnOf, type Desk, type Result, rowsOf } from "../desk.ts";
import { CliError } from "../errors.ts";
import { second, solText } from "../format.ts";
import { LaunchStaysError, launchEnded, nextStep } from "../launch-words.ts";
import { pageOf } from "../network.ts";
import { checkMint, signAgain } from "./paid-launch.ts";

export interface Wait {
  /** Whether a terminal waits until the launch has ended. */
  readonly wait?: boolean | undefined;
  readonly interval?: number | undefined;
  /** Seconds that a model's call waits; then the model gets the state so far. */
  readonly waitSeconds?: number | undefined;
  /** Whether a launch that waits for this wallet's signature is signed without a question. */
  readonly yes?: boolean | undefined;
  /** Whole tokens that the first buy gets. */
  readonly bought?: string | undefined;
}

type Waited = Wait & { readonly eventId: string };

const COLUMNS: readonly ColumnOf<LaunchRecord>[] = [
  ["TICKER", ({ ticker }) => ticker],
  ["STATUS", ({ status }) => status],
  ["EVENT ID", ({ eventId }) => eventId],
  ["LAUNCHED", ({ createdAt }) => second(createdAt)],
  ["MINT", ({ tokenMint }) => tokenMint, "middle"],
  ["WHY", (launch) => launch.error ?? waitingText(launch) ?? "", "end"],
];

export async function launches(
  { client, signal }: Desk,
  filter: LaunchListOptions,
): Promise<Result> {
  const data = await client.launches({ ...filter, signal });
  const none =
    filter.status === undefined
      ? "This wallet has no launches yet."
      : `This wallet has no launch with the status ${filter.status}.`;
  return { data, table: rowsOf(data.launches, COLUMNS, { none }) };
}

export async function status(desk: Desk, { eventId, ...wait }: Waited): Promise<Result> {
  // This read is outside the wait: an unknown launch gets no hint to return to it.
  const now = await desk.client.launchStatus(eventId, { signal: desk.signal });
  const waits = wait.wait || wait.waitSeconds !== undefined;
  return now.status === "pending" && waits ? follow(desk, eventId, wait) : launchResult(desk, now);
}

export async function retry(desk: Desk, { eventId, ...wait }: Waited): Promise<Result> {
  const { client, model, notices, signal } = desk;
  const { yes } = wait;
  const launch = await client.launchStatus(eventId, { signal });
  const { ticker, status: state } = launch;
  const hasEnded = state === "failed" || state === "rate_limited";
  if (launch.waitingFor === "agent_signature") return signed(desk, launch, wait);
  if (model && !hasEnded) return follow(desk, eventId, wait);
  await model?.launches.check(ticker);
  let accepted: LaunchAccepted | undefined;
  const reopen = async () => {
    notices.notice("Trying the launch again");
    const repeat = () => client.retryLaunch(eventId, { signal });
    const launching = { ticker, key: () => `retry-${eventId}` };
    accepted = await (model ? model.launches.launch(launching, repeat) : repeat());
  };
  if (hasEnded && launch.payer === "agent") await signAgain(desk, launch, yes, reopen);
  else {
    const action = `Repeat the launch of ${ticker}, which ended ${state}`;
    if (hasEnded) await desk.confirm(() => ({ action }), yes);
    await reopen();
  }
  return follow(desk, eventId, { wait: true, ...wait }, accepted);
}

export async function signed(desk: Desk, launch: LaunchStatus, wait: Wait): Promise<Result> {
  if (launch.waitingFor === "agent_signature") await signAgain(desk, launch, wait.yes);
  return follow(desk, launch.eventId, wait);
}

export async function cancel(desk: Desk, { eventId, yes }: Waited): Promise<Result> {
  const { client, notices, signal } = desk;
  await desk.confirm(() => ({ action: `Cancel the launch ${eventId}` }), yes);
  notices.notice("Cancelling the launch");
  const data = await client.cancelLaunch(eventId, { signal });
  const next = `The ticker ${data.ticker} is free. \`tokenctl retry ${eventId}\` launches it after all`;
  return { data, fields: fieldsOf(data), next: [next] };
}

/** Waits for a launch to end if asked to, and signs it if it can. @throws {LaunchStaysError} */
export async function follow(
  desk: Desk,
  eventId: string,
  wait: Wait,
  accepted?: LaunchAccepted,
): Promise<Result> {
  const { canAsk, model, notices } = desk;
  if (accepted !== undefined && wait.wait === false) {
    return {
      data: accepted,
      fields: [["Event id", eventId]],
      next: [`Next: ${nextStep({ eventId, status: "pending" })}`],
    };
  }
  notices.notice(`The launch is accepted; \`tokenctl status ${eventId} --wait\` returns to it.`);
  const canSign = model === null && (wait.yes === true || canAsk);
  const ended = () =>
    untilEnd(desk, eventId, wait, canSign).catch((error: unknown) => {
      throw new LaunchStaysError({ eventId, status: "pending" }, error);
    });
  let launch = await ended();
  if (canSign && launch.waitingFor === "agent_signature") {
    await signAgain(desk, launch, wait.yes);
    launch = await ended();
    // If a server keeps asking for signatures, one command gives it no more.
    if (launch.waitingFor === "agent_signature") {
      const error = new CliError("launch_expired", "What this wallet has signed did not land");
      throw new LaunchStaysError(launch, error);
    }
  }
  return launchResult(desk, launch, wait.bought);
}

/** Returns the launch once it has ended, the time is over, or it waits for a signature. */
async function untilEnd(
  { client, notices, signal }: Desk,
  eventId: string,
  { interval, waitSeconds }: Wait,
  stopsUnsigned: boolean,
): Promise<LaunchStatus> {
  const stop = new AbortController();
  let last: LaunchStatus | undefined;
  const onStatus = (launch: LaunchStatus) => {
    last = launch;
    const waiting = waitingText(launch);
    const text = `Waiting for ${launch.ticker} to be on chain`;
    notices.notice(waiting === null ? text : `${text}. It waits for ${waiting}`);
    if (stopsUnsigned && launch.waitingFor === "agent_signature") stop.abort();
  };
  const options = {
    signal: AbortSignal.any([signal, stop.signal]),
    onStatus,
    intervalMs: interval && Math.ceil(interval * 1000),
    timeoutMs: waitSeconds && waitSeconds * 1000,
  };
  try {
    return await client.waitForLaunch(eventId, options);
  } catch (error) {
    if (stop.signal.aborted && last) return last;
    if (!(error instanceof TimeoutError) || error.lastStatus === undefined) throw error;
    return client.launchStatus(eventId, { signal });
  }
}

async function launchResult(desk: Desk, launch: LaunchStatus, bought?: string): Promise<Result> {
  const { ticker, status: state, tokenMint } = launch;
  const fields = fieldsOf(launch);
  const result = { data: launch, fields };
  if (state === "failed" || state === "rate_limited") {
    return { ...result, failure: launchEnded(launch) };
  }
  if (state === "pending") {
    const waiting = waitingText(launch);
    const says = `The launch of ${ticker} is pending${waiting === null ? "" : `. It waits for ${waiting}`}.`;
    return { ...result, says, next: [`Next: ${nextStep(launch)}`] };
  }
  await checkMint(desk, launch);
  // The ticker may come from a hostile server, and it must not change a suggested command.
  const token = /^[A-Z0-9]{2,10}$/.test(ticker) ? ticker : tokenMint;
  const next = [
    `Share it: ${pageOf(desk.client, tokenMint ?? "")}`,
    `Next: \`tokenctl fees\` shows what it earns, \`tokenctl claim ${token}\` claims it`,
  ];
  const firstBuy = bought === undefined ? [] : [["First buy", `about ${bought} tokens`] as const];
  const says = `${ticker} is on chain: its mint is ${tokenMint}.`;
  return { ...result, fields: [...fields, ...firstBuy], says, next };
}

function fieldsOf(launch: LaunchStatus) {
  return [
    ["Status", launch.status],
    ["Ticker", launch.ticker],
    ["Mint", launch.tokenMint],
    ["Pool", launch.poolAddress],
    ["Paid by", launch.payer && "this wallet"],
    ["Cost", launch.costSOL === undefined ? undefined : solText(launch.costSOL)],
    ["Processed", launch.processedAt],
    ["Waiting for", waitingText(launch) ?? undefined],
    ["Since", launch.waitingSince],
    ["Event id", launch.eventId],
    ["Error", launch.error ?? undefined],
  ] as const;
}
