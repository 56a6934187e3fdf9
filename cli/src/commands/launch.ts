import type { ChainPace, LaunchCheck, LaunchCost, LaunchRequest, TradeFee } from "@tokenctl/sdk";
import { onChainNameOf, shorteningOf } from "@tokenctl/shared/token-name";
import { InvalidArgumentError } from "commander";
import { solText } from "../amount.ts";
import { ticker as parseTicker } from "../arguments.ts";
import { requiredOptions } from "../command-line.ts";
import { connect, orInterrupted } from "../connect.ts";
import type { Context, Field, Result } from "../context.ts";
import { CliError, type ExitCode, exitCodes, UsageError } from "../errors.ts";
import { hintOf } from "../hints.ts";
import { readImage } from "../image-file.ts";
import { confirm, enterNetwork } from "../network.ts";
import { aboutOwnLaunch } from "../next-steps.ts";
import { followLaunch } from "./launches.ts";

interface LaunchFlags extends Partial<LaunchRequest> {
  readonly image?: string;
  readonly pay?: boolean;
  readonly firstBuy?: string;
  readonly firstBuyMin?: string;
  readonly maxCostSol?: string;
  readonly rpcUrl?: string;
  readonly allowShortenedName?: boolean;
  readonly dryRun?: boolean;
  readonly wait: boolean;
  readonly interval?: number;
  readonly idempotencyKey?: string;
  readonly yes?: boolean;
}

export async function launch(context: Context, flags: LaunchFlags): Promise<Result> {
  const { notices, signal } = context;
  const { image: path, allowShortenedName, dryRun, wait, interval, ...rest } = flags;
  const { idempotencyKey, yes, pay, firstBuy, firstBuyMin, maxCostSol, rpcUrl: _, ...draft } = rest;
  if (!pay && (firstBuy ?? firstBuyMin ?? maxCostSol) !== undefined) {
    throw new UsageError("--first-buy, --first-buy-min and --max-cost-sol need --pay", "Add --pay");
  }
  let request = await completeRequest(context, draft, allowShortenedName);
  if (pay) {
    request = {
      ...request,
      payer: "agent",
      ...(firstBuy !== undefined && { firstBuySOL: Number(firstBuy) }),
      ...(firstBuyMin !== undefined && { firstBuyMinTokens: firstBuyMin }),
    };
  }
  const objection = allowShortenedName ? null : aboutShortening(request);
  if (objection !== null && !dryRun) throw objection;
  const image = path === undefined ? null : await readImage(path);
  const client = await connect(context);
  if (dryRun) {
    notices.progress(`Checking ${request.ticker}`);
    const data = await client.checkLaunch(request, { signal });
    const failure = data.ok ? objection : refusalOf(data);
    const fields = checkFields(data, objection);
    return { data, view: { fields }, failure: failure ?? undefined };
  }
  if (pay) {
    // A launch that is not signed holds its ticker for minutes.
    const check = await client.checkLaunch(request, { signal });
    if (check.payment?.canPay === false) throw refusalOf(check);
  }
  const network = await enterNetwork(context, client);
  const who = `with the wallet ${client.address}`;
  const question = `Launch ${request.ticker}, ${onChainNameOf(request)}, ${who},`;
  // With --pay, it is asked once the cost is known.
  if (!pay) await confirm(context, question, { network, isAgreed: yes });
  if (image !== null) {
    notices.progress("Uploading the image");
    const { url } = await client.uploadImage(image, { signal });
    request = { ...request, imageUrl: url };
  }
  if (shorteningOf(request) !== null) {
    notices.warn(`On chain the name is: ${onChainNameOf(request)}`);
  }
  const where = network === undefined ? "" : ` on ${network}`;
  notices.progress(`Requesting the launch of ${request.ticker}${where}`);
  const accepted = await orInterrupted(
    client.launch(request, {
      idempotencyKey,
      allowShortenedName,
      signal,
      maxCostSOL: maxCostSol === undefined ? undefined : Number(maxCostSol),
      async approve({ costSOL, creatorSharePercent: share }) {
        notices.warn(`It costs ${costText(costSOL)}`);
        if (share !== undefined) notices.warn(`This wallet gets ${share} % of the trading fees`);
        await confirm(context, question, { network, isAgreed: yes });
      },
    }),
    "It may have been accepted: `tokenctl launches` shows whether it was",
  );
  return followLaunch(context, client, { ...accepted, network, wait, interval });
}

