import type { ErrorCode } from "@tokenctl/shared/error-codes";
import nacl from "tweetnacl";
import { ServiceError } from "../../server/src/base/service-error.ts";
import {
  BuildError,
  ChainUnavailableError,
  CreatorChangedError,
  ReceiverRefusedError,
  ReceiverRentError,
  RefusedError,
  UnaffordableError,
  WrongClusterError,
} from "../../server/src/launchpad/errors.ts";
import { dueWebhooks } from "../../server/src/store/testing/rows.ts";
import { insertLaunch } from "../../server/src/testing/launches.ts";
import { SOLANA_SETTINGS } from "../../server/src/testing/solana-settings.ts";
import type { FailingServer } from "./failing-server.ts";
import { pngImage } from "./images.ts";

/** How to get an error: the published operation that answers it, if any, and the requests. */
export interface Provocation {
  readonly operation: string | null;
  readonly provoke: (server: FailingServer) => Promise<Response>;
  readonly env?: Readonly<Record<string, string>>;
}

const health = "GET /health";
const launches = "POST /api/v1/tokens/launch";
const redeem = "POST /api/v1/invites/redeem";
const uploads = "POST /api/v1/images";
const webhooks = "POST /api/v1/webhooks";
const claims = "POST /api/v1/tokens/claims/{mintAddress}";

const handOvers = "POST /api/v1/tokens/hand-overs/{mintAddress}";

const signing = "POST /api/v1/tokens/launch/{eventId}/transaction";

const TO_SIGN = { name: "A token", ticker: "ONE", payer: "agent" };

async function sign(server: FailingServer, body?: object, request = TO_SIGN): Promise<Response> {
  const accepted = await server.post("/api/v1/tokens/launch", request);
  const { eventId } = (await accepted.json()) as { eventId: string };
  return server.post(`/api/v1/tokens/launch/${eventId}/transaction`, body);
}

const CHANGE = { actor: "ops", action: "change", subject: null, detail: null, reason: null };

