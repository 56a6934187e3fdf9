/** Draws token cards of 1200 × 630 pixels, and the service's icon, in `decoder.ts`'s process. */
import interFont from "@fontsource/inter/files/inter-latin-600-normal.woff2" with { type: "file" };
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import resvgWasm from "@resvg/resvg-wasm/index_bg.wasm" with { type: "file" };
import { type CleanImage, sanitizeImage } from "./sanitize.ts";

export interface CardFacts {
  readonly kind: "card";
  readonly service: string;
  readonly ticker: string;
  readonly name: string;
  /** For example `54.48 SOL`; null if it is not known. */
  readonly marketCap: string | null;
  /** Progress along its bonding curve, from 0 to 1; null if it is not known. */
  readonly progress: number | null;
  readonly isMigrated: boolean;
  /** Prices, oldest first, each with the time in milliseconds at which it changed. */
  readonly prices: readonly PriceAt[];
  readonly image: Uint8Array | null;
}

type PriceAt = Readonly<Record<"at" | "price", number>>;

const [WIDTH, HEIGHT, SIDE] = [1_200, 630, 72];

/** The service's icon: the operator's logo, otherwise a drawing. */
export interface IconFacts {
  readonly kind: "icon";
  readonly svg: string;
  readonly logo: Uint8Array | null;
}

const ICON_SIDE = 256;

let font: Promise<Uint8Array> | null = null;

async function load(): Promise<Uint8Array> {
  await initWasm(await Bun.file(resvgWasm).arrayBuffer());
  return await Bun.file(interFont).bytes();
}

export async function draw(facts: CardFacts | IconFacts): Promise<CleanImage> {
  if (facts.kind === "card") return drawn(await cardSvg(facts), WIDTH);
  if (facts.logo === null) return drawn(facts.svg, ICON_SIDE);
  const { bytes, ...logo } = await sanitizeImage(facts.logo);
  const scaled = new Bun.Image(bytes).resize(ICON_SIDE, ICON_SIDE, { fit: "inside" }).png();
  return { ...logo, bytes: await scaled.bytes(), mediaType: "image/png" };
}

async function drawn(svg: string, width: number): Promise<CleanImage> {
  font ??= load();
  const fontBuffers = [await font];
  const drawing = new Resvg(svg, {
    font: { fontBuffers, defaultFontFamily: "Inter", loadSystemFonts: false },
    fitTo: { mode: "width", value: width },
  });
  const rendered = drawing.render();
  const bytes = rendered.asPng();
  rendered.free();
  drawing.free();
  return { bytes, mediaType: "image/png", small: null, medium: null };
}

async function cardSvg(facts: CardFacts): Promise<string> {
  const { service, ticker, name, marketCap, progress, isMigrated, prices } = facts;
  const done = isMigrated ? 1 : (progress ?? 0);
  const said = isMigrated
    ? "Graduated to a liquidity pool"
    : progress === null
      ? ""
      : `${Math.floor(100 * progress)} % of its bonding curve`;
  // A ticker is never cut: another token could have the same beginning.
  const size = Math.min(96, 796 / [...ticker].reduce((sum, letter) => sum + widthOf(letter), 0));
  const inner = WIDTH - 2 * SIDE;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" font-family="Inter" font-weight="600" fill="#eef3f1">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#0c0f0e"/>
<clipPath id="round"><rect x="${SIDE}" y="${SIDE}" width="220" height="220" rx="48"/></clipPath>
${await picture(facts)}
<text x="332" y="168" font-size="${size}">${text(ticker)}</text>
<text x="332" y="240" font-size="44" fill="#a2aeaa">${fitted(isDrawable(name) ? name : "", 44, 796)}</text>
${sparkline(prices)}
<text x="${SIDE}" y="372" font-size="30" fill="#a2aeaa">${marketCap === null ? "" : "Market cap"}</text>
<text x="${SIDE}" y="446" font-size="68" fill="#4fdc9f">${text(marketCap ?? "")}</text>
<rect x="${SIDE}" y="492" width="${inner}" height="16" rx="8" fill="#1d2321"/>
<rect x="${SIDE}" y="492" width="${Math.max(16, inner * done)}" height="16" rx="8" fill="#4fdc9f"/>
<text x="${SIDE}" y="566" font-size="30" fill="#a2aeaa">${text(said)}</text>
<text x="${WIDTH - SIDE}" y="566" font-size="30" text-anchor="end" fill="#a2aeaa">${fitted(isDrawable(service) ? service : "", 30, 400)}</text>
</svg>`;
}

async function picture({ image, ticker }: CardFacts): Promise<string> {
  const place = `x="${SIDE}" y="${SIDE}" width="220" height="220"`;
  if (image === null) {
    return `<rect ${place} rx="48" fill="#08734d"/><text x="${SIDE + 110}" y="${SIDE + 142}" font-size="92" text-anchor="middle">${text(ticker.slice(0, 2))}</text>`;
  }
  const png = await new Bun.Image(image).resize(220, 220).png().bytes();
  return `<image ${place} clip-path="url(#round)" href="data:image/png;base64,${png.toBase64()}"/>`;
}

function sparkline(all: readonly PriceAt[]): string {
  const [first, last] = [all[0], all.at(-1)];
  if (!first || !last || first === last) return "";
  const prices = all.map(({ price }) => price);
  const [least, most] = [Math.min(...prices), Math.max(...prices)];
  const [left, right, top, foot] = [640, WIDTH - SIDE, 330, 450];
  const points = all.map(({ at, price }) => {
    const x = left + ((right - left) * (at - first.at)) / (last.at - first.at);
    const y = foot - ((price - least) / (most - least || 1)) * (foot - top);
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  });
  return `<path d="M${points.join("L")}" fill="none" stroke="#4fdc9f" stroke-width="5" stroke-linejoin="round" stroke-linecap="round"/>`;
}

const isDrawable = (name: string) => /^[\u0020-\u007e\u00a1-\u00ff\u2013-\u2026]*$/.test(name);

/** The width of three dots, as a fraction of the font size. */
const ELLIPSIS = 0.9;

/** Returns the width of the widest letter of its kind, as a fraction of the font size. */
const widthOf = (letter: string) =>
  /[WM@%]/.test(letter) ? 1.06 : /[A-Z0-9mw&]/.test(letter) ? 0.76 : 0.6;

function fitted(full: string, size: number, width: number): string {
  let room = width / size - ELLIPSIS;
  const letters = [...full];
  const cut = letters.findIndex((letter) => {
    room -= widthOf(letter);
    return room < 0;
  });
  return text(cut === -1 ? full : `${letters.slice(0, cut).join("")}…`);
}

const text = (value: string) => Bun.escapeHTML(value);
