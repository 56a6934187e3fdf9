import type { LaunchPayer } from "@tokenctl/shared/words";
import { Elysia } from "elysia";
import { VERSION } from "./base/version.ts";
import { sharesOf, TimedShares } from "./domain/shares.ts";
import {
  type AddressLimit,
  bearerPlugin,
  clientAddress,
  dayPlaces,
  RateLimit,
  shareAddress,
} from "./http/admit.ts";
import { routes } from "./http/endpoint.ts";
import type { CurrentServer } from "./http/listen.ts";
import { type ListedRoute, openapiPlugin } from "./http/openapi-document.ts";
import { accessLog, type RequestObserver, requestsPlugin } from "./http/requests.ts";
import { AuthService, authEndpoints, Nonces } from "./modules/auth.ts";
import { HandOverService } from "./modules/claims/hand-overs.ts";
import { claimEndpoints, handOverEndpoints } from "./modules/claims/routes.ts";
import { ClaimService } from "./modules/claims/service.ts";
import { PublicPages } from "./modules/console/public-pages.ts";
import { consoleRoutes, loadConsole } from "./modules/console/routes.ts";
import { footLinks, wordsPages } from "./modules/console/words.ts";
import { devEndpoints } from "./modules/dev.ts";
import { eventEndpoints, thresholdEndpoints } from "./modules/events/routes.ts";
import { EventService } from "./modules/events/service.ts";
import { healthEndpoints } from "./modules/health/service.ts";
import { TokenCards } from "./modules/images/cards.ts";
import { imageEndpoints } from "./modules/images/routes.ts";
import { ImageService } from "./modules/images/service.ts";
import { findRefusal, LaunchChecker } from "./modules/launches/check.ts";
import { PaidLaunches } from "./modules/launches/paid-launches.ts";
import { LaunchGate } from "./modules/launches/refusals.ts";
import { inviteEndpoints, launchEndpoints } from "./modules/launches/routes.ts";
import { LaunchService } from "./modules/launches/service.ts";
import { TokenProofs, tokenVerifier } from "./modules/proofs/service.ts";
import { metadataEndpoints, publicEndpoints } from "./modules/public.ts";
import { SigningService } from "./modules/signing/service.ts";
import { textEndpoints } from "./modules/texts.ts";
import { tokenEndpoints, walletEndpoint } from "./modules/tokens.ts";
import { webhookEndpoints } from "./modules/webhooks/routes.ts";
import type { Services, Wiring } from "./services.ts";

/** Claims that the launch wallet pays for in a day: one that fails on chain costs it the fee. */
const MAX_SPONSORED = 5_000;

