import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import type { LaunchRequest } from "@tokenctl/sdk";
import { imageFormat } from "@tokenctl/shared/image-format";
import { limits } from "@tokenctl/shared/limits";
import { onChainNameOf, shorteningOf } from "@tokenctl/shared/token-name";
import type { Desk, Result } from "../desk.ts";
import { CliError, unlessMissing } from "../errors.ts";
import { resolveLaunch } from "../resolve-token.ts";
import { checkLaunch, shorteningProblem } from "./check-launch.ts";
import { follow, signed, type Wait } from "./launches.ts";
import { agreedOn, agreeToLaunch, mayPay, quoteOf, remember } from "./paid-launch.ts";

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
  // An earlier check ensures that the name and the ticker are set.
  let request = draft as LaunchRequest;
  // If a model names no payer, the service's first choice applies. A person types `--pay`.
  const asked = model && !request.payer ? (await client.health({ signal })).launchPayers : [];
  const payer = pay || asked?.[0] === "agent" ? "agent" : request.payer;
  if (payer !== undefined) request = { ...request, payer };
  const opened = async () => open(path ?? "", O_RDONLY | O_NONBLOCK);
  const image = path === undefined ? null : await read(path, opened);
  if (dryRun) return checkLaunch(desk, { ...request, allowShortenedName });
  const [shortening] = allowShortenedName ? [] : shorteningProblem(request);
  if (shortening) throw shortening;

  const isPaid = payer === "agent";
  if (isPaid) mayPay(desk, yes);

  const launching = model?.launching(request);
  const isRepeat = launching !== undefined && (await model?.launches.isRepeat(launching));
  if (launching) await model?.launches.check(request.ticker);
  if (isRepeat && isPaid) {
    const eventId = await resolveLaunch(client, request.ticker, signal);
    return signed(desk, await client.launchStatus(eventId, { signal }), { waitSeconds });
  }
  const quote = await quoteOf(desk, request);
  request = { ...request, ...(quote && { firstBuyMinTokens: quote.minTokens }) };
  const key = isPaid && idempotencyKey ? `${client.apiUrl} ${idempotencyKey}` : undefined;
  const before = key && (await agreedOn(desk, request.ticker).catch(unlessMissing));
  const same = before && before.key === key ? before : undefined;
  const mayExist = Boolean(isPaid ? same : idempotencyKey);
  const terms = { yes, maxCostSOL, image: path, mayExist, quoted: quote?.config };
  const signing = isRepeat ? {} : await agreeToLaunch(desk, request, terms);
  const shown = yes && !quote ? undefined : signing.expectedConfig;
  const config = (yes ? same?.config : undefined) ?? shown;
  if (image !== null) {
    notices.notice("Uploading the image");
    const { url } = await client.uploadImage(image, { signal });
    request = { ...request, imageUrl: url };
  }
  if (shorteningOf(request) !== null) {
    notices.warn(`On chain the name is: ${onChainNameOf(request)}`);
  }
  notices.notice(`Requesting the launch of ${request.ticker}`);
  if (isPaid) {
    const agreed = { request, maxCostSOL, agreedSOL: signing.maxCostSOL, config, key };
    remember(desk, { ...agreed, mint: same?.mint });
  }
  const send = async (idempotencyKey: string | undefined) => {
    const own = config === undefined ? {} : { expectedConfig: config };
    const options = { ...signing, ...own, idempotencyKey, allowShortenedName, signal };
    const sending = client.launch(request, options);
    const { eventId, code } = await sending.catch(Object);
    if (isPaid && eventId) remember(desk, { ...(await agreedOn(desk, request.ticker)), eventId });
    else if (same && code === "idempotency_mismatch") remember(desk, same);
    return sending;
  };
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
  return { data, says: `Uploaded: use ${data.url} as imageUrl.` };
}

/** With `O_NONBLOCK`, opening a named pipe does not block. */
const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;

/** Reads an image in a folder. Refuses a path that leaves it: by `..`, absolute or by a link. */
function readImageIn(folder: string, path: string): Promise<Uint8Array> {
  return read(path, async () => {
    const root = await realpath(folder);
    const found = await realpath(resolve(root, path));
    const inside = relative(root, found);
    const isOutside = inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside);
    if (inside === "" || isOutside) throw refusal(path, "is not in the folder of --files");
    const file = await open(found, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    // A part of the path may have been replaced by a link between `realpath` and `open`.
    if ((await realpath(found)) === found) return file;
    await file.close();
    throw refusal(path, "is not in the folder of --files");
  });
}

async function read(path: string, opened: () => Promise<FileHandle>): Promise<Uint8Array> {
  try {
    await using file = await opened();
    const info = await file.stat();
    if (!info.isFile()) throw refusal(path, "is not a file");
    if (info.size > limits.image.bytes) {
      throw refusal(path, `has ${info.size} bytes, more than ${limits.image.bytes}`);
    }
    const bytes = await file.readFile();
    // A model could be talked into sending a file with secrets.
    if (imageFormat(bytes)) return bytes;
    throw refusal(path, "is not a PNG, JPEG, WebP or GIF file by its content");
  } catch (fault) {
    if (fault instanceof CliError) throw fault;
    throw refusal(path, `cannot be read (${(fault as NodeJS.ErrnoException).code ?? fault})`);
  }
}

function refusal(path: string, what: string): CliError {
  return new CliError("image_file", `The image ${path} ${what}`, {
    hint: "Give a PNG, JPEG, WebP or GIF of at most 2 MiB",
  });
}
