import { shortNumber } from "@tokenctl/shared/page-facts";
import { lamportsToSol } from "@tokenctl/shared/sol";
import { BoundedMap } from "../../base/cache.ts";
import { ServiceError } from "../../base/service-error.ts";
import { clientOf, type SharePercents, sharesOf, TimedShares } from "../../domain/shares.ts";
import { priceInSol } from "../../domain/token.ts";
import { requirePlace } from "../../http/admit.ts";
import type { Store } from "../../store/store.ts";
import type { TokenWithLaunch } from "../../store/tokens.ts";
import type { CardFacts } from "./card.ts";
import type { ImageDecoder } from "./decoder.ts";
import { type ImageService, MEDIUM } from "./service.ts";

/** How long a card is kept, in milliseconds. One that could not be drawn may be asked for sooner. */
const KEPT_MS = 10 * 60_000;
/** Limits of kept cards, in all and for one address. Each takes about 0.1 s of CPU and 50 KB. */
const MOST = 300;
const MOST_OF_ADDRESS = 30;
const POINTS = 64;
const RETRY_SECONDS = 60;

/** Draws each token's card once in ten minutes. Its first reader holds a place until then. */
export class TokenCards {
  readonly #cards = new BoundedMap<string, { png: Promise<Uint8Array>; endsAt: number }>(MOST);
  readonly #places: TimedShares;

  constructor(
    private readonly deps: {
      readonly store: Store;
      readonly images: Pick<ImageService, "hashOf" | "read">;
      readonly decoder: Pick<ImageDecoder, "make">;
      readonly shares: SharePercents;
      readonly service: string;
    },
  ) {
    const shares = sharesOf(MOST, MOST_OF_ADDRESS, deps.shares);
    this.#places = new TimedShares(shares, () => deps.store.clock.elapsed());
  }

  /** Returns a PNG. @throws {ServiceError} 404 for an unknown token, 429 for too many requests */
  async read(mint: string, address: string | null): Promise<Uint8Array> {
    const { clock, tokens } = this.deps.store;
    const now = clock.elapsed();
    // A token that was hidden no longer has a card.
    const row = await tokens.withLaunch(mint);
    if (row === null) throw new ServiceError("token_not_found");
    const kept = this.#cards.get(mint);
    if (kept && kept.endsAt > now) return kept.png;
    requirePlace(this.#places.take(clientOf(undefined, address), now + KEPT_MS), RETRY_SECONDS);
    const card = { png: this.#draw(row), endsAt: now + KEPT_MS };
    this.#cards.set(mint, card);
    card.png.catch(() => {
      card.endsAt = now + RETRY_SECONDS * 1_000;
    });
    return card.png;
  }

  async #draw({ id, tokenMint: mint }: TokenWithLaunch): Promise<Uint8Array> {
    const { store, images, decoder, service } = this.deps;
    const [about, [market]] = await Promise.all([
      store.tokens.metadata(mint),
      store.markets.of([mint]),
    ]);
    if (about === null) throw new ServiceError("token_not_found");
    const history = await store.markets.history(id, "month", store.clock.now());
    const step = Math.max(1, Math.ceil(history.length / POINTS));
    const hash = images.hashOf(about.imageUrl ?? "");
    const image = hash ? await images.read(hash, MEDIUM, null).catch(() => null) : null;
    const facts: CardFacts = {
      kind: "card",
      service,
      ticker: about.ticker,
      name: about.name,
      marketCap: market ? `${shortNumber(lamportsToSol(market.marketCap))} SOL` : null,
      progress: market ? Number(market.raised ?? market.goal) / Number(market.goal) : null,
      isMigrated: market?.raised === null,
      prices: history
        .filter((_, index) => index % step === 0)
        .map(({ at, price }) => ({ at, price: priceInSol(price) })),
      image: image?.bytes ?? null,
    };
    return (await decoder.make(facts)).bytes;
  }
}