function costText({ total, rent, networkFee, creationFee, firstBuy }: LaunchCost): string {
  const parts = [`rent ${solText(rent)}`, `network fee ${solText(networkFee)}`];
  if (creationFee > 0) parts.push(`creation fee ${solText(creationFee)}`);
  if (firstBuy > 0) parts.push(`first buy ${solText(firstBuy)}`);
  return `at most ${solText(total)}: ${parts.join(", ")}`;
}

/** Asks at a terminal for a name and a ticker that are missing, and for the name on chain if the typed one is too long. */
async function completeRequest(
  { ask }: Context,
  draft: Partial<LaunchRequest>,
  allowShortenedName = false,
): Promise<LaunchRequest> {
  const missing = (["name", "ticker"] as const).filter((field) => draft[field] === undefined);
  if (missing.length > 0 && ask === null) {
    const flags = missing.map((field) => `'--${field} <${field}>'`);
    throw new UsageError(requiredOptions(flags), "`tokenctl launch --help` shows how to use it");
  }
  const name = draft.name ?? (await filled(ask, "Name: "));
  const ticker = draft.ticker ?? (await filled(ask, "Ticker, 2 to 10 of A-Z and 0-9: ", asTicker));
  const request = { ...draft, name, ticker };
  const isTooLong = draft.name === undefined && !allowShortenedName && shorteningOf(request);
  if (!isTooLong) return request;
  return { ...request, onChainName: await filled(ask, "Name on chain, at most 32 bytes: ") };
}

async function filled(ask: Context["ask"], prompt: string, parse = (text: string) => text) {
  for (let why = ""; ; ) {
    const answer = (await ask?.(why + prompt))?.trim();
    if (answer === undefined)
      throw new UsageError("There is no terminal to ask", "Give it as a flag");
    if (answer === "") continue;
    try {
      return parse(answer);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      why = `${error.message} `;
    }
  }
}

function asTicker(text: string): string {
  const ticker = parseTicker(text);
  if (/^[A-Z0-9]{2,10}$/.test(ticker)) return ticker;
  throw new InvalidArgumentError("That is not a ticker.");
}

/** @returns an objection to a name that would be cut on chain; null if it would not */
function aboutShortening(request: LaunchRequest): UsageError | null {
  const shortening = shorteningOf(request);
  if (shortening === null) return null;
  const hint = "Choose the name on chain with --on-chain-name, or add --allow-shortened-name";
  return new UsageError(shortening, hint);
}

/** The exit codes of refusals; that of others is "unavailable". */
const EXIT_CODES: Readonly<Record<string, ExitCode>> = {
  validation_failed: exitCodes.usage,
  ticker_taken: exitCodes.conflict,
  // Status 403, which has no exit code of its own.
  wallet_blocked: exitCodes.failed,
  invite_required: exitCodes.failed,
  not_on_allowlist: exitCodes.failed,
  agent_balance_low: exitCodes.failed,
};

function refusalOf({ refusals, endsAs, payment }: LaunchCheck): CliError {
  const [first] = refusals;
  if (!first && payment?.canPay === false) {
    const code = "launch_unaffordable";
    const text = `The wallet cannot pay for the launch: it holds ${fundsText(payment)}`;
    return new CliError(code, text, { hint: hintOf(code), exitCode: exitCodes.conflict });
  }
  if (!first) {
    return new CliError(
      endsAs?.status ?? "unknown",
      `The launch would end ${endsAs?.status}: ${endsAs?.error}`,
      {
        hint: "Run it after 00:00 UTC",
        exitCode: exitCodes.launchFailed,
      },
    );
  }
  const { code } = first;
  const exitCode = Object.hasOwn(EXIT_CODES, code) ? EXIT_CODES[code] : exitCodes.unavailable;
  const texts = refusals.map(({ error }) => error).join("; ");
  const hint = aboutOwnLaunch(first) ?? hintOf(code);
  return new CliError(code, `The launch would be refused: ${texts}`, { hint, exitCode });
}

