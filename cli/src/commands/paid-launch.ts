import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentLaunchOptions, LaunchCheck, LaunchRequest, LaunchStatus } from "@tokenctl/sdk";
import { PLAY } from "@tokenctl/shared/clusters";
import { onChainNameOf } from "@tokenctl/shared/token-name";
import type { Desk, Field, Question } from "../desk.ts";
import { CliError, UnansweredError, UsageError, unlessMissing } from "../errors.ts";
import { solText } from "../format.ts";
import { LaunchStaysError } from "../launch-words.ts";
import { needsYes } from "../network.ts";
import { writeOwn } from "../own-files.ts";
import { costText, feeText, problemsOf, refusalOf } from "./check-launch.ts";

export function mayPay(desk: Desk, yes: boolean | undefined): void {
  desk.model?.mayPay();
  needsYes(desk, "A launch that this wallet pays for spends its SOL", yes);
}

interface Terms {
  readonly yes?: boolean | undefined;
  readonly maxCostSOL?: number | undefined;
  /** The path of an image that is uploaded afterwards. */
  readonly image?: string | undefined;
  /** The config that a first buy was quoted under. */
  readonly quoted?: string | null | undefined;
  /** A launch to sign again, which holds its own ticker. */
  readonly eventId?: string;
  /** Whether the wallet's launch with the ticker may be this one: only the service knows. */
  readonly mayExist?: boolean;
}

/**
 * Asks about a launch if a person or a model's user has to agree, and shows all that becomes
 * permanent. Throws instead if the service would refuse the launch.
 * @returns the options for its signature; empty unless this wallet pays for it
 */
export async function agreeToLaunch(
  desk: Desk,
  request: LaunchRequest,
  { yes, maxCostSOL, image, quoted, eventId, mayExist }: Terms,
): Promise<Omit<AgentLaunchOptions, "signal">> {
  const { client, model, notices, settings, signal } = desk;
  const read = async () => {
    const check = await client.checkLaunch(request, { signal });
    const refusal = refusalOf(problemsOf(check, eventId));
    if (refusal && !(mayExist && check.refusals.some((one) => one.eventId))) throw refusal;
    return check;
  };
  if (request.payer !== "agent") {
    await desk.confirm(async () => questionOf(desk, request, await read(), image), yes);
    return {};
  }
  const check = await read();
  const { payment, fees } = check;
  if (!payment) throw new CliError("invalid_response", "The service names no cost of the launch");
  const { config, costSOL } = payment;
  if ((quoted ?? config) !== config) throw changed(`its config ${config} is not the quoted one`);
  if (config && settings.rpcUrl === undefined) {
    throw new UsageError(
      "No node of yours shows what the launchpad takes for this launch",
      "Give a Solana node's address with --rpc-url or TOKENCTL_RPC_URL",
    );
  }
  const allowed = model?.payments?.maxCostSOL ?? maxCostSOL;
  model?.payments?.check(costSOL.total);
  if (allowed !== undefined && costSOL.total > allowed) {
    const text = `It would cost ${solText(costSOL.total)}, more than the ${solText(allowed)} allowed`;
    const hint = eventId ? "Launch it again with a higher" : "Allow more with";
    throw new CliError("launch_too_dear", text, { hint: `${hint} --max-cost-sol` });
  }
  const question = () => questionOf(desk, request, check, image);
  await desk.confirm(question, yes);
  return {
    // Without a question, the client's own limit applies, not what the service asks for.
    maxCostSOL: allowed ?? (yes ? undefined : costSOL.total),
    expectedConfig: config ?? undefined,
    async approve({ config: signed, creatorSharePercent: share, ...launch }, transaction) {
      const { tokenMint, costSOL: cost } = launch;
      if (model) await model.checkBytes(transaction, signal);
      else if (PLAY.includes(await desk.network())) await desk.confirm(question, yes, transaction);
      if (signed !== config) throw changed(`its config ${signed} is not the one that was shown`);
      const shown = fees?.bondingCurve.creatorSharePercent;
      if (share !== undefined && shown !== undefined && share < shown) {
        throw changed(
          `this wallet would get ${share} % of the trading fees, not the ${shown} % that the service showed`,
        );
      }
      await bind(desk, request.ticker, tokenMint);
      await model?.payments?.approve({ tokenMint, costSOL: cost });
      notices.warn(`It costs ${costText(cost)}`);
      if (share !== undefined) notices.warn(`This wallet gets ${share} % of the trading fees`);
    },
  };
}

function questionOf(
  { client, model }: Desk,
  request: LaunchRequest,
  { payment, fees }: LaunchCheck,
  image: string | undefined,
): Question {
  const { name, ticker, firstBuySOL, firstBuyMinTokens } = request;
  const isPaid = request.payer === "agent";
  const onChain = onChainNameOf(request);
  const most = isPaid ? model?.payments?.maxCostSOL : undefined;
  const facts: Field[] = [
    ["Name on chain", onChain],
    ["Full name", onChain === name ? undefined : name],
    ["Description", request.description],
    ["Image", image ?? request.imageUrl],
    ["Website", request.website],
    ["X", request.twitter],
    ["Telegram", request.telegram],
    ["Paid by", isPaid ? "this wallet" : "the service"],
    ["Config", payment?.config ?? undefined],
    ["Cost", payment && costText(payment.costSOL)],
    ["Allowed", most === undefined ? undefined : `at most ${solText(most)}`],
    ["First buy", firstBuySOL === undefined ? undefined : solText(firstBuySOL)],
    ["It gets", firstBuyMinTokens && `at least ${firstBuyMinTokens} tokens`],
    ["Fee on curve", fees ? feeText(fees.bondingCurve) : undefined],
  ];
  const action = `Launch the token ${onChain} (${ticker}) with the wallet ${client.address}`;
  return { action, facts };
}

