import { Elysia } from "elysia";
import type { Logger } from "pino";
import type { Clock } from "./clock.ts";
import type { Launchpad } from "./launchpad/launchpad.ts";
import type { LimitsConfig } from "./limits-config.ts";
import { NonceStore } from "./modules/auth/nonces.ts";
import { authRoutes } from "./modules/auth/routes.ts";
import { AuthService } from "./modules/auth/service.ts";
import type { Sessions } from "./modules/auth/sessions.ts";
import { claimRoutes } from "./modules/claims/routes.ts";
import { ClaimService } from "./modules/claims/service.ts";
import type { ClaimSettler } from "./modules/claims/settler.ts";
import { devRoutes } from "./modules/dev/routes.ts";
import { DevService, type Sandbox } from "./modules/dev/service.ts";
import type { DatabaseMonitor } from "./modules/health/database-monitor.ts";
import type { ChainMonitor } from "./modules/health/monitor.ts";
import { healthRoutes } from "./modules/health/routes.ts";
import { HealthService } from "./modules/health/service.ts";
import { launchRoutes } from "./modules/launches/routes.ts";
import { type LaunchBudget, LaunchService } from "./modules/launches/service.ts";
import { metadataRoutes } from "./modules/metadata/routes.ts";
import { MetadataService } from "./modules/metadata/service.ts";
import { tokenRoutes } from "./modules/tokens/routes.ts";
import { TokenService } from "./modules/tokens/service.ts";
import { openapiPlugin } from "./openapi.ts";
import { accessLog } from "./plugins/access-log.ts";
import { bearerPlugin } from "./plugins/bearer.ts";
import { launchAddress } from "./plugins/client-address.ts";
import { errorsPlugin } from "./plugins/errors.ts";
import { type RequestObserver, RequestWatch, watchPlugin } from "./plugins/observe.ts";
import { RateLimit } from "./plugins/rate-limit.ts";
import { requestIdPlugin } from "./plugins/request-id.ts";
import { SignInLimits } from "./plugins/sign-in-limits.ts";
import type { CurrentServer } from "./serve.ts";
import type { Store } from "./store/store.ts";
import { VERSION } from "./version.ts";

/** The most sign-in challenges that may be outstanding at once. */
const MAX_NONCES = 100_000;

export interface AppDeps {
  readonly store: Store;
  readonly launchpad: Launchpad;
  readonly settler: ClaimSettler;
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
  const bearer = bearerPlugin(sessions, new RateLimit("agent", limits.agentPerMinute, clock));
  const auth = new AuthService(new NonceStore(clock, MAX_NONCES), sessions);
  const launches = new LaunchService(
    store.launches,
    clock,
    deps.onLaunchAccepted,
    limits.launches,
    deps.budget,
  );
  const tokens = new TokenService(store.tokens);
  const claims = new ClaimService(store.tokens, store.claims, launchpad, deps.settler, clock);
  const health = new HealthService(store, deps.monitor, deps.databaseMonitor, clock);
  const metadata = new MetadataService(store.tokens);
  const server: CurrentServer = () => app.server;
  const addressOf = launchAddress(limits, server);
  const watch = new RequestWatch([accessLog(log), ...(deps.observers ?? [])]);

  const app = new Elysia({
    // Elysia else looks for the path behind the 11th character of the URL, and misses it where the
    // client's Host header is very short.
    handler: { standardHostname: false },
  })
    .use(requestIdPlugin())
    .use(watchPlugin(watch))
    .use(errorsPlugin(watch))
    .use(openapiPlugin(deps.publicUrl, VERSION))
    .use(healthRoutes(health))
    .use(metadataRoutes(metadata))
    .use(authRoutes(auth, new SignInLimits(limits, clock), server))
    .use(launchRoutes(launches, bearer, addressOf))
    .use(claimRoutes(claims, bearer, server))
    .use(tokenRoutes(tokens, bearer));
  return deps.sandbox
    ? app.use(devRoutes(new DevService(deps.sandbox, store.tokens), bearer))
    : app;
}
