import { isIP } from "node:net";
import { Elysia } from "elysia";
import ipaddr from "ipaddr.js";
import { type Clock, DAY_MS } from "../base/clock.ts";
import { ServiceError } from "../base/service-error.ts";
import type { LimitsConfig } from "../config/config.ts";
import { clientOf, type ShareLevel, sharesOf, TimedShares } from "../domain/shares.ts";
import type { BearerTokens } from "./bearer-tokens.ts";

/** The `Bearer` scheme of RFC 6750, section 2.1. */
const BEARER = /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i;
/** Our tokens have about 350 characters. A longer header is refused without parsing it. */
const MAX_LENGTH = 2048;

export function bearerPlugin(tokens: BearerTokens, limit: RateLimit, onBadToken: AddressLimit) {
  async function verify(header: string, request: Request) {
    const token = header.length > MAX_LENGTH ? undefined : BEARER.exec(header)?.[1];
    if (token === undefined) throw new ServiceError("missing_authorization");
    const session = await tokens.verify(token);
    if (session !== null) return session;
    onBadToken(request);
    throw new ServiceError("invalid_token");
  }
  return new Elysia({ name: "bearer" }).resolve({ as: "scoped" }, async ({ request }) => {
    const header = request.headers.get("authorization") ?? "";
    // A token that was verified before needs neither the regular expression nor a verification.
    const known = header.startsWith("Bearer ") ? tokens.recall(header.slice(7)) : undefined;
    const session = known ?? (await verify(header, request));
    limit.spend(session.wallet);
    return { ...session };
  });
}

const CAPACITY = 100_000;
/** A minute in microseconds: whole numbers add up exactly, fractions of milliseconds do not. */
const WINDOW = 60_000_000;
const SWEEP = 8;
/** The least share of a limit per server: a client may use only one of many servers. */
const LEAST_PART = 0.5;

/** Counts a request without sign-in against its network address. @throws {ServiceError} 429 */
export type AddressLimit = (request: Request) => void;

/**
 * Allows each client a number of requests per minute, by the generic cell rate algorithm (ITU-T
 * I.371, annex A) with one number per client. No maintained library (rate-limiter-flexible,
 * elysia-rate-limit) takes a clock, is synchronous and bounds its memory.
 */
export class RateLimit {
  /** When each client's allowance is full again ("theoretical arrival time"). */
  readonly #fullAt = new Map<string, number>();
  #sweep = this.#fullAt.entries();

  constructor(
    private readonly perMinute: number,
    private readonly deps: {
      readonly clock: Pick<Clock, "elapsed">;
      readonly liveServers: () => number;
    },
  ) {}

  get size(): number {
    return this.#fullAt.size;
  }

  spend(client: string): void {
    if (this.perMinute === 0) return;
    const part = Math.max(LEAST_PART, 1 / this.deps.liveServers());
    const perMinute = Math.ceil(this.perMinute * part);
    const retryAfterSeconds = this.take(client, perMinute);
    if (retryAfterSeconds === 0) return;
    throw new ServiceError("too_many_requests", {
      retryAfterSeconds,
      advice: `Try again in ${retryAfterSeconds} s; at most ${perMinute} requests a minute are answered.`,
    });
  }

  /**
   * Counts a request if it is allowed, and returns 0; otherwise the seconds until one is. If
   * `perMinute` (1 to 1,000,000) changes, a client's used share stays the same.
   */
  take(client: string, perMinute: number): number {
    const interval = Math.floor(WINDOW / perMinute);
    const now = this.deps.clock.elapsed() * 1000;
    const known = this.#fullAt.get(client);
    const after = Math.max(known ?? now, now) + interval;
    const room = now + WINDOW - after;
    if (room < 0) return Math.ceil(-room / 1_000_000);
    if (known === undefined) this.#makeRoom(now);
    this.#fullAt.set(client, after);
    return 0;
  }

