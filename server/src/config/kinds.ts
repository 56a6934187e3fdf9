import { readFileSync, statSync } from "node:fs";
import { limits } from "@tokenctl/shared/limits";
import { parseSol } from "@tokenctl/shared/sol";
import type { ChainName } from "@tokenctl/shared/words";
import { decodeAddress } from "../base/base58.ts";
import { hostInUrl } from "../base/loopback.ts";
import { parsePostgresUrl } from "../base/postgres-url.ts";

/** A setting's text is wrong. `message` has one line per problem, to follow the setting's name. */
export class WrongSetting extends Error {
  override readonly name = "WrongSetting";
}

export type Env = Readonly<Record<string, string | undefined>>;

type Default = string | Readonly<Record<ChainName, string>>;

export interface Setting<T> {
  readonly kind: Kind<T>;
  /** Null if there is no default: the setting is required, or its value is null. */
  readonly byDefault: Default | null;
  /** Described to readers instead of a default; Markdown. */
  readonly without: string;
  readonly isNeeded: (env: Env) => boolean;
  /** The setting's purpose; Markdown, with links relative to `docs/`. */
  readonly meaning: string;
}

class Kind<T> {
  /** @param allowed the end of a sentence that begins with "must be" */
  constructor(
    readonly allowed: string,
    readonly parse: (text: string) => T,
  ) {}

  or(byDefault: Default, meaning: string): Setting<T> {
    return { kind: this, byDefault, without: "", isNeeded: () => false, meaning };
  }

  required(meaning: string): Setting<T> {
    return { kind: this, byDefault: null, without: "required", isNeeded: () => true, meaning };
  }

  optional(
    without: string,
    meaning: string,
    isNeeded: (env: Env) => boolean = () => false,
  ): Setting<T | null> {
    return { kind: this, byDefault: null, without, isNeeded, meaning };
  }
}

/** @param parse returns undefined for a wrong text, which the message quotes unless it is secret */
function kind<T>(allowed: string, parse: (text: string) => T | undefined, isSecret = false) {
  return new Kind<T>(allowed, (text) => {
    const value = parse(text);
    if (value !== undefined) return value;
    const was = isSecret ? "" : ` was ${JSON.stringify(text)}, but`;
    throw new WrongSetting(`${was} must be ${allowed}`);
  });
}

export const host = kind("a name or an IP address", (value) =>
  URL.canParse(`http://${hostInUrl(value)}`) ? value : undefined,
);

export const path = new Kind("a path", (value) => value);

export const names = new Kind("fingerprints and addresses, separated by commas", (value) =>
  value.split(",").map((part) => part.trim()),
);

/** A URL for links on pages, so `javascript:` is not allowed. */
const link = (...beginnings: readonly string[]) =>
  kind(`a URL that begins with ${beginnings.join(" or ")}`, (value) =>
    beginnings.some((one) => value.startsWith(one)) && /^\S+$/.test(value) && URL.canParse(value)
      ? new URL(value).href
      : undefined,
  );

export const contact = link("https:", "mailto:");
export const webPage = link("https:");

export const line = (most: number) =>
  kind(`one line of at most ${most} characters`, (value) =>
    value.length <= most && !/\p{Cc}/u.test(value) ? value.trim() || undefined : undefined,
  );

export const name = kind("1 to 32 printable characters", (value) =>
  /^[^\p{C}]{1,32}$/u.test(value) ? value : undefined,
);

export const color = kind("a colour as #08734d", (value) =>
  /^#[0-9a-f]{6}$/i.test(value) ? value : undefined,
);

const IMAGE = /^(\x89PNG|\xff\xd8\xff|GIF8|RIFF....WEBP)/s;

export const imageFile = kind("a file of PNG, JPEG, WebP or GIF of at most 2 MiB", (path) => {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? Number.POSITIVE_INFINITY;
  if (size > limits.image.bytes) return undefined;
  const bytes = readFileSync(path);
  return IMAGE.test(bytes.toString("latin1", 0, 12)) ? bytes : undefined;
});

const numberWithin = (from: number, to: number) => (value: string) =>
  /^\d{1,15}$/.test(value) && Number(value) >= from && Number(value) <= to
    ? Number(value)
    : undefined;

export const integer = (from: number, to: number) =>
  kind(`a whole number from ${from} to ${to}`, numberWithin(from, to));

const MAX_LIMIT = 1_000_000;

export const rate = kind(
  `a whole number from 0 to ${MAX_LIMIT}, 0 for no limit`,
  numberWithin(0, MAX_LIMIT),
);

/** A number; 0 means no limit and is read as `Infinity`. */
export const limit = (to = MAX_LIMIT) =>
  kind(`a whole number from 0 to ${to}, 0 for no limit`, (value) => {
    const number = numberWithin(0, to)(value);
    return number === 0 ? Number.POSITIVE_INFINITY : number;
  });

