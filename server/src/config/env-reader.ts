import { formatSol, parseSol } from "@tokenctl/shared/sol";
import { decodeAddress } from "../base/base58.ts";
import { parsePostgresUrl } from "../base/postgres-url.ts";
import { isNear } from "./misspelt.ts";

/** Variables are missing or wrong; `message` names all of them, one a line. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/**
 * Reads typed values from environment variables and collects all problems, so that the operator sees
 * them at once. An empty variable counts as not set.
 */
export class EnvReader {
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #problems: string[] = [];
  readonly #names = new Set<string>();

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#env = env;
  }

  /** The names of the variables that were read so far. */
  get names(): ReadonlySet<string> {
    return this.#names;
  }

  /** @throws {ConfigError} if any variable that was read is missing or wrong */
  finish(): void {
    if (this.#problems.length > 0) throw new ConfigError(this.#problems.join("\n"));
  }

  /** Adds a problem that several variables cause together. */
  refuse(problem: string): void {
    this.#problems.push(problem);
  }

  /** Without a fallback the variable is required. */
  text(name: string, fallback?: string): string {
    const value = this.#value(name) || fallback;
    if (value !== undefined) return value;
    const other = Object.keys(this.#env).find((set) => this.#env[set] && isNear(set, name));
    const hint = other === undefined ? "" : ` (${other} is: is that a misspelling?)`;
    this.#problems.push(`${name} is not set, and is needed${hint}`);
    return "";
  }

  integer<Fallback extends number | null>(
    name: string,
    fallback: Fallback,
    min: number,
    max: number,
  ): number | Fallback {
    const text = this.#value(name);
    if (!text) return fallback;
    const value = Number(text);
    if (/^\d{1,15}$/.test(text) && value >= min && value <= max) return value;
    return this.#wrong(name, text, `a whole number from ${min} to ${max}`, fallback);
  }

  flag(name: string, fallback: boolean): boolean {
    const text = this.#value(name)?.toLowerCase();
    if (!text) return fallback;
    if (text === "true" || text === "1") return true;
    if (text === "false" || text === "0") return false;
    return this.#wrong(name, text, "true or false", fallback);
  }

  /** An amount of SOL. @returns lamports */
  sol<Fallback extends bigint | null>(
    name: string,
    fallback: Fallback,
    min = 0n,
  ): bigint | Fallback {
    const text = this.#value(name);
    if (!text) return fallback;
    const lamports = this.#lamports(text);
    if (lamports !== null && lamports >= min) return lamports;
    return this.#wrong(
      name,
      text,
      `at least ${formatSol(min)} SOL, written as 1 or 0.25`,
      fallback,
    );
  }

  /**
   * A limit in SOL that has no default: without a limit the operator has to write `unlimited`.
   *
   * @param what says what is limited, for the message if the variable is not set
   * @returns lamports; null for no limit
   */
  solOrUnlimited(name: string, what: string): bigint | null {
    const text = this.#value(name);
    if (text === "unlimited") return null;
    if (!text) {
      this.#problems.push(
        `${name} is not set, and is needed: ${what}, written as 1 or 0.25, or the word unlimited`,
      );
      return null;
    }
    const lamports = this.#lamports(text);
    if (lamports !== null && lamports > 0n) return lamports;
    const mayBe = "more than 0 SOL, written as 1 or 0.25; for no limit write unlimited";
    return this.#wrong(name, text, mayBe, null);
  }

  oneOf<T extends string>(
    name: string,
    fallback: T,
    allowed: readonly string[],
    isAllowed: (value: string) => value is T,
  ): T {
    const text = this.#value(name);
    if (!text) return fallback;
    if (isAllowed(text)) return text;
    return this.#wrong(name, text, `one of ${allowed.join(", ")}`, fallback);
  }

  /** An http or https URL. The message does not repeat a wrong one, which may carry an API key. */
  url(name: string, fallback?: string): string {
    const text = this.text(name, fallback);
    if (text === "" || isHttpUrl(text)) return text;
    return this.#wrong(name, null, "an http or https URL", "");
  }

  /** A PostgreSQL URL. Null if not set. No message repeats it: it may hold a password. */
  postgresUrl(name: string): string | null {
    const text = this.#value(name);
    if (!text) return null;
    try {
      parsePostgresUrl(text);
      return text;
    } catch (error) {
      this.#problems.push(`${name} ${(error as Error).message}`);
      return null;
    }
  }

  /**
   * Different http or https URLs, separated by commas. Messages name a wrong one by its place alone,
   * because it may carry an API key.
   */
  urls(name: string): readonly string[] {
    const texts = (this.#value(name) ?? "").split(",").map((text) => text.trim());
    if (texts.length === 1) return [this.url(name)];
    const places = new Map<string, number>();
    for (const [index, text] of texts.entries()) {
      const which = `${name}: node ${index + 1} of ${texts.length}`;
      if (!isHttpUrl(text)) {
        this.#problems.push(`${which} must be an http or https URL`);
        continue;
      }
      const { href } = new URL(text);
      const place = places.get(href);
      if (place === undefined) places.set(href, index + 1);
      else this.#problems.push(`${which} is the same URL as node ${place}`);
    }
    return texts;
  }

  /** Origins of web pages, separated by commas, or `*` for all. None if not set. */
  origins(name: string): readonly string[] {
    const text = this.#value(name);
    if (!text) return [];
    const origins = text.split(",").map((origin) => origin.trim());
    if (origins.every(isOrigin) || text === "*") return origins;
    const mayBe = "origins separated by commas, such as https://app.example, or * for all";
    return this.#wrong(name, text, mayBe, []);
  }

  address(name: string): string {
    const text = this.text(name);
    if (text === "" || decodeAddress(text)) return text;
    return this.#wrong(name, text, "a base58 address", "");
  }

  /** Null if not set. */
  optionalAddress(name: string): string | null {
    return this.text(name, "") === "" ? null : this.address(name);
  }

  /** A secret of at least so many bytes, which no message repeats. Null if not set. */
  secret(name: string, minBytes: number): string | null {
    const text = this.#value(name);
    if (!text) return null;
    const length = Buffer.byteLength(text);
    if (length >= minBytes) return text;
    return this.#wrong(name, `${length} bytes long`, `at least ${minBytes} bytes`, null);
  }

  /** A secret of so many bytes in hex, which no message repeats. Null if not set. */
  hexSecret(name: string, bytes: number): Uint8Array | null {
    const text = this.#value(name);
    if (!text) return null;
    if (text.length === 2 * bytes && /^[0-9a-f]+$/i.test(text)) return Buffer.from(text, "hex");
    const mayBe = `${bytes} bytes in hex (${2 * bytes} digits), as openssl rand -hex ${bytes} makes them`;
    return this.#wrong(name, null, mayBe, null);
  }

  #value(name: string): string | undefined {
    this.#names.add(name);
    return this.#env[name];
  }

  /** @returns null if the text is not a decimal number */
  #lamports(text: string): bigint | null {
    try {
      return parseSol(text);
    } catch {
      return null;
    }
  }

  #wrong<T>(name: string, was: string | null, mayBe: string, instead: T): T {
    const shown = was === null ? "" : `was ${JSON.stringify(was)}, but `;
    this.#problems.push(`${name} ${shown}must be ${mayBe}`);
    return instead;
  }
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** @returns whether it is an origin as browsers send it: no path, no default port, lowercase */
function isOrigin(text: string): boolean {
  // No host has a `*`: whoever writes one means all subdomains, and would get none.
  if (!URL.canParse(text) || !/^https?:[^*]+$/.test(text)) return false;
  return new URL(text).origin === text;
}
