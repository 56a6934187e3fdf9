import type { LaunchCheck, LaunchCost, LaunchRequest, TradeFee } from "@tokenctl/sdk";
import { feeInWords } from "@tokenctl/shared/fee-words";
import { onChainNameOf, shorteningOf } from "@tokenctl/shared/token-name";
import type { Desk, Field, Result } from "../desk.ts";
import { CliError } from "../errors.ts";
import { solText } from "../format.ts";
import { hintOf } from "../hints.ts";
import { aboutOwnLaunch } from "../launch-words.ts";

export async function checkLaunch(
  desk: Desk,
  { allowShortenedName, ...request }: LaunchRequest & { allowShortenedName?: boolean },
): Promise<Result> {
  const { client, notices, signal } = desk;
  notices.notice(`Checking ${request.ticker}`);
  const data = await client.checkLaunch(request, { signal });
  const problems = [...problemsOf(data), ...(allowShortenedName ? [] : shorteningProblem(request))];
  const name = onChainNameOf(request);
  return {
    data,
    fields: checkFields(data, problems, `${name} (${request.ticker})`),
    says: `Nothing prevents the launch of ${request.ticker}. Its name on chain is ${name}.`,
    failure: refusalOf(problems),
  };
}

/** Returns what prevents a launch, except the launch `ownEventId` itself; most important first. */
export function problemsOf(
  { refusals, endsAs, payment }: LaunchCheck,
  ownEventId?: string,
): CliError[] {
  const cannotPay = payment?.canPay === false;
  const others = refusals.filter(
    ({ code, eventId }) =>
      (eventId === undefined || eventId !== ownEventId) && !(cannotPay && code === UNAFFORDABLE),
  );
  const problems = others.map((refusal) => {
    const { code, error } = refusal;
    const hint = aboutOwnLaunch(refusal) ?? hintOf(code);
    return new CliError(code, `The launch would be refused: ${error}`, { hint });
  });
  if (cannotPay) {
    const text = `The wallet cannot pay for the launch: it holds ${fundsText(payment)}`;
    problems.push(new CliError(UNAFFORDABLE, text, { hint: hintOf(UNAFFORDABLE) }));
  }
  if (endsAs !== null) {
    const text = `The launch would end ${endsAs.status}: ${endsAs.error}`;
    problems.push(new CliError(endsAs.status, text, { hint: "Run it after 00:00 UTC" }));
  }
  return problems;
}

const UNAFFORDABLE = "launch_unaffordable";

export function shorteningProblem(request: LaunchRequest): CliError[] {
  const shortening = shorteningOf(request);
  if (shortening === null) return [];
  const hint = "Choose the name on chain with --on-chain-name, or add --allow-shortened-name";
  return [new CliError("name_too_long", shortening, { hint })];
}

/** Joins all problems into one error with the first one's hint; undefined if there are none. */
export function refusalOf(problems: readonly CliError[]): CliError | undefined {
  const [first, ...others] = problems;
  if (first === undefined) return undefined;
  const texts = others.map(({ message }) => message.replace("The launch would be refused: ", ""));
  const { code, message, hint } = first;
  return new CliError(code, [message, ...texts].join("; "), { hint });
}

export function costText({ total, rent, networkFee, creationFee, firstBuy }: LaunchCost): string {
  const parts = [`rent ${solText(rent)}`, `network fee ${solText(networkFee)}`];
  if (creationFee > 0) parts.push(`creation fee ${solText(creationFee)}`);
  if (firstBuy > 0) parts.push(`first buy ${solText(firstBuy)}`);
  return `at most ${solText(total)}: ${parts.join(", ")}`;
}

function fundsText({ balanceSOL, requiredSOL }: NonNullable<LaunchCheck["payment"]>): string {
  return `${solText(balanceSOL)} of the ${solText(requiredSOL)} that it must hold`;
}

const UNKNOWN = "not known";

function checkFields(check: LaunchCheck, problems: readonly CliError[], onChain: string): Field[] {
  const { agent, queue, service, fees, payment } = check;
  const codes = problems.map(({ code }) =>
    code === check.endsAs?.status ? `would end ${code}` : code,
  );
  const day = agent.hasLaunchedToday ? "already has a token" : "no token yet";
  const waiting = agent.waiting > 0 ? `, ${agent.waiting} waiting` : "";
  return [
    ["Launch", codes.length === 0 ? "ok" : codes.join(", ")],
    ...check.refusals.flatMap(({ details = [] }) =>
      details.map(({ field, message }) => ["Wrong", `${field} ${message}`] as const),
    ),
    ["Today", `${day}${waiting}, launches accepted: ${agent.accepted}${ofLimit(agent.limit)}`],
    ["Queue", `place ${queue.place}${ofLimit(queue.limit)}`],
    ["Server", service.ok ? "ok" : (service.message ?? "unhealthy")],
    ["On chain", onChain],
    ["Fee on curve", feeText(fees?.bondingCurve)],
    ["Fee in pool", feeText(fees?.liquidityPool)],
    ["Cost", payment && costText(payment.costSOL)],
    ["Wallet", payment && fundsText(payment)],
  ];
}

const ofLimit = (limit: number | null) => (limit === null ? "" : ` of ${limit}`);

export function feeText(fee: TradeFee | undefined): string {
  return fee ? `${feeInWords(fee)}; ${fee.creatorSharePercent} % of it to the agent` : UNKNOWN;
}
