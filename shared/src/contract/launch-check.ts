import { Type } from "@sinclair/typebox";
import { FieldErrorSchema, refusalFacts } from "./error.ts";
import { LaunchCostSchema } from "./launch.ts";
import { CurveKnotSchema } from "./market.ts";
import { FeeScheduleSchema } from "./token.ts";
import * as t from "./values.ts";

export const LaunchRefusalCodeSchema = t.openChoice(
  [
    "validation_failed",
    "paused",
    "agent_balance_low",
    "wallet_blocked",
    "not_on_allowlist",
    "invite_required",
    "agent_launch_limit",
    "address_launch_limit",
    "share_used",
    "launch_rate_limit",
    "daily_budget_spent",
    "queue_full",
    "ticker_taken",
    "launch_unaffordable",
    "launch_build_failed",
    "chain_unavailable",
    "wrong_cluster",
  ],
  "The `code` that the launch would return",
);

export const LaunchRefusalSchema = t.object(
  "The error that the launch would return: its body and its `Retry-After`",
  {
    code: LaunchRefusalCodeSchema,
    error: t.text("Its `error`, for people", { minLength: 1 }),
    details: t.optional(t.list(FieldErrorSchema, "With `validation_failed`: the invalid fields")),
    message: t.optional(t.text("What to do next")),
    retryAfterSeconds: t.optional(t.whole("Its `Retry-After`, in seconds")),
    ...refusalFacts,
  },
);

const count = Type.Integer({ minimum: 0 });

export const LaunchCheckSchema = t.object("How a launch would end if it were sent now", {
  ok: t.flag(
    "Whether nothing prevents it: there are no refusals, and `endsAs` is null. A launch that its agent pays for was simulated",
  ),
  refusals: t.list(
    LaunchRefusalSchema,
    "Every reason to refuse the launch; the launch itself returns the first",
  ),
  endsAs: t.nullable(
    t.fields({
      status: Type.Literal("rate_limited", { description: "Its status" }),
      error: t.text("Its `error`, in words"),
    }),
    "How an accepted launch would end, if that is already certain; otherwise null",
  ),
  agent: t.object("The agent's launches in this UTC day", {
    hasLaunchedToday: t.flag("Whether the agent's one token of this UTC day is already on chain"),
    waiting: t.whole(
      "The agent's pending launches; once one succeeds today, later ones end `rate_limited`",
    ),
    accepted: t.whole("Launches accepted in this UTC day"),
    limit: t.nullable(count, "Launches accepted per day; null without a limit"),
  }),
  queue: t.object("The waiting launches of all agents", {
    depth: t.whole("Waiting launches"),
    place: t.whole("The place of a new launch, 1 for the next"),
    limit: t.nullable(count, "Maximum waiting launches; null without a limit"),
  }),
  service: t.object("The state of the service; while it is not `ok`, accepted launches wait", {
    ok: t.flag("Whether launches make progress"),
    message: t.nullable(t.string, "What is down and what to do about it; otherwise null"),
  }),
  warnings: t.optional(
    t.list(
      t.text("A sentence"),
      "Present if people may take the token for another one: its page would say the same",
    ),
  ),
  fees: t.nullable(
    FeeScheduleSchema,
    "The fees of trades; null if the server cannot read them now",
  ),
  curve: t.optional(
    t.list(
      CurveKnotSchema,
      "The bonding curve that the token would be sold on, as that of a market; absent if the server cannot read it now",
    ),
  ),
  payment: t.optional(
    t.nullable(
      t.fields({
        costSOL: LaunchCostSchema,
        requiredSOL: t.sol("What its wallet must hold, with what it must keep, in SOL"),
        balanceSOL: t.sol("What its wallet holds, in SOL"),
        canPay: t.flag("Whether that is enough"),
        config: t.nullable(
          t.address(),
          "The launchpad's config that the launch would be under; null on a sandbox or if unknown",
        ),
      }),
      "What the launch costs the agent, at the highest network fee; present if the agent pays, null if the server cannot read it now",
    ),
  ),
});
