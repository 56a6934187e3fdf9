import { isStorable } from "@tokenctl/shared/contract/request-text";
import { type OperatorReport, PAUSABLE } from "@tokenctl/shared/operator-report";
import { lamportsToSol } from "@tokenctl/shared/sol";
import { Elysia, NotFoundError } from "elysia";
import { SharedRead } from "../../base/cache.ts";
import { HOUR_MS, waitAtMost } from "../../base/clock.ts";
import { ServiceError } from "../../base/service-error.ts";
import { type AddressLimit, bearerToken } from "../../http/admit.ts";
import type { BearerTokens } from "../../http/bearer-tokens.ts";
import { readJson, validationError } from "../../http/body.ts";
import type { AnswerHeaders } from "../../http/headers.ts";
import { claimableOf, type PartnerProgram } from "../../launchpad/pool-program.ts";
import { linkHash } from "../../store/operator.ts";
import type { Store } from "../../store/store.ts";
import { AdminError, type AdminService } from "./service.ts";

/** The subjects of the view's tokens: a viewer may only look, a controller may also pause. */
const VIEWERS = ["viewer", "controller"] as const;

/** How long sums over all launches and tokens are reused, in milliseconds. */
const SUMS_FOR_MS = 60_000;
/** How long an answer waits for the chain, in milliseconds. A later one includes its reply. */
const CHAIN_WAIT_MS = 1_500;
/** How many of the latest tokens are read from the chain: five RPC calls. */
const TOKENS_READ = 500;
const HOURS = 24;
const MAX_REASON = 500;

export interface OperatorViewDeps {
  readonly store: Pick<Store, "clock" | "operator" | "tokens">;
  readonly bearerTokens: BearerTokens;
  readonly admin: AdminService;
  readonly partner: (() => Promise<PartnerProgram>) | null;
  readonly rpcNodes: { reports(): OperatorReport["nodes"] } | null;
}

const ACTOR = "the operator's view";

/** @param spend counts requests without a token of the view */
export function operatorViewRoutes(deps: OperatorViewDeps, spend: AddressLimit) {
  const { store, bearerTokens, admin, rpcNodes } = deps;
  const { clock } = store;
  const sums = new SharedRead(() => store.operator.money(), SUMS_FOR_MS, clock);
  const claimable = new SharedRead(() => readClaimable(deps), SUMS_FOR_MS, clock);

  async function readToCollect(): Promise<number | null> {
    let lamports: bigint | null = null;
    const read = claimable.get().then((sum) => {
      lamports = sum;
    });
    await waitAtMost(CHAIN_WAIT_MS, read, clock);
    return lamports === null ? null : lamportsToSol(lamports);
  }

  async function admit(request: Request, headers: AnswerHeaders) {
    headers["cache-control"] = "no-store";
    const token = bearerToken(request.headers.get("authorization") ?? "");
    const session = token === null ? null : await bearerTokens.verify(token);
    const viewer = VIEWERS.find((one) => one === session?.wallet);
    if (session && viewer) return { mayControl: viewer === "controller", ...session };
    spend(request, headers);
    throw new ServiceError(token === null ? "missing_authorization" : "invalid_token");
  }

  async function admitControl(request: Request, headers: AnswerHeaders, what: string) {
    const { mayControl } = await admit(request, headers);
    const pausable = PAUSABLE.find((one) => one === what);
    if (!mayControl || pausable === undefined) throw new NotFoundError();
    return pausable;
  }

  return new Elysia({ detail: { hide: true } })
    .post("/operator/session", async ({ request, set }) => {
      set.headers["cache-control"] = "no-store";
      spend(request, set.headers);
      const link = await store.operator.useLink(linkHash(await readText(request, "secret")));
      if (link === null) {
        const advice = "The link was opened before, or is older than 10 minutes: make another.";
        throw new ServiceError("invalid_token", { advice });
      }
      const viewer = link.mayControl ? "controller" : "viewer";
      const opened = { action: "console-link opened", subject: viewer };
      await store.operator.record({ actor: ACTOR, ...opened, detail: null, reason: null });
      return { token: await bearerTokens.issue(viewer) };
    })
    .get("/operator/status", async ({ request, set }) => {
      const { mayControl, expiresAt } = await admit(request, set.headers);
      const now = store.clock.now();
      const first = Math.floor(now / HOUR_MS) - HOURS + 1;
      // First, because it says by code if the database does not answer.
      const status = await admin.status();
      const [found, paid, toCollectSOL] = await Promise.all([
        store.operator.acceptedByHour(first * HOUR_MS),
        sums.get(),
        readToCollect(),
      ]);
      const hours = Array.from({ length: HOURS }, (_, index) => {
        const hour = first + index;
        const none = { pending: 0, success: 0, failed: 0, rate_limited: 0 };
        return { ...none, ...found.get(hour), at: hour * HOUR_MS };
      });
      return {
        mayControl,
        expiresAt,
        now,
        ...status,
        nodes: rpcNodes?.reports() ?? [],
        hours,
        money: {
          collectedSOL: lamportsToSol(paid.collected),
          toCollectSOL,
          launchesSOL: lamportsToSol(paid.launches),
          migrationsSOL: lamportsToSol(paid.migrations),
          collectingSOL: lamportsToSol(paid.collecting),
        },
      } satisfies OperatorReport;
    })
    .post("/operator/pause/:what", async ({ request, set, params }) => {
      const what = await admitControl(request, set.headers, params.what);
      const reason = await readText(request, "reason");
      await admin.pause(what, { actor: ACTOR, reason });
      return { success: true };
    })
    .post("/operator/resume/:what", async ({ request, set, params }) => {
      const what = await admitControl(request, set.headers, params.what);
      await admin.resume(what, { actor: ACTOR, reason: null }).catch((error: unknown) => {
        // It was resumed already, perhaps elsewhere.
        if (!(error instanceof AdminError)) throw error;
      });
      return { success: true };
    });
}

/** Returns the lamports that the partner can collect of the latest tokens; null on the sandbox. */
export async function readClaimable({
  store,
  partner,
}: Pick<OperatorViewDeps, "store" | "partner">): Promise<bigint | null> {
  if (partner === null) return null;
  const tokens = await store.tokens.latest(TOKENS_READ, { withHidden: true });
  const revenues = await (await partner()).readRevenue(tokens);
  return revenues.reduce((sum, one) => sum + ("unreadable" in one ? 0n : claimableOf(one)), 0n);
}

async function readText(request: Request, field: string): Promise<string> {
  const body = await readJson(request);
  const text: unknown = typeof body === "object" && body !== null ? Reflect.get(body, field) : null;
  const isText = typeof text === "string" && isStorable(text) && text.trim() !== "";
  if (isText && text.length <= MAX_REASON) return text;
  throw validationError([{ field, message: `must be a text of 1 to ${MAX_REASON} characters` }]);
}
