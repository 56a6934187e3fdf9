import type { ChainPace, LaunchCheck, TradeFee } from "@tokenctl/sdk";
import type { Style } from "./style.ts";
import { record } from "./text.ts";

const UNKNOWN = "not known";

/** @returns the findings about a launch, one topic a line; its strings must be plain */
export function checkLines(check: LaunchCheck, style: Style): string[] {
  const { agent, address, queue, service, onChain, fees, expectedSeconds, pace } = check;
  return record(
    [
      ["Launch", check.ok ? style.green("ok") : style.red(verdict(check))],
      ...check.refusals.flatMap(({ details = [] }) =>
        details.map(({ field, message }) => ["Wrong", `${field} ${message}`] as const),
      ),
      ["Ticker", tickerText(check.ticker)],
      ["Today", agentText(agent)],
      ...(address === null ? [] : [["Address", addressText(address)] as const]),
      ["Quotas return", check.quotasReturnAt],
      ["Queue", `place ${queue.place}${queue.limit === null ? "" : ` of ${queue.limit}`}`],
      ["Server", service.ok ? "ok" : style.yellow(service.message ?? "unhealthy")],
      ["On chain", onChain === null ? UNKNOWN : `${onChain.name} (${onChain.symbol})`],
      ["Fee on curve", feeText(fees?.bondingCurve)],
      ["Fee in pool", feeText(fees?.liquidityPool)],
      ["Expected time", expectedSeconds === null ? UNKNOWN : `about ${expectedSeconds} s`],
      ...(pace === undefined ? [] : [["Chain", paceText(pace)] as const]),
    ],
    style.bold,
  );
}

function paceText({ secondsPerBlock, secondsToLand, lamportsPerByte }: ChainPace): string {
  const rent = `${lamportsPerByte} lamports a byte`;
  if (secondsPerBlock === null) return rent;
  return `${secondsPerBlock} s a block, ${secondsToLand} s to land a transaction, ${rent}`;
}

function verdict({ refusals, endsAs }: LaunchCheck): string {
  const codes: string[] = refusals.map(({ code }) => code);
  return [...codes, ...(endsAs === null ? [] : [`would end ${endsAs.status}`])].join(", ");
}

function addressText({ limit, maxWaiting }: NonNullable<LaunchCheck["address"]>): string {
  return `${limit ?? "any"} launches a day, ${maxWaiting ?? "any"} waiting`;
}

function tickerText(ticker: LaunchCheck["ticker"]): string {
  if (ticker === null) return UNKNOWN;
  if (ticker.isFree) return "free";
  return ticker.freeAt === null ? "taken" : `taken until ${ticker.freeAt}`;
}

function agentText(agent: LaunchCheck["agent"]): string {
  const used = agent.hasLaunchedToday ? "has a token already" : "no token yet";
  const waiting = agent.waiting > 0 ? `, ${agent.waiting} waiting` : "";
  return `${used}${waiting}, ${quotaText(agent)}`;
}

function quotaText({ accepted, limit }: { accepted: number; limit: number | null }): string {
  return `${accepted} launches accepted${limit === null ? "" : ` of ${limit}`}`;
}

function feeText(fee: TradeFee | undefined): string {
  if (!fee) return UNKNOWN;
  const { startBps, endBps, creatorSharePercent } = fee;
  const range =
    startBps === endBps ? percent(startBps) : `${percent(startBps)} to ${percent(endBps)}`;
  return `${range} of each trade, ${creatorSharePercent} % of it to the agent`;
}

function percent(bps: number): string {
  return `${bps / 100} %`;
}
