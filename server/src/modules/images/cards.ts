import { lamportsToSol } from "@tokenctl/shared/sol";
import { ServiceError } from "../../base/service-error.ts";
import {
  clientOf,
  type SharePercents,
  type SharePlace,
  SharePool,
  sharesOf,
} from "../../domain/shares.ts";
import { priceInSol } from "../../domain/token.ts";
import type { Store } from "../../store/store.ts";
import type { CardFacts } from "./card.ts";
import type { ImageDecoder } from "./decoder.ts";
import { type ImageService, MEDIUM } from "./service.ts";

/** Milliseconds for which a card is kept, also one that could not be drawn. */
const KEPT_MS = 10 * 60_000;
/** Cards that are kept at a time, and those for one address: each takes about 0.1 s of CPU and 50 KB. */
const MOST = 300;
const MOST_OF_ADDRESS = 30;
const POINTS = 64;
const RETRY_SECONDS = 60;

interface Kept {
  readonly card: Promise<Uint8Array>;
  readonly place: SharePlace;
  readonly until: number;
}

interface CardsDeps {
  readonly store: Pick<Store, "tokens" | "markets" | "clock">;
  readonly images: Pick<ImageService, "hashOf" | "read">;
  readonly drawer: Pick<ImageDecoder, "draw">;
  readonly shares: SharePercents;
  readonly service: string;
}

/** The cards of tokens, each drawn once in ten minutes: who asks for one holds a place until then. */
export class TokenCards {
  readonly #kept = new Map<string, Kept>();
  readonly #places: SharePool;

  constructor(private readonly deps: CardsDeps) {
    this.#places = new SharePool(sharesOf(MOST, MOST_OF_ADDRESS, deps.shares));
  }

  /** @returns a PNG. @throws {ServiceError} 404 for an unknown token, 429 if too many are asked for */
  async read(mint: string, address: string | null): Promise<Uint8Array> {
    const now = this.deps.store.clock.elapsed();
    for (const [old, { until, place }] of this.#kept) {
      if (until > now) break;
      place[Symbol.dispose]();
      this.#kept.delete(old);
    }
    // A token that was hidden has no card any more.
    if ((await this.deps.store.tokens.withLaunch(mint)) === null) {
      throw new ServiceError("token_not_found");
    }
    const before = this.#kept.get(mint);
    if (before) return before.card;
    const facts = await this.#factsOf(mint);
    const known = this.#kept.get(mint);
    if (known) return known.card;
    const { agent: _, ...client } = address === null ? { agent: "" } : clientOf("", address);
    const place = this.#places.take(client);
    if (typeof place === "string") {
      throw new ServiceError(place === "total" ? "too_many_requests" : "share_used", {
        retryAfterSeconds: RETRY_SECONDS,
        advice: "Many cards were drawn in the last minutes.",
      });
    }
    const card = this.deps.drawer.draw(facts).then(({ bytes }) => bytes);
    this.#kept.set(mint, { card, place, until: now + KEPT_MS });
    return card;
  }

  async #factsOf(mint: string): Promise<CardFacts> {
    const { store, images, service } = this.deps;
    const [row, about, [market]] = await Promise.all([
      store.tokens.withLaunch(mint),
      store.tokens.metadata(mint),
      store.markets.of([mint]),
    ]);
    if (row === null || about === null) throw new ServiceError("token_not_found");
    const history = await store.markets.history(row.id, "month", store.clock.now());
    const step = Math.max(1, Math.ceil(history.length / POINTS));
    const hash = images.hashOf(about.imageUrl ?? "");
    const image = hash ? await images.read(hash, MEDIUM).catch(() => null) : null;
    return {
      kind: "card",
      service,
      ticker: about.ticker,
      name: about.name,
      marketCap: market ? `${NUMBER.format(lamportsToSol(market.marketCap))} SOL` : null,
      progress: market ? Number(market.raised ?? market.goal) / Number(market.goal) : null,
      isMigrated: market?.raised === null,
      prices: history
        .filter((_, index) => index % step === 0)
        .map(({ price }) => priceInSol(price)),
      image: image && { mediaType: image.mediaType, bytes: image.bytes },
    };
  }
}

const NUMBER = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 4 });