/** Returns what the first buy gets on the curve, and its minimum; null without a first buy. */
export async function quoteOf({ client, model, signal }: Desk, request: LaunchRequest) {
  if (request.firstBuySOL === undefined) return null;
  const quoting = client.quoteFirstBuy(request, { signal });
  // A person who types the least that they want may accept any config.
  const quote = await (model || !request.firstBuyMinTokens ? quoting : quoting.catch(() => null));
  return quote && { ...quote, minTokens: request.firstBuyMinTokens ?? quote.minTokens };
}

/** Returns the file of a remembered launch. The ticker may come from a server, so it is cleaned. */
function fileOf({ client, settings }: Desk, ticker: string): string {
  const name = ticker.replace(/[^A-Z0-9]/g, "_").slice(0, 10);
  return join(settings.stateDir, "paid-launches", client.address, `${name}.json`);
}

interface Remembered {
  readonly request: LaunchRequest;
  readonly maxCostSOL?: number | undefined;
  /** The most that a person's answer covers; another question may cover more. */
  readonly agreedSOL?: number | undefined;
  /** The config that a person has agreed to, or of a quote, and the launch that came from it. */
  readonly config?: string | undefined;
  readonly eventId?: string;
  /** The server and the idempotency key, and the mint that was signed. */
  readonly key?: string | undefined;
  readonly mint?: string | undefined;
}

export const agreedOn = async (desk: Desk, ticker: string): Promise<Remembered> =>
  JSON.parse(await readFile(fileOf(desk, ticker), "utf8"));

/** Binds what was agreed to one mint, which can exist only once. @throws {CliError} for another */
async function bind(desk: Desk, ticker: string, mint: string): Promise<void> {
  const agreed = await agreedOn(desk, ticker);
  if ((agreed.mint ?? mint) === mint) return remember(desk, { ...agreed, mint });
  throw changed("it makes another mint than the one that was signed before", ALL_FIELDS);
}

/** @throws {CliError} the service names another mint of a launch than this computer has signed */
export async function checkMint(desk: Desk, launch: LaunchStatus): Promise<void> {
  const { eventId, mint } = (await agreedOn(desk, launch.ticker).catch(() => null)) ?? {};
  if (eventId !== launch.eventId || (mint ?? launch.tokenMint) === launch.tokenMint) return;
  const text = `The service names the mint ${launch.tokenMint}, but this wallet has signed ${mint}`;
  throw new CliError("launch_changed", text, { hint: "Share neither; tell the server's operator" });
}

const ALL_FIELDS = "Launch it again with all its fields";

const changed = (what: string, hint = "Tell the server's operator") =>
  new CliError("launch_changed", `Not signed: ${what}`, { hint });

/** Stores what was agreed, so that this computer can sign it again without trusting the service. */
export function remember(desk: Desk, agreed: Remembered): void {
  writeOwn(fileOf(desk, agreed.request.ticker), JSON.stringify(agreed), "XDG_STATE_HOME");
}

/**
 * Signs a launch that this wallet pays for and that waits for its signature.
 * @param reopen runs before the signature, to reopen a launch that has ended
 * @throws {LaunchStaysError} if the launch still waits for a signature
 */
export async function signAgain(
  desk: Desk,
  launch: LaunchStatus,
  yes: boolean | undefined,
  reopen?: () => Promise<void>,
): Promise<void> {
  const { client, notices, signal } = desk;
  const { eventId, ticker } = launch;
  const { request, agreedSOL, config, ...agreed } = await recall(desk, launch, yes);
  const maxCostSOL = agreed.maxCostSOL ?? (yes ? agreedSOL : undefined);
  try {
    mayPay(desk, yes);
    const signing = await agreeToLaunch(desk, request, { yes, maxCostSOL, eventId });
    await reopen?.();
    notices.notice(`Signing the launch of ${ticker}`);
    const own = (yes || request.firstBuySOL) && config ? { expectedConfig: config } : {};
    await client.signLaunch(eventId, request, { ...signing, ...own, signal });
  } catch (error) {
    const isLeft = launch.status === "pending" && !(error instanceof UnansweredError);
    throw isLeft ? new LaunchStaysError(launch, error) : error;
  }
}

async function recall(desk: Desk, { eventId, ticker, status }: LaunchStatus, yes?: boolean) {
  const agreed = await agreedOn(desk, ticker).catch(unlessMissing);
  // The service names the ticker. Without a question, only the launch itself is signed.
  if (agreed && (agreed.eventId ?? (yes ? null : eventId)) === eventId) return agreed;
  const drop = status === "pending" ? `\`tokenctl cancel ${eventId}\` drops it. ` : "";
  const text = `This computer does not know what the launch of ${ticker} is to sign`;
  throw new CliError("launch_unknown", text, {
    hint: `${drop}Then launch it again with its name and its other fields`,
  });
}