const FLAGS: Readonly<Record<string, boolean>> = { true: true, 1: true, false: false, 0: false };

export const flag = kind("true or false", (value) => FLAGS[value.toLowerCase()]);

export const oneOf = <T extends string>(...allowed: readonly T[]) =>
  kind(`one of ${allowed.join(", ")}`, (value) => allowed.find((one) => one === value));

const lamportsOf = (value: string) =>
  /^\d{1,10}(?:\.\d{1,9})?$/.test(value) ? parseSol(value) : undefined;

export const sol = kind("an amount of SOL, written as 1 or 0.25", lamportsOf);

export const solOrUnlimited = kind(
  "more than 0 SOL, written as 1 or 0.25; for no limit write unlimited",
  (value) => (value === "unlimited" ? null : lamportsOf(value) || undefined),
);

export const address = kind("a base58 address", (value) =>
  decodeAddress(value) ? value : undefined,
);

const isHttpUrl = (value: string) =>
  URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

/** A URL, without trailing slashes. It may hold an API key. */
export const url = kind(
  "an http or https URL",
  (value) => (isHttpUrl(value) ? value.replace(/\/+$/, "") : undefined),
  true,
);

/** Different URLs. They may hold API keys, so messages name a wrong one only by its position. */
export const urls = new Kind("http or https URLs, separated by commas", (value) => {
  const texts = value.split(",").map((part) => part.trim());
  const places = texts.map((part) => (isHttpUrl(part) ? new URL(part).href : null));
  const problems = places.flatMap((href, index) => {
    const which = texts.length === 1 ? "" : `: node ${index + 1} of ${texts.length}`;
    if (href === null) return `${which} must be an http or https URL`;
    const first = places.indexOf(href);
    return first === index ? [] : `${which} is the same URL as node ${first + 1}`;
  });
  if (problems.length > 0) throw new WrongSetting(problems.join("\n"));
  return texts;
});

export const senders = new Kind(
  "http or https URLs, separated by commas; `#mainnet-beta` or another cluster may follow one",
  (value) => {
    const parts = urls.parse(value);
    const wrong = parts.findIndex((part) => {
      const [, cluster] = part.split("#");
      return cluster !== undefined && !NAMED.test(cluster) && !decodeAddress(cluster);
    });
    if (wrong === -1) return parts;
    throw new WrongSetting(
      `: sender ${wrong + 1} names no cluster after #: write mainnet-beta, devnet, testnet or a genesis hash`,
    );
  },
);

const NAMED = /^(mainnet-beta|devnet|testnet)$/;

export const addresses = kind("base58 addresses, separated by commas", (value) => {
  const parts = value.split(",").map((part) => part.trim());
  return parts.every((part) => decodeAddress(part)) ? parts : undefined;
});

export const postgresUrl = new Kind("postgres://USER:PASSWORD@HOST:5432/DATABASE", (value) => {
  try {
    parsePostgresUrl(value);
    return value;
  } catch (error) {
    throw new WrongSetting(` ${(error as Error).message}`);
  }
});

export const origins = kind(
  "origins separated by commas, such as https://app.example, or * for all",
  (value) => {
    const parts = value.split(",").map((part) => part.trim());
    return value === "*" || parts.every(isOrigin) ? parts : undefined;
  },
);

/** Returns whether a text is an origin as browsers send it: no path, no default port, lowercase. */
function isOrigin(value: string): boolean {
  // An operator who writes a `*` in the host means all subdomains, but would get none.
  if (!URL.canParse(value) || !/^https?:[^*]+$/.test(value)) return false;
  return new URL(value).origin === value;
}

export const secret = (leastBytes: number) =>
  new Kind(`at least ${leastBytes} bytes`, (value) => {
    const bytes = Buffer.byteLength(value);
    if (bytes >= leastBytes) return value;
    throw new WrongSetting(` was "${bytes} bytes long", but must be at least ${leastBytes} bytes`);
  });

export const hexSecret = (bytes: number) =>
  kind<Uint8Array>(
    `${bytes} bytes in hex (${2 * bytes} digits), as openssl rand -hex ${bytes} makes them`,
    (value) =>
      value.length === 2 * bytes && /^[0-9a-f]+$/i.test(value)
        ? Buffer.from(value, "hex")
        : undefined,
    true,
  );

/** A signer outside this process. Its URL may hold a password. */
export const signer = kind(
  "an https URL",
  (text) => {
    const value = text.trim();
    if (!isHttpUrl(value)) return undefined;
    const { protocol, hostname } = new URL(value);
    if (protocol === "https:" || ["127.0.0.1", "[::1]", "localhost"].includes(hostname)) {
      return { kind: "http", url: value } as const;
    }
    throw new WrongSetting(": http is for this machine only, 127.0.0.1 or localhost; use https");
  },
  true,
);
