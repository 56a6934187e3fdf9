import type { ErrorCode } from "@tokenctl/shared/error-codes";
import nacl from "tweetnacl";
import { ServiceError } from "../../server/src/base/service-error.ts";
import {
  BuildError,
  ChainUnavailableError,
  CreatorChangedError,
  RefusedError,
  UnaffordableError,
  WrongClusterError,
} from "../../server/src/launchpad/errors.ts";
import { insertLaunch } from "../../server/src/testing/launches.ts";
import { SOLANA_SETTINGS } from "../../server/src/testing/solana-settings.ts";
import { type FailingServer, signedClaim } from "./failing-server.ts";
import { pngImage } from "./images.ts";

type Provoke = (server: FailingServer) => Promise<Response>;
type Settings = Readonly<Record<string, string>>;

/** How to get an error: the published operation that answers it, if any, and the requests. */
export interface Provocation {
  readonly operation: string | null;
  readonly provoke: Provoke;
  readonly env?: Settings;
}

/** What needs other settings than the usual ones. */
const under = (env: Settings, provoke: Provoke) => ({ env, provoke });

function by<Code extends ErrorCode>(
  operation: string | null,
  provocations: Readonly<Record<Code, Provoke | ReturnType<typeof under>>>,
) {
  const entries = Object.entries<Provoke | ReturnType<typeof under>>(provocations).map(
    ([code, one]) => [code, { operation, ...("env" in one ? one : { provoke: one }) }],
  );
  return Object.fromEntries(entries) as Record<Code, Provocation>;
}

const CHANGE = { actor: "ops", action: "change", subject: null, detail: null, reason: null };

