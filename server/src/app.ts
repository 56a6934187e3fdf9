import { Elysia } from "elysia";
import type { Logger } from "pino";
import { VERSION } from "./base/version.ts";
import type { LimitsConfig } from "./config/config.ts";
import { addressLimit, bearerPlugin, RateLimit } from "./http/admit.ts";
import { clientAddress, shareAddress } from "./http/client-address.ts";
import { NOT_PAUSED, type PauseReason, routes } from "./http/endpoint.ts";
import { errorsPlugin } from "./http/errors.ts";
import type { CurrentServer } from "./http/listen.ts";
import type { ListedRoute } from "./http/openapi-document.ts";
import { openapiPlugin } from "./http/openapi-page.ts";
import { accessLog, type RequestObserver, RequestWatch, requestsPlugin } from "./http/requests.ts";
import type { CrashPoint } from "./launchpad/crash-point.ts";
import { Nonces } from "./modules/auth/nonces.ts";
import type { Sessions } from "./modules/auth/sessions.ts";
import { AuthService, authEndpoints } from "./modules/auth/sign-in.ts";
import { HandOverService } from "./modules/claims/hand-overs.ts";
import { claimEndpoints, handOverEndpoints } from "./modules/claims/routes.ts";
import { ClaimService } from "./modules/claims/service.ts";
import { type ConsolePage, consoleRoutes } from "./modules/console/routes.ts";
import { devEndpoints } from "./modules/dev.ts";
import type { EventReaders } from "./modules/events/event-readers.ts";
import { eventEndpoints } from "./modules/events/routes.ts";
import { EventService } from "./modules/events/service.ts";
import { thresholdEndpoints } from "./modules/events/thresholds.ts";
import type { ChainMonitor } from "./modules/health/monitors.ts";
import { type HealthService, healthEndpoints } from "./modules/health/service.ts";
import type { ImageDecoder } from "./modules/images/decoder.ts";
import { imageEndpoints } from "./modules/images/routes.ts";
import { ImageService } from "./modules/images/service.ts";
import { findRefusal, LaunchChecker } from "./modules/launches/check.ts";
import { LaunchGate } from "./modules/launches/gate.ts";
import { PaidLaunches } from "./modules/launches/paid-launches.ts";
import { inviteEndpoints, launchEndpoints } from "./modules/launches/routes.ts";
import { LaunchService } from "./modules/launches/service.ts";
import { type OperatorViewDeps, operatorViewRoutes } from "./modules/operator-view/routes.ts";
import { TokenProofs, type TokenProofsDeps } from "./modules/proofs/service.ts";
import { metadataEndpoints, publicEndpoints } from "./modules/public.ts";
import { SigningService } from "./modules/signing/service.ts";
import type { Submitter } from "./modules/signing/submitter.ts";
import { textEndpoints } from "./modules/texts.ts";
import { tokenEndpoints } from "./modules/tokens.ts";
import { walletEndpoints } from "./modules/wallet.ts";
import type { ReceiverPolicy } from "./modules/webhooks/post.ts";
import { webhookEndpoints } from "./modules/webhooks/routes.ts";
import { WebhookService, type WebhookServiceDeps } from "./modules/webhooks/service.ts";
import type { OpenChain } from "./open-chain.ts";
import type { Store } from "./store/store.ts";
import type { Worker } from "./worker/worker.ts";

export interface AppDeps {
  readonly store: Store;
  readonly chain: Pick<
    OpenChain,
    "launchpad" | "signing" | "budget" | "agentFunds" | "sandbox" | "terms"
  >;
  /** Verifies a token from the chain; null on the sandbox. */
  readonly verifyToken: TokenProofsDeps["verify"] | null;
  readonly submitter: Submitter;
  readonly crashPoint?: CrashPoint | undefined;
  readonly eventReaders: EventReaders;
  readonly receiverPolicy: ReceiverPolicy;
  readonly chainMonitor: ChainMonitor;
  readonly health: HealthService;
  readonly sessions: Sessions;
  /** What servers on a shared database derive the key of their nonces from; null for one alone. */
  readonly nonceSecret: Uint8Array | null;
  readonly log: Logger;
  readonly publicUrl: string;
  /** The hosts in URLs for which it answers; null for any. */
  readonly hosts: readonly string[] | null;
  /** Under which metadata documents and images are read. */
  readonly metadataBaseUrl: string;
  readonly limits: LimitsConfig;
  /** How many servers divide the rate limits. Default: this one alone. */
  readonly liveServers?: () => number;
  readonly imageDecoder: ImageDecoder;
  /** Origins whose pages may call the API; `*` for all. */
  readonly corsOrigins: readonly string[];
  readonly loadConsole: (() => Promise<ConsolePage>) | null;
  readonly operatorView?: OperatorViewDeps;
  readonly isConsolePrivate?: boolean;
  readonly observers?: readonly RequestObserver[];
  readonly pauseReason?: PauseReason;
  readonly onLaunchAccepted: () => void;
  /** What launches that were not tried yet wait for, beside their turn; null if only for that. */
  readonly launchTrouble?: () => ChainMonitor["stall"] | Worker["trouble"];
  /** Called with a wallet that may have something to send to a receiver. */
  readonly onWebhookDue: WebhookServiceDeps["onDue"];
}