/** Every code of the table: without an entry for each of them, this does not compile. */
export const provocations: Readonly<Record<ErrorCode, Provocation>> = {
  validation_failed: { operation: launches, provoke: (s) => s.launch("no ticker") },
  ambiguous_host: { operation: health, provoke: (s) => s.get("/health", { host: "a, b" }) },
  foreign_host: { operation: health, provoke: (s) => s.get("/health", { host: "evil.example" }) },
  mint_required: {
    operation: "POST /api/v1/tokens/claims",
    provoke: (s) => s.post("/api/v1/tokens/claims"),
  },
  claim_mismatch: { operation: claims, provoke: (s) => s.submitClaim() },
  claim_unsigned: { operation: claims, provoke: (s) => s.claim(nacl.sign.keyPair().secretKey) },
  hand_over_mismatch: { operation: handOvers, provoke: (s) => s.submitHandOver() },
  launch_mismatch: {
    operation: signing,
    env: { LAUNCH_PAYER: "agent" },
    provoke: (s) => sign(s, { signedTransaction: "AAAA" }),
  },
  launch_unaffordable: {
    operation: signing,
    env: { LAUNCH_PAYER: "agent" },
    provoke(s) {
      const funds = { required: 2n, balance: 1n };
      s.chain.buildLaunch = () => Promise.reject(new UnaffordableError("launch", s.wallet, funds));
      return sign(s);
    },
  },
  launch_expired: {
    operation: signing,
    env: { LAUNCH_PAYER: "agent" },
    provoke: (s) => s.signLaunch(60_000),
  },
  launch_build_failed: {
    operation: signing,
    env: { LAUNCH_PAYER: "agent" },
    provoke(s) {
      s.chain.buildLaunch = () => Promise.reject(new BuildError("launch", "The chain refuses it"));
      return sign(s);
    },
  },
  not_signable: {
    operation: signing,
    provoke: (s) => sign(s, undefined, { ...TO_SIGN, payer: "operator" }),
  },
  image_refused: {
    operation: uploads,
    provoke: (s) => s.upload(new TextEncoder().encode("<svg>")),
  },
  missing_authorization: {
    operation: "GET /api/v1/tokens/",
    provoke: (s) => s.get("/api/v1/tokens/", { authorization: "none" }),
  },
  invalid_token: {
    operation: "GET /api/v1/tokens/",
    provoke: (s) => s.get("/api/v1/tokens/", { authorization: "Bearer a.b.c" }),
  },
  invalid_nonce: {
    operation: "POST /api/auth/verify",
    provoke: (s) => s.verify("n".repeat(80)),
  },
  invalid_signature: { operation: "POST /api/auth/verify", provoke: (s) => s.verify() },
  wallet_blocked: {
    operation: redeem,
    async provoke(s) {
      await s.app.store.operator.setRule(s.wallet, { list: "blocked", isOn: true }, CHANGE);
      return s.post("/api/v1/invites/redeem", { code: "a code" });
    },
  },
  invite_required: {
    operation: launches,
    env: { ADMISSION: "invite" },
    provoke: (s) => s.launch("ONE"),
  },
  invite_invalid: {
    operation: redeem,
    provoke: (s) => s.post("/api/v1/invites/redeem", { code: "a code" }),
  },
  not_on_allowlist: {
    operation: launches,
    env: { ADMISSION: "allowlist" },
    provoke: (s) => s.launch("ONE"),
  },
  agent_balance_low: {
    operation: launches,
    provoke(s) {
      s.chain.agentLamports = 0n;
      return s.launch("ONE");
    },
  },
  not_found: { operation: null, provoke: (s) => s.get("/nowhere") },
  launch_not_found: {
    operation: "GET /api/v1/tokens/launch/status/{eventId}",
    provoke: (s) => s.get(`/api/v1/tokens/launch/status/${crypto.randomUUID()}`),
  },
  token_not_found: {
    operation: "GET /metadata/{file}",
    provoke: (s) => s.get(`/metadata/${s.wallet}.json`),
  },
  image_not_found: {
    operation: "GET /images/{file}",
    provoke: (s) => s.get(`/images/${"0".repeat(64)}`),
  },
  webhook_not_found: {
    operation: "DELETE /api/v1/webhooks/{id}",
    provoke: (s) => s.delete(`/api/v1/webhooks/${crypto.randomUUID()}`),
  },
  method_not_allowed: { operation: null, provoke: (s) => s.post("/health") },
  body_too_late: {
    operation: "POST /api/auth/challenge",
    provoke: (s) => s.lateBody("/api/auth/challenge"),
  },
  ticker_taken: { operation: launches, provoke: (s) => s.launch("MINE") },
  idempotency_mismatch: {
    operation: launches,
    async provoke(s) {
      await s.launch("ONE", { "idempotency-key": "key" });
      return s.launch("TWO", { "idempotency-key": "key" });
    },
  },
  not_retryable: {
    operation: "POST /api/v1/tokens/launch/{eventId}/retry",
    async provoke(s) {
      const eventId = await insertLaunch(s.app, "ONE", { wallet: s.wallet });
      return s.post(`/api/v1/tokens/launch/${eventId}/retry`);
    },
  },
  not_cancellable: {
    operation: "POST /api/v1/tokens/launch/{eventId}/cancel",
    async provoke(s) {
      const token = await s.app.store.tokens.findAny("mint-MINE");
      return s.post(`/api/v1/tokens/launch/${token?.eventId}/cancel`);
    },
  },
  no_fees_to_claim: {
    operation: claims,
    provoke(s) {
      s.chain.buildClaim = async () => null;
      return s.prepareClaim();
    },
  },
  insufficient_sol: {
    operation: claims,
    provoke: (s) =>
      unbuilt(s, new UnaffordableError("claim", s.wallet, { required: 2n, balance: 1n })),
  },
  receiver_below_minimum: {
    operation: claims,
    provoke: (s) => unbuilt(s, new ReceiverRentError(s.wallet, 1n, 2n)),
  },
  claim_expired: {
    operation: claims,
    async provoke(s) {
      await s.prepareClaim();
      s.app.clock.advance(60_000);
      return s.submitClaim();
    },
  },
  hand_over_expired: {
    operation: handOvers,
    async provoke(s) {
      await s.prepareHandOver();
      s.app.clock.advance(60_000);
      return s.submitHandOver();
    },
  },
  hand_over_unaffordable: {
    operation: handOvers,
    provoke: (s) =>
      ungiven(s, new UnaffordableError("hand_over", s.wallet, { required: 2n, balance: 1n })),
  },
  receiver_not_wallet: {
    operation: handOvers,
    provoke: (s) => ungiven(s, new ReceiverRefusedError("It is a program")),
  },
  receiver_full: {
    operation: handOvers,
    provoke(s) {
      s.app.store.handOvers.countWaiting = async () => 100;
      return s.prepareHandOver();
    },
  },
  already_accepted: {
    operation: "DELETE /api/v1/tokens/received/{mintAddress}",
    async provoke(s) {
      const { tokens } = s.app.store;
      const token = await tokens.find(s.wallet, "mint-MINE");
      tokens.find = async () => token && { ...token, holder: s.wallet };
      return s.delete("/api/v1/tokens/received/mint-MINE");
    },
  },
  sandbox_refused: {
    operation: "POST /dev/airdrop",
    provoke: (s) => s.post("/dev/airdrop", { sol: 1 }),
  },
  webhook_exists: {
    operation: webhooks,
    async provoke(s) {
      await s.addWebhook();
      return s.addWebhook();
    },
  },
  webhook_limit: {
    operation: webhooks,
    env: { MAX_WEBHOOKS_PER_AGENT: "1" },
    async provoke(s) {
      await s.addWebhook();
      return s.addWebhook("https://other.example/");
    },
  },
  webhook_disabled: {
    operation: "POST /api/v1/webhooks/{id}/test",
    async provoke(s) {
      const { id } = (await (await s.addWebhook()).json()) as { id: string };
      await s.post(`/api/v1/webhooks/${id}/test`);
      const lease = { id: "holder", ms: 1_000 };
      const [leased] = await s.app.store.webhooks.lease(lease, dueWebhooks({ tests: true }));
      if (!leased) throw new Error("the test is due");
      const gone = {
        httpStatus: 410,
        problem: null,
        isDelivered: false,
        isSlow: false,
        retryInMs: null,
      };
      await s.app.store.webhooks.settle(leased, { ...gone, disables: true });
      return s.post(`/api/v1/webhooks/${id}/test`);
    },
  },
  events_gone: {
    operation: "GET /api/v1/events",
    provoke: (s) => s.get("/api/v1/events?after=7"),
  },
  body_too_large: {
    operation: launches,
    provoke: (s) => s.post("/api/v1/tokens/launch", { name: "x".repeat(65_536) }),
  },
  unsupported_media_type: {
    operation: launches,
    provoke: (s) => s.launch("ONE", { "content-type": "text/plain" }),
  },
  unsupported_content_encoding: {
    operation: launches,
    provoke: (s) => s.launch("ONE", { "content-encoding": "gzip" }),
  },
  too_many_requests: {
    operation: "GET /api/v1/tokens/",
    env: { RATE_LIMIT_AGENT_PER_MINUTE: "1" },
    async provoke(s) {
      await s.get("/api/v1/tokens/");
      return s.get("/api/v1/tokens/");
    },
  },
  too_many_streams: {
    operation: "GET /api/v1/events/stream",
    env: { MAX_STREAMS_PER_AGENT: "1" },
    async provoke(s) {
      using _ = s.app.eventReaders.open({ wallet: s.wallet, address: null });
      return await s.get("/api/v1/events/stream");
    },
  },
  webhook_queue_full: {
    operation: "POST /api/v1/webhooks/{id}/replay",
    async provoke(s) {
      const { id } = (await (await s.addWebhook()).json()) as { id: string };
      for (let n = 0; n < 20; n++) await s.post(`/api/v1/webhooks/${id}/test`);
      return s.post(`/api/v1/webhooks/${id}/replay`, { event: 1 });
    },
  },
  agent_launch_limit: {
    operation: launches,
    // The token that the agent has already is the first launch.
    env: { MAX_LAUNCHES_PER_AGENT: "1" },
    provoke: (s) => s.launch("ONE"),
  },
  address_launch_limit: {
    operation: launches,
    env: { ...SOLANA_SETTINGS, MAX_LAUNCHES_PER_ADDRESS: "1" },
    async provoke(s) {
      await s.launch("ONE");
      return s.launch("TWO");
    },
  },
  share_used: {
    operation: launches,
    env: { ...SOLANA_SETTINGS, MAX_QUEUE: "100", MAX_LAUNCHES_PER_AGENT: "0" },
    async provoke(s) {
      await s.launch("ONE");
      return s.launch("TWO");
    },
  },
  launch_rate_limit: {
    operation: launches,
    env: { MAX_LAUNCHES_PER_HOUR: "1" },
    async provoke(s) {
      await insertLaunch(s.app, "ONE", { wallet: "another" });
      return s.launch("TWO");
    },
  },
  database_unavailable: {
    operation: "GET /api/v1/tokens/",
    provoke(s) {
      s.app.store.tokens.page = () => Promise.reject(new ServiceError("database_unavailable"));
      return s.get("/api/v1/tokens/");
    },
  },
  agent_image_limit: {
    operation: uploads,
    env: { MAX_IMAGES_PER_AGENT: "1" },
    async provoke(s) {
      await s.upload(pngImage(1, 1));
      return s.upload(pngImage(2, 2));
    },
  },
  internal_error: {
    operation: "GET /api/v1/tokens/claims",
    provoke(s) {
      s.chain.readFees = () => Promise.reject(new TypeError("unexpected"));
      return s.get("/api/v1/tokens/claims/");
    },
  },
  register_failed: {
    operation: launches,
    async provoke(s) {
      await s.app.store.close();
      return s.launch("ONE");
    },
  },
  claim_build_failed: {
    operation: claims,
    provoke: (s) => unbuilt(s, new BuildError("claim", "There is no such pool")),
  },
  creator_changed: {
    operation: claims,
    provoke: (s) => unbuilt(s, new CreatorChangedError({ bondingCurve: s.wallet })),
  },
  claim_refused: {
    operation: claims,
    provoke(s) {
      s.chain.submit = () => Promise.reject(new RefusedError("claim", "The chain said no"));
      return s.claim();
    },
  },
  hand_over_refused: {
    operation: handOvers,
    async provoke(s) {
      await s.prepareHandOver();
      s.chain.submit = () => Promise.reject(new RefusedError("hand_over", "The chain said no"));
      return s.submitHandOver();
    },
  },
  chain_unavailable: {
    operation: "GET /api/v1/tokens/claims",
    provoke(s) {
      s.chain.readFees = () => Promise.reject(new ChainUnavailableError("No answer"));
      return s.get("/api/v1/tokens/claims/");
    },
  },
  wrong_cluster: {
    operation: claims,
    provoke: (s) => unbuilt(s, new WrongClusterError("RPC_URL leads to another cluster")),
  },
  claim_unsettled: {
    operation: claims,
    provoke: (s) => s.lateClaim(),
  },
  hand_over_unsettled: { operation: handOvers, provoke: (s) => s.lateHandOver() },
  paused: {
    operation: "POST /api/auth/challenge",
    async provoke(s) {
      const reason = "new keys until noon";
      await s.app.store.operator.steer({ pauses: { "sign-ins": reason } }, CHANGE);
      return s.post("/api/auth/challenge", { wallet: s.wallet });
    },
  },
  daily_budget_spent: {
    operation: launches,
    provoke(s) {
      s.chain.isBudgetSpent = true;
      return s.launch("ONE");
    },
  },
  queue_full: {
    operation: launches,
    env: { MAX_QUEUE: "1" },
    async provoke(s) {
      await s.launch("ONE");
      return s.launch("TWO");
    },
  },
  image_space_full: {
    operation: uploads,
    provoke(s) {
      s.app.store.images.put = async () => "space_full";
      return s.upload(pngImage(1, 1));
    },
  },
  uploads_busy: {
    operation: uploads,
    async provoke(s) {
      const stored = Promise.withResolvers<"stored">();
      s.app.store.images.put = () => stored.promise;
      const uploads = Array.from({ length: 5 }, () => s.upload(pngImage(1, 1)));
      const refused = await Promise.race(uploads);
      stored.resolve("stored");
      await Promise.all(uploads);
      return refused;
    },
  },
  starting: { operation: launches, provoke: (s) => s.beforeItServes("/api/v1/tokens/launch") },
  streams_full: {
    operation: "GET /api/v1/events",
    env: { MAX_STREAMS: "1" },
    async provoke(s) {
      using _ = s.app.eventReaders.open({ wallet: "another", address: null });
      return await s.get("/api/v1/events?after=latest&wait=1");
    },
  },
  draining: {
    operation: "GET /ready",
    provoke(s) {
      s.app.drain.isDraining = true;
      return s.get("/ready");
    },
  },
  unhealthy: {
    operation: health,
    async provoke(s) {
      await s.app.store.close();
      return s.get("/health");
    },
  },
};

/** The answer to a hand-over that cannot be built. */
function ungiven(server: FailingServer, error: Error): Promise<Response> {
  server.chain.buildHandOver = () => Promise.reject(error);
  return server.prepareHandOver();
}

/** Step 1 of a claim that the chain does not build. */
function unbuilt(server: FailingServer, fault: Error): Promise<Response> {
  server.chain.buildClaim = () => Promise.reject(fault);
  return server.prepareClaim();
}