/** Every code of the table: without an entry for each of them, this does not compile. */
export const provocations: Readonly<Record<ErrorCode, Provocation>> = {
  ...by("POST /api/v1/tokens/launch", {
    validation_failed: (s) => s.launch("no ticker"),
    invite_required: under({ ADMISSION: "invite" }, (s) => s.launch("ONE")),
    not_on_allowlist: under({ ADMISSION: "allowlist" }, (s) => s.launch("ONE")),
    agent_balance_low: (s) => {
      s.chain.agentLamports = 0n;
      return s.launch("ONE");
    },
    ticker_taken: (s) => s.launch("MINE"),
    idempotency_mismatch: async (s) => {
      await s.launch("ONE", { "idempotency-key": "key" });
      return s.launch("TWO", { "idempotency-key": "key" });
    },
    body_too_large: (s) => s.post("/api/v1/tokens/launch", { name: "x".repeat(65_536) }),
    unsupported_media_type: (s) => s.launch("ONE", { "content-type": "text/plain" }),
    unsupported_content_encoding: (s) => s.launch("ONE", { "content-encoding": "gzip" }),
    // The token that the agent has already is the first launch.
    agent_launch_limit: under({ MAX_LAUNCHES_PER_AGENT: "1" }, (s) => s.launch("ONE")),
    address_launch_limit: under(
      { ...SOLANA_SETTINGS, MAX_LAUNCHES_PER_ADDRESS: "1" },
      async (s) => {
        await s.launch("ONE");
        return s.launch("TWO");
      },
    ),
    share_used: under(
      { ...SOLANA_SETTINGS, MAX_QUEUE: "100", MAX_LAUNCHES_PER_AGENT: "0" },
      async (s) => {
        await s.launch("ONE");
        return s.launch("TWO");
      },
    ),
    launch_rate_limit: under({ MAX_LAUNCHES_PER_HOUR: "1" }, async (s) => {
      await insertLaunch(s.app, "ONE", { wallet: "another" });
      return s.launch("TWO");
    }),
    register_failed: async (s) => {
      await s.app.store.close();
      return s.launch("ONE");
    },
    daily_budget_spent: (s) => {
      s.chain.isBudgetSpent = true;
      return s.launch("ONE");
    },
    queue_full: under({ MAX_QUEUE: "1" }, async (s) => {
      await s.launch("ONE");
      return s.launch("TWO");
    }),
    starting: (s) => s.beforeItServes("/api/v1/tokens/launch"),
  }),
  ...by("GET /health", {
    ambiguous_host: (s) => s.get("/health", { host: "a, b" }),
    foreign_host: (s) => s.get("/health", { host: "evil.example" }),
    unhealthy: async (s) => {
      await s.app.store.close();
      return s.get("/health");
    },
  }),
  ...by("POST /api/v1/tokens/claims", {
    mint_required: (s) => s.post("/api/v1/tokens/claims"),
  }),
  ...by("POST /api/v1/tokens/claims/{mintAddress}", {
    claim_mismatch: (s) => s.submit("claim"),
    claim_unsigned: (s) => s.sign("claim", undefined, nacl.sign.keyPair().secretKey),
    no_fees_to_claim: (s) => {
      s.chain.buildClaim = async () => null;
      return s.prepare("claim");
    },
    insufficient_sol: (s) =>
      unbuilt(s, new UnaffordableError("claim", s.wallet, { required: 2n, balance: 1n })),
    claim_expired: (s) => s.sign("claim", () => s.app.clock.advance(60_000)),
    claim_build_failed: (s) => unbuilt(s, new BuildError("claim", "There is no such pool")),
    creator_changed: (s) => unbuilt(s, new CreatorChangedError({ bondingCurve: s.wallet })),
    claim_refused: (s) => {
      s.chain.submit = () => Promise.reject(new RefusedError("claim", "The chain said no"));
      return s.sign("claim");
    },
    wrong_cluster: (s) => unbuilt(s, new WrongClusterError("RPC_URL leads to another cluster")),
    claim_unsettled: (s) => s.late("claim"),
  }),
  ...by("POST /api/v1/tokens/hand-overs/{mintAddress}", {
    hand_over_mismatch: (s) => s.submit("handOver"),
    hand_over_expired: (s) => s.sign("handOver", () => s.app.clock.advance(60_000)),
    hand_over_unaffordable: (s) =>
      ungiven(s, new UnaffordableError("hand_over", s.wallet, { required: 2n, balance: 1n })),
    hand_over_refused: (s) => {
      s.chain.submit = () => Promise.reject(new RefusedError("hand_over", "The chain said no"));
      return s.sign("handOver");
    },
    hand_over_unsettled: (s) => s.late("handOver"),
  }),
  ...by("POST /api/v1/tokens/launch/{eventId}/transaction", {
    launch_mismatch: under({ LAUNCH_PAYER: "agent" }, async (s) =>
      s.post(await s.launchToSign(), { signedTransaction: "AAAA" }),
    ),
    launch_unaffordable: under({ LAUNCH_PAYER: "agent" }, async (s) => {
      const funds = { required: 2n, balance: 1n };
      s.chain.buildLaunch = () => Promise.reject(new UnaffordableError("launch", s.wallet, funds));
      return s.post(await s.launchToSign());
    }),
    launch_expired: under({ LAUNCH_PAYER: "agent" }, async (s) => {
      const path = await s.launchToSign();
      await s.post(path);
      s.app.clock.advance(60_000);
      return s.post(path, signedClaim());
    }),
    launch_build_failed: under({ LAUNCH_PAYER: "agent" }, async (s) => {
      s.chain.buildLaunch = () => Promise.reject(new BuildError("launch", "The chain refuses it"));
      return s.post(await s.launchToSign());
    }),
    not_signable: async (s) => s.post(await s.launchToSign("operator")),
  }),
  ...by("POST /api/v1/images", {
    image_refused: (s) => s.upload(new TextEncoder().encode("<svg>")),
    agent_image_limit: under({ MAX_IMAGES_PER_AGENT: "1" }, async (s) => {
      await s.upload(pngImage(1, 1));
      return s.upload(pngImage(2, 2));
    }),
    image_space_full: (s) => {
      s.app.store.images.put = async () => "space_full";
      return s.upload(pngImage(1, 1));
    },
    uploads_busy: async (s) => {
      const stored = Promise.withResolvers<"stored">();
      s.app.store.images.put = () => stored.promise;
      const uploads = Array.from({ length: 5 }, () => s.upload(pngImage(1, 1)));
      const refused = await Promise.race(uploads);
      stored.resolve("stored");
      await Promise.all(uploads);
      return refused;
    },
  }),
  ...by("GET /api/v1/tokens/", {
    missing_authorization: (s) => s.get("/api/v1/tokens/", { authorization: "none" }),
    invalid_token: (s) => s.get("/api/v1/tokens/", { authorization: "Bearer a.b.c" }),
    too_many_requests: under({ RATE_LIMIT_AGENT_PER_MINUTE: "1" }, async (s) => {
      await s.get("/api/v1/tokens/");
      return s.get("/api/v1/tokens/");
    }),
    database_unavailable: (s) => {
      s.app.store.tokens.page = () => Promise.reject(new ServiceError("database_unavailable"));
      return s.get("/api/v1/tokens/");
    },
  }),
  ...by("POST /api/auth/verify", {
    invalid_nonce: (s) => s.verify("n".repeat(80)),
    invalid_signature: (s) => s.verify(),
  }),
  ...by("POST /api/v1/invites/redeem", {
    wallet_blocked: async (s) => {
      await s.app.store.operator.setRule(s.wallet, { list: "blocked", isOn: true }, CHANGE);
      return s.post("/api/v1/invites/redeem", { code: "a code" });
    },
    invite_invalid: (s) => s.post("/api/v1/invites/redeem", { code: "a code" }),
  }),
  ...by(null, {
    not_found: (s) => s.get("/nowhere"),
    method_not_allowed: (s) => s.post("/health"),
  }),
  ...by("GET /api/v1/tokens/launch/status/{eventId}", {
    launch_not_found: (s) => s.get(`/api/v1/tokens/launch/status/${crypto.randomUUID()}`),
  }),
  ...by("GET /metadata/{file}", {
    token_not_found: (s) => s.get(`/metadata/${s.wallet}.json`),
  }),
  ...by("GET /images/{file}", {
    image_not_found: (s) => s.get(`/images/${"0".repeat(64)}`),
  }),
  ...by("DELETE /api/v1/webhooks/{id}", {
    webhook_not_found: (s) => s.delete(`/api/v1/webhooks/${crypto.randomUUID()}`),
  }),
  ...by("POST /api/auth/challenge", {
    body_too_late: (s) => s.lateBody("/api/auth/challenge"),
    paused: async (s) => {
      const reason = "new keys until noon";
      await s.app.store.operator.steer({ pauses: { "sign-ins": reason } }, CHANGE);
      return s.post("/api/auth/challenge", { wallet: s.wallet });
    },
  }),
  ...by("POST /api/v1/tokens/launch/{eventId}/retry", {
    not_retryable: async (s) => {
      const eventId = await insertLaunch(s.app, "ONE", { wallet: s.wallet });
      return s.post(`/api/v1/tokens/launch/${eventId}/retry`);
    },
  }),
  ...by("POST /api/v1/tokens/launch/{eventId}/cancel", {
    not_cancellable: async (s) => {
      const token = await s.app.store.tokens.findAny("mint-MINE");
      return s.post(`/api/v1/tokens/launch/${token?.eventId}/cancel`);
    },
  }),
  ...by("POST /dev/airdrop", {
    sandbox_refused: (s) => s.post("/dev/airdrop", { sol: 1 }),
  }),
  ...by("POST /api/v1/webhooks", {
    webhook_exists: async (s) => {
      await s.addWebhook();
      return s.addWebhook();
    },
    webhook_limit: under({ MAX_WEBHOOKS_PER_AGENT: "1" }, async (s) => {
      await s.addWebhook();
      return s.addWebhook("https://other.example/");
    }),
  }),
  ...by("POST /api/v1/webhooks/{id}/test", {
    webhook_queue_full: async (s) => {
      const { id } = (await (await s.addWebhook()).json()) as { id: string };
      for (let n = 0; n < 20; n++) await s.post(`/api/v1/webhooks/${id}/test`);
      return s.post(`/api/v1/webhooks/${id}/test`);
    },
  }),
  ...by("GET /api/v1/events", {
    events_gone: (s) => s.get("/api/v1/events?after=7"),
    streams_full: under({ MAX_STREAMS: "1" }, async (s) => {
      using _ = s.app.eventReaders.open({ wallet: "another", address: null });
      return await s.get("/api/v1/events?after=latest&wait=1");
    }),
  }),
  ...by("GET /api/v1/events/stream", {
    too_many_streams: under({ MAX_STREAMS_PER_AGENT: "1" }, async (s) => {
      using _ = s.app.eventReaders.open({ wallet: s.wallet, address: null });
      return await s.get("/api/v1/events/stream");
    }),
  }),
  ...by("GET /api/v1/tokens/claims", {
    internal_error: (s) => {
      s.chain.readFees = () => Promise.reject(new TypeError("unexpected"));
      return s.get("/api/v1/tokens/claims/");
    },
    chain_unavailable: (s) => {
      s.chain.readFees = () => Promise.reject(new ChainUnavailableError("No answer"));
      return s.get("/api/v1/tokens/claims/");
    },
  }),
  ...by("GET /ready", {
    draining: (s) => {
      s.app.drain.isDraining = true;
      return s.get("/ready");
    },
  }),
};

/** The answer to a hand-over that cannot be built. */
function ungiven(server: FailingServer, error: Error): Promise<Response> {
  server.chain.buildHandOver = () => Promise.reject(error);
  return server.prepare("handOver");
}

/** Step 1 of a claim that the chain does not build. */
function unbuilt(server: FailingServer, fault: Error): Promise<Response> {
  server.chain.buildClaim = () => Promise.reject(fault);
  return server.prepare("claim");
}