/** Builds the services and the route table. `http/listen.ts` makes it listen. */
export function createApp(deps: AppDeps) {
  const { store, log, sessions, limits, health } = deps;
  const { clock } = store;
  const { launchpad, budget, agentFunds, sandbox } = deps.chain;
  const { pauseReason = NOT_PAUSED } = deps;
  // Known only after `app` is built and listens.
  const server: CurrentServer = () => app.server;
  const listed = (): readonly ListedRoute[] => app.routes;

  const nonces = new Nonces({
    clock,
    host: publicHost(deps.publicUrl, server),
    used: store.usedNonces,
    sharedSecret: deps.nonceSecret,
  });
  const auth = new AuthService(nonces, sessions);
  const images = new ImageService({
    images: store.images,
    clock,
    bounds: limits.images,
    decoder: deps.imageDecoder,
    shares: limits.shares,
    baseUrl: contentUrl(deps.metadataBaseUrl, server),
    publicUrl: contentUrl(deps.publicUrl, server),
  });
  const gate = new LaunchGate({ pauseReason, funds: agentFunds });
  const intake = { limits: limits.launches, budget, gate, images };
  const launches = new LaunchService(store, deps.onLaunchAccepted, {
    ...intake,
    findRefusal: (launch) => findRefusal(signing.chain, launch),
    ...(deps.launchTrouble && { trouble: deps.launchTrouble }),
  });
  const signing = new SigningService({
    store,
    chain: deps.chain.signing,
    submitter: deps.submitter,
  });
  const signed = { store, chain: launchpad, signing };
  const { maxPerHour } = limits.launches;
  const paid = new PaidLaunches({ ...signed, maxPerHour, crashPoint: deps.crashPoint });
  const claims = new ClaimService({ ...signed, sponsorsClaims: limits.sponsorsClaims });
  const handOvers = new HandOverService(signed);
  const events = new EventService(store, deps.eventReaders);
  const webhooks = new WebhookService({
    store,
    policy: deps.receiverPolicy,
    maxOfAgent: limits.maxWebhooksOfAgent,
    onDue: deps.onWebhookDue,
  });
  const checker = new LaunchChecker({
    ...intake,
    store,
    readHealth: () => health.check(),
    terms: deps.chain.terms,
    checkPaid: (order) => signing.chain.checkLaunch(order),
    pace: () => deps.chainMonitor.last.pace,
  });

  const verify = deps.verifyToken;
  const proofs = verify && new TokenProofs({ store, verify, shares: limits.shares });

  const rates = { clock, liveServers: deps.liveServers ?? (() => 1) };
  const limited = (name: string, perMinute: number) => new RateLimit(name, perMinute, rates);
  const limitedByAddress = (name: string, perMinute: number) =>
    addressLimit(limited(name, perMinute), (request) =>
      clientAddress(request, server(), limits.trustProxy),
    );
  const bearer = bearerPlugin(
    sessions,
    limited("agent", limits.agentPerMinute),
    // Counted apart from sign-ins: a client with an expired token must be able to sign in again.
    limitedByAddress("bad-token", limits.authPerMinute),
  );
  const spendPublic = limitedByAddress("public", limits.publicPerMinute);
  const http = { bearer, server, addressOf: shareAddress(limits, server), pauseReason };
  const watch = new RequestWatch([accessLog(log), ...(deps.observers ?? [])]);

  const app = new Elysia({
    // By default Elysia looks for the path after the 11th character of the URL, and misses it if the
    // client's Host header is very short.
    handler: { standardHostname: false },
  })
    .use(requestsPlugin(watch, deps))
    .use(errorsPlugin(watch, listed))
    .use(openapiPlugin(listed, contentUrl(deps.publicUrl, server), VERSION))
    .use(
      routes(http, [
        ...healthEndpoints(health),
        ...textEndpoints(),
        ...metadataEndpoints(store),
        ...publicEndpoints(store, proofs, spendPublic),
        ...imageEndpoints(images),
        ...authEndpoints(
          auth,
          limitedByAddress("address", limits.authPerMinute),
          limited("wallet", limits.walletPerMinute),
        ),
        ...launchEndpoints({ launches, paid, checker, events }),
        ...inviteEndpoints(store),
        ...claimEndpoints(claims, store),
        ...handOverEndpoints(handOvers),
        ...tokenEndpoints(store, handOvers),
        ...eventEndpoints(events, sessions, server),
        ...thresholdEndpoints(store),
        ...walletEndpoints(launchpad),
        ...webhookEndpoints(webhooks),
        ...(sandbox ? devEndpoints(sandbox, store) : []),
      ]),
    );
  if (deps.loadConsole) {
    const publicUrl = contentUrl(deps.publicUrl, server);
    const page = { load: deps.loadConsole, tokens: store.tokens, publicUrl };
    const isPrivate = deps.isConsolePrivate === true;
    const spend = limitedByAddress("operator", limits.authPerMinute);
    if (deps.operatorView) app.use(operatorViewRoutes(deps.operatorView, spend));
    app.use(consoleRoutes({ ...page, isPrivate, spend: spendPublic }));
  }
  return app;
}

/** A URL under which images are read. With `PORT=0` its port is known only while it listens. */
function contentUrl(url: string, server: CurrentServer): () => string {
  return new URL(url).port === "0" ? () => server()?.url.origin ?? url : () => url;
}

/** The host by which clients know the server; with `PORT=0` only known while it listens. */
function publicHost(publicUrl: string, server: CurrentServer): () => string {
  const { host, port } = new URL(publicUrl);
  return port === "0" ? () => server()?.url.host ?? host : () => host;
}
