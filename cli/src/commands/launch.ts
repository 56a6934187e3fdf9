import type { LaunchRequest } from "@tokenctl/sdk";
import { onChainNameOf, shorteningOf } from "@tokenctl/shared/token-name";
import type { Desk, Result } from "../desk.ts";
import { readImage, readImageIn } from "../image-file.ts";
import { resolveLaunch } from "../resolve-token.ts";
import { checkLaunch, shorteningProblem } from "./check-launch.ts";
import { follow, signed, type Wait } from "./launches.ts";
import { agreeToLaunch, mayPay, quoteOf, remember } from "./paid-launch.ts";

interface Launch extends Partial<LaunchRequest>, Wait {
  readonly image?: string;
  readonly pay?: boolean;
  readonly maxCostSOL?: number;
  readonly rpcUrl?: string;
  readonly allowShortenedName?: boolean;
  readonly dryRun?: boolean;
  readonly idempotencyKey?: string;
}

export async function launch(desk: Desk, input: Launch): Promise<Result> {
  const { image: path, allowShortenedName = false, dryRun, wait, interval, ...rest } = input;
  const { waitSeconds, idempotencyKey, yes, pay, maxCostSOL, rpcUrl: _, ...draft } = rest;
  const { client, model, notices, signal } = desk;
  // An earlier check or question ensures that the name and the ticker are set.
  let request = draft as LaunchRequest;
  // If a model names no payer, the service's first choice applies. A person types `--pay`.
  const asked = model && !request.payer ? (await client.health({ signal })).launchPayers : [];
  const payer = pay || asked?.[0] === "agent" ? "agent" : request.payer;
  if (payer !== undefined) request = { ...request, payer };
  const image = path === undefined ? null : await readImage(path);
  if (dryRun) return checkLaunch(desk, { ...request, allowShortenedName });
  const [shortening] = allowShortenedName ? [] : shorteningProblem(request);
  if (shortening) {
    const onChainName = (await desk.ask?.("Name on chain, at most 32 bytes: "))?.trim();
    if (!onChainName) throw shortening;
    request = { ...request, onChainName };
  }

  const isPaid = payer === "agent";
  if (isPaid) mayPay(desk, yes);

  const launching = model?.launching(request, signal);
  const isRepeat = launching !== undefined && (await model?.launches.isRepeat(launching));
  if (launching) await model?.launches.check(request.ticker, signal);
  if (isRepeat && isPaid) {
    const eventId = await resolveLaunch(client, request.ticker, signal);
    return signed(desk, await client.launchStatus(eventId, { signal }), { waitSeconds });
  }
  const quote = await quoteOf(desk, request);
  request = { ...request, ...(quote && { firstBuyMinTokens: quote.minTokens }) };
  const terms = { yes, maxCostSOL, image: path };
  const signing = isRepeat ? {} : await agreeToLaunch(desk, request, terms);
  if (image !== null) {
    notices.progress("Uploading the image");
    const { url } = await client.uploadImage(image, { signal });
    request = { ...request, imageUrl: url };
  }
  if (shorteningOf(request) !== null) {
    notices.warn(`On chain the name is: ${onChainNameOf(request)}`);
  }
  const network = await desk.network();
  const where = network === undefined ? "" : ` on ${network}`;
  notices.progress(`Requesting the launch of ${request.ticker}${where}`);
  if (isPaid) remember(desk, request);
  const send = (key: string | undefined) =>
    client.launch(request, { ...signing, idempotencyKey: key, allowShortenedName, signal });
  const accepted = await (model && launching
    ? model.launches.launch(launching, send)
    : send(idempotencyKey));
  const following = { wait, interval, waitSeconds, yes, bought: quote?.tokens };
  return follow(desk, accepted.eventId, following, accepted);
}

export async function uploadImage(
  { client, model, signal }: Desk,
  { file }: { file: string },
): Promise<Result> {
  const image = await readImageIn(model?.guards.filesDir ?? "", file);
  const data = await client.uploadImage(image, { signal });
  return { data, view: [], says: `Uploaded: use ${data.url} as imageUrl.` };
}