  /** Drops full allowances, otherwise the least used: a flood must not reset the attacker's own. */
  #makeRoom(now: number): void {
    let least: [string, number] | null = null;
    for (let checked = 0; checked < SWEEP; checked++) {
      const { value: entry } = this.#sweep.next();
      if (entry === undefined) this.#sweep = this.#fullAt.entries();
      else if (entry[1] <= now) this.#fullAt.delete(entry[0]);
      else if (least === null || entry[1] < least[1]) least = entry;
    }
    if (this.#fullAt.size >= CAPACITY && least !== null) this.#fullAt.delete(least[0]);
  }
}

export interface Peers {
  requestIP(request: Request): { readonly address: string } | null;
}

const MAX_ADDRESS = 64;
const NO_NETWORK = "local";
const LOOPBACK_6 = "0:0:0:0::/64";

/**
 * Returns the client's IPv4 address or IPv6 /64, which belongs to one subscriber, for example
 * `2001:db8:0:7::/64`; `local` if there is no network.
 * @param trustProxy whether our proxy wrote the last entry of `X-Forwarded-For`; the client may
 * have invented the others
 */
export function clientAddress(request: Request, peers: Peers | null, trustProxy: boolean): string {
  const forwarded = trustProxy ? lastForwarded(request.headers.get("x-forwarded-for")) : null;
  const address = forwarded ?? peers?.requestIP(request)?.address;
  return address === undefined ? NO_NETWORK : subscriber(address);
}

/** Returns a place in what clients share. @throws {ServiceError} 429 if there is none */
export function requirePlace<Place extends object>(
  place: Place | ShareLevel,
  retryAfterSeconds: number,
): Place {
  if (typeof place !== "string") return place;
  const isOfAddress = place === "address" || place === "network";
  throw new ServiceError(isOfAddress ? "share_used" : "too_many_requests", { retryAfterSeconds });
}

/** Webhooks and fee thresholds that are added in a day, in all and by one agent at least. */
const MOST_ADDED = 10_000;
const MOST_OF_AGENT = 100;

/** Returns a function that takes the place of one that is added. @throws {ServiceError} 429 */
export function dayPlaces({ shares, maxWebhooksOfAgent }: LimitsConfig, clock: Clock) {
  const of = sharesOf(MOST_ADDED, Math.max(MOST_OF_AGENT, maxWebhooksOfAgent), shares);
  const places = new TimedShares(of, () => clock.elapsed());
  return (wallet: string, address: string | null) =>
    requirePlace(places.take(clientOf(wallet, address), clock.elapsed() + DAY_MS), 3_600);
}

export type DayPlaces = ReturnType<typeof dayPlaces>;

export type ShareAddress = (request: Request) => string | null;

export function shareAddress(
  { trustProxy, exemptsLoopback }: Pick<LimitsConfig, "trustProxy" | "exemptsLoopback">,
  peers: () => Peers | null,
): ShareAddress {
  return (request) => {
    const address = clientAddress(request, peers(), trustProxy);
    if (address === NO_NETWORK) return null;
    const isLoopback = address === LOOPBACK_6 || address.startsWith("127.");
    return isLoopback && exemptsLoopback ? null : address;
  };
}

function lastForwarded(header: string | null): string | null {
  const last = header?.slice(header.lastIndexOf(",") + 1).trim();
  if (last === undefined || last.length > MAX_ADDRESS) return null;
  // Some proxies append the port: `192.0.2.1:443`, `[2001:db8::1]:443`.
  const address = /^\[(.+)\](?::\d+)?$/.exec(last)?.[1] ?? last.replace(/^([\d.]+):\d+$/, "$1");
  return isIP(address) ? address : null;
}

/** The gateway of an IPv6 network maps IPv4 clients to `64:ff9b::192.0.2.1` (RFC 6052). */
const NAT64 = ipaddr.IPv6.parse("64:ff9b::");

export function subscriber(address: string): string {
  if (isIP(address) !== 6) return address;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  if (parsed.match(NAT64, 96)) return parsed.toByteArray().slice(12).join(".");
  const prefix = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${prefix.join(":")}::/64`;
}