type Payment = NonNullable<LaunchCheck["payment"]>;

function fundsText({ balanceSOL, requiredSOL }: Payment): string {
  return `${solText(balanceSOL)} of the ${solText(requiredSOL)} that it must hold`;
}

const UNKNOWN = "not known";

/** @param objection to what the client would not send */
function checkFields(check: LaunchCheck, objection: UsageError | null): Field[] {
  const { agent, address, queue, service, onChain, fees, expectedSeconds, pace, payment } = check;
  const codes: string[] = check.refusals.map(({ code }) => code);
  if (payment?.canPay === false) codes.push("launch_unaffordable");
  if (objection !== null) codes.push("name_too_long");
  if (check.endsAs !== null) codes.push(`would end ${check.endsAs.status}`);
  const day = agent.hasLaunchedToday ? "already has a token" : "no token yet";
  const waiting = agent.waiting > 0 ? `, ${agent.waiting} waiting` : "";
  return [
    [
      "Launch",
      check.ok && objection === null
        ? { text: "ok", colour: "green" }
        : { text: codes.join(", "), colour: "red" },
    ],
    ...check.refusals.flatMap(({ details = [] }) =>
      details.map(({ field, message }) => ["Wrong", `${field} ${message}`] as const),
    ),
    ["Ticker", tickerText(check.ticker)],
    ["Today", `${day}${waiting}, launches accepted: ${agent.accepted}${ofLimit(agent.limit)}`],
    ["Address", address ? addressText(address) : undefined],
    ["Quotas return", check.quotasReturnAt],
    ["Queue", `place ${queue.place}${ofLimit(queue.limit)}`],
    ["Server", service.ok ? "ok" : { text: service.message ?? "unhealthy", colour: "yellow" }],
    ["On chain", onChain === null ? UNKNOWN : `${onChain.name} (${onChain.symbol})`],
    ["Fee on curve", feeText(fees?.bondingCurve)],
    ["Fee in pool", feeText(fees?.liquidityPool)],
    ["Cost", payment && costText(payment.costSOL)],
    ["Wallet", payment && { text: fundsText(payment), colour: payment.canPay ? "green" : "red" }],
    ["Expected time", expectedSeconds === null ? UNKNOWN : `about ${expectedSeconds} s`],
    ["Chain", pace && paceText(pace)],
  ];
}

const ofLimit = (limit: number | null) => (limit === null ? "" : ` of ${limit}`);

function addressText({ limit, maxWaiting }: NonNullable<LaunchCheck["address"]>): string {
  return `${limit ?? "any"} launches a day, ${maxWaiting ?? "any"} waiting`;
}

function paceText({ secondsPerBlock, secondsToLand, lamportsPerByte }: ChainPace): string {
  const rent = `${lamportsPerByte} lamports a byte`;
  if (secondsPerBlock === null) return rent;
  return `${secondsPerBlock} s a block, ${secondsToLand} s to land a transaction, ${rent}`;
}

function tickerText(ticker: LaunchCheck["ticker"]): string {
  if (ticker === null) return UNKNOWN;
  if (ticker.isFree) return "free";
  return ticker.freeAt === null ? "taken" : `taken until ${ticker.freeAt}`;
}

function feeText(fee: TradeFee | undefined): string {
  if (!fee) return UNKNOWN;
  const { startBps, endBps, creatorSharePercent } = fee;
  const percent = (bps: number) => `${bps / 100} %`;
  const change = startBps === endBps ? "" : ` to ${percent(endBps)}`;
  return `${percent(startBps)}${change} of each trade, ${creatorSharePercent} % of it to the agent`;
}