export function createApp(of: Wiring, parts: Services) {
  const { config, store, chain, log, crashPoint } = of;
  const { limits, publicUrl } = config;
  const { clock } = store;
  const { launchpad, budget, agentFunds, sandbox } = chain;
  const { bearerTokens, health, pauseReason, chainMonitor, worker } = parts;
  const server: CurrentServer = () => app.server;
  const listed = (): readonly ListedRoute[] => app.routes;
  const ownUrl = contentUrl(publicUrl, server);

  const nonces = new Nonces({
    clock,
    host: publicHost(publicUrl, server),
    used: store.usedNonces,
    sharedSecret: parts.nonceSecret,
  });
  const auth = new AuthService(nonces, bearerTokens);
  const images = new ImageService({
    images: store.images,
    clock,
    bounds: limits.images,
    decoder: parts.imageDecoder,
    shares: limits.shares,
    baseUrl: contentUrl(config.metadataBaseUrl, server),
    publicUrl: ownUrl,
  });
  const gate = new LaunchGate(pauseReason, agentFunds);
  const intake = { limits: limits.launches, budget, gate, images };
  const onAccepted = (payer: LaunchPayer) => {
    void crashPoint?.("launch.accepted");
    if (payer === "operator") worker.wake();
  };
  const launches = new LaunchService(store, onAccepted, {
    ...intake,
    findRefusal: (launch) => findRefusal(chain.signing, launch),
    trouble: () => chainMonitor.stall ?? worker.trouble,
  });
  const { submitter } = parts;
  const signing = new SigningService({ store, chain: chain.signing, submitter });
  const signed = { store, chain: launchpad, signing };
  const { maxPerHour } = limits.launches;
  const paid = new PaidLaunches({ ...signed, maxPerHour, crashPoint });
  const sponsoredShares = sharesOf(MAX_SPONSORED, MAX_SPONSORED / 100, limits.shares);
  const sponsored = limits.sponsorsClaims
    ? new TimedShares(sponsoredShares, () => clock.elapsed())
    : null;
  const claims = new ClaimService({ ...signed, sponsored });
  const handOvers = new HandOverService(signed);
  const events = new EventService(store, parts.eventReaders);
  const takeDayPlace = dayPlaces(limits, clock);
  const receivers = {
    allowsLoopback: config.allowsLocalReceivers,
    maxOfAgent: limits.maxWebhooksOfAgent,
    takeDayPlace,
  };
  const checker = new LaunchChecker({
    ...intake,
    store,
    readHealth: () => health.check(),
    terms: chain.terms,
    checkPaid: (order) => chain.signing.checkLaunch(order),
  });

  // A SQLite database has one server, but may still list the one before it.
  const rates = { clock, liveServers: () => (store.isShared ? parts.reports.live : 1) };
  const limited = (perMinute: number) => new RateLimit(perMinute, rates);
  const limitedByAddress = (perMinute: number): AddressLimit => {
    const limit = limited(perMinute);
    return (request) => limit.spend(clientAddress(request, server(), limits.trustProxy));
  };
  const bearer = bearerPlugin(
    bearerTokens,
    limited(limits.agentPerMinute),
    // Counted apart from sign-ins: a client with an expired token must be able to sign in again.
    limitedByAddress(limits.authPerMinute),
  );
  const spendPublic = limitedByAddress(limits.publicPerMinute);
  const { rpcShares } = chain;
  const addressOf = shareAddress(limits, server);
  const http = { bearer, server, addressOf, pauseReason, rpcShares };
  const observers: RequestObserver[] = [
    accessLog(log),
    ({ status }) => status === 500 && void parts.databaseMonitor.wake(),
    ...(of.metrics ? [of.metrics.observeRequest] : []),
  ];

  const url = config.pages.contactUrl;
  const contact = url === null ? null : { url, clock, publicUrl: ownUrl };
  const app = new Elysia({
    // By default Elysia looks for the path after the 11th character of the URL, and misses it if
    // the client's Host header is very short.
    handler: { standardHostname: false },
  })
    .use(requestsPlugin(observers, config, listed))
    .use(openapiPlugin(listed, ownUrl, VERSION))
    .use(
      routes(http, [
        ...healthEndpoints(health),
        ...textEndpoints(contact),
        ...metadataEndpoints(store),
        ...publicEndpoints(store, tokenProofs(of), spendPublic),
        ...imageEndpoints(images, clock),
        ...authEndpoints(
          auth,
          limitedByAddress(limits.authPerMinute),
          limited(limits.walletPerMinute),
        ),
        ...launchEndpoints({ launches, paid, checker, events }),
        ...inviteEndpoints(store),
        ...claimEndpoints(claims, signed),
        ...handOverEndpoints(handOvers),
        ...tokenEndpoints(store, handOvers),
        walletEndpoint(launchpad),
        ...eventEndpoints(events, server),
        ...thresholdEndpoints(store, takeDayPlace),
        ...webhookEndpoints(store, parts.webhooks, receivers),
        ...(sandbox ? devEndpoints(sandbox, store) : []),
      ]),
    );
  if (config.console === "off") return app;
  const { name, logo, color } = config.brand;
  const words = {
    name,
    ...config.pages,
    isSandbox: config.chain.chain === "local",
    payers: limits.launches.payers,
    sponsorsClaims: limits.sponsorsClaims,
    eventsMs: limits.events.retentionMs,
  };
  const brand = { name, pages: footLinks(words), hasLogo: logo !== null, version: VERSION };
  const isPrivate = config.console === "private";
  const cards = new TokenCards({
    store,
    images,
    decoder: parts.imageDecoder,
    shares: limits.shares,
    service: brand.name,
  });
  app.use(
    consoleRoutes({
      load: loadConsole,
      reads: new PublicPages({ store, terms: chain.terms, isPrivate, shares: limits.shares }),
      cards,
      brand,
      color,
      drawIcon: (svg) => parts.imageDecoder.make({ kind: "icon", svg, logo }),
      words: wordsPages(words),
      wordsReads: { terms: chain.terms, health: () => health.check() },
      publicUrl: ownUrl,
      clock,
      spend: spendPublic,
      addressOf: http.addressOf,
    }),
  );
  return app;
}

function tokenProofs({ config, store, chain: { askRpc } }: Wiring): TokenProofs | null {
  if (askRpc === null) return null;
  const { metadataBaseUrl, publicUrl, limits } = config;
  const ownUrl = metadataBaseUrl === publicUrl ? publicUrl : null;
  const verify = tokenVerifier({ askRpc, tokens: store.tokens, ownUrl });
  return new TokenProofs(store, verify, limits.shares);
}

/** Returns the URL that images are read from. With `PORT=0` its port is known once it listens. */
function contentUrl(url: string, server: CurrentServer): () => string {
  return new URL(url).port === "0" ? () => server()?.url.origin ?? url : () => url;
}

/** Returns the host that clients use. With `PORT=0` it is known once the server listens. */
function publicHost(publicUrl: string, server: CurrentServer): () => string {
  const { host, port } = new URL(publicUrl);
  return port === "0" ? () => server()?.url.host ?? host : () => host;
}
