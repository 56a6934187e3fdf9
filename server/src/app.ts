import { Elysia } from "elysia";
import type { Logger } from "pino";
import type { Clock } from "./base/clock.ts";
import { VERSION } from "./base/version.ts";
import type { LimitsConfig } from "./config/limits.ts";
import { accessLog } from "./http/access-log.ts";
import { answerHeadersPlugin } from "./http/answer-headers.ts";
import { bearerPlugin } from "./http/bearer.ts";
import { launchAddress } from "./http/client-address.ts";
import { errorsPlugin } from "./http/errors.ts";
import type { CurrentServer } from "./http/listen.ts";
import type { RoutePattern } from "./http/method-table.ts";
import { type RequestObserver, RequestWatch, watchPlugin } from "./http/observe.ts";
import { openapiPlugin } from "./http/openapi.ts";
import { RateLimit } from "./http/rate-limit.ts";
import { SignInLimits } from "./http/sign-in-limits.ts";
import { singleHostPlugin } from "./http/single-host.ts";
import type { Launchpad } from "./launchpad/launchpad.ts";
import type { Sandbox } from "./launchpad/sandbox.ts";
import { Nonces } from "./modules/auth/nonces.ts";
import { authRoutes } from "./modules/auth/routes.ts";
import { AuthService } from "./modules/auth/service.ts";
import type { Sessions } from "./modules/auth/sessions.ts";
import { claimRoutes } from "./modules/claims/routes.ts";
import { ClaimService } from "./modules/claims/service.ts";
import type { ClaimSubmitter } from "./modules/claims/submitter.ts";
import { devRoutes } from "./modules/dev/routes.ts";
import { DevService } from "./modules/dev/service.ts";
import type { ChainMonitor } from "./modules/health/chain-monitor.ts";
import type { DatabaseMonitor } from "./modules/health/database-monitor.ts";
import { healthRoutes } from "./modules/health/routes.ts";
import { HealthService } from "./modules/health/service.ts";
import { launchRoutes } from "./modules/launches/routes.ts";
import { type LaunchBudget, LaunchService } from "./modules/launches/service.ts";
import { metadataRoutes } from "./modules/metadata/routes.ts";
import { MetadataService } from "./modules/metadata/service.ts";
import { tokenRoutes } from "./modules/tokens/routes.ts";
import { TokenService } from "./modules/tokens/service.ts";
import type { Store } from "./store/store.ts";

export interface AppDeps {
  readonly store: Store;
  readonly launchpad: Launchpad;
  readonly submitter: ClaimSubmitter;
  readonly monitor: ChainMonitor;
  readonly databaseMonitor: DatabaseMonitor;
  readonly sessions: Sessions;
  readonly clock: Clock;
  readonly log: Logger;
  readonly publicUrl: string;
  readonly limits: LimitsConfig;
  /** What launches may take from the launch wallet; without it that is no matter. */
  readonly budget?: LaunchBudget;
  /** Told of every request that was answered. */
  readonly observers?: readonly RequestObserver[];
  /** Called after launches were stored. */
  readonly onLaunchAccepted: () => void;
  /** The embedded chain's market, or null on a real cluster. */
  readonly sandbox: Sandbox | null;
}

/** The route table. It never listens: `serve.ts` does. */
export function createApp(deps: AppDeps) {
  const { store, launchpad, clock, log, sessions, limits } = deps;
  const server: CurrentServer = () => app.server;
  const signInLimits = new SignInLimits(limits, clock);
  const agentLimit = new RateLimit("agent", limits.agentPerMinute, clock);
  const bearer = bearerPlugin(sessions, agentLimit, (request, headers) =>
    signInLimits.spendOfBadToken(request, server(), headers),
  );
  const nonces = new Nonces(clock, publicHost(deps.publicUrl, server));
  const auth = new AuthService(nonces, sessions);
  const launches = new LaunchService(
    store.launches,
    clock,
    deps.onLaunchAccepted,
    limits.launches,
    deps.budget,
  );
  const tokens = new TokenService(store.tokens);
  const claims = new ClaimService(store.tokens, store.claims, launchpad, deps.submitter, clock);
  const health = new HealthService(store, deps.monitor, deps.databaseMonitor, clock);
  const metadata = new MetadataService(store.tokens);
  const routes = (): readonly RoutePattern[] => app.routes;
  const addressOf = launchAddress(limits, server);
  const watch = new RequestWatch([accessLog(log), ...(deps.observers ?? [])]);

  const app = new Elysia({
    // Elysia else looks for the path behind the 11th character of the URL, and misses it where the
    // client's Host header is very short.
    handler: { standardHostname: false },
  })
    .use(answerHeadersPlugin())
    .use(watchPlugin(watch))
    .use(singleHostPlugin())
    .use(errorsPlugin(watch, routes))
    .use(openapiPlugin(deps.publicUrl, VERSION))
    .use(healthRoutes(health))
    .use(metadataRoutes(metadata))
    .use(authRoutes(auth, signInLimits, server))
    .use(launchRoutes(launches, bearer, addressOf))
    .use(claimRoutes(claims, bearer, server))
    .use(tokenRoutes(tokens, bearer));
  return deps.sandbox
    ? app.use(devRoutes(new DevService(deps.sandbox, store.tokens), bearer))
    : app;
}

/**
 * The host by which clients know the server. A free port, which `PORT=0` asks for, is known only
 * once it listens.
 */
function publicHost(publicUrl: string, server: CurrentServer): () => string {
  const { host, port } = new URL(publicUrl);
  return port === "0" ? () => server()?.url.host ?? host : () => host;
}
