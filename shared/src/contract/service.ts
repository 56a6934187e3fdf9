import { limits } from "../limits.ts";
import { LAUNCH_PAYERS } from "../words.ts";
import * as t from "./values.ts";

export const NetworkSchema = t.openChoice(
  ["sandbox", "mainnet-beta", "devnet", "testnet", "localnet", "private"],
  "The chain of the service's tokens; absent until it is known. SOL has real value only on `mainnet-beta`",
);

export const ChainStallSchema = t.object("Present while the chain lands no transactions", {
  since: t.timestamp(
    "When the first transaction of the service began to wait while the chain confirmed none at all; ISO-8601 in UTC",
  ),
  launchesWaiting: t.whole("Pending launches"),
  claimsWaiting: t.whole("Claims that were sent but have not landed"),
});

export const HealthSchema = t.object("The answer of the health endpoint, with 200 and with 503", {
  ok: t.flag("Whether the service works"),
  db: t.choice(["connected", "disconnected"], "Whether the database answers"),
  timestamp: t.timestamp(),
  network: t.optional(NetworkSchema),
  launchPayers: t.optional(
    t.list(
      t.choice(LAUNCH_PAYERS, "Who may pay"),
      "Who may pay for a launch; the first does if the launch does not say. Absent if only the operator does",
    ),
  ),
  message: t.optional(
    t.text(
      "What agents should know: what is down, and what waits; if `ok`, other notices, such as a pause",
    ),
  ),
  operatorMessage: t.optional(
    t.text(
      "For the operator of this service alone: what is down, and what the operator does about it. Nothing in it is for an agent to do",
    ),
  ),
  stalled: t.optional(ChainStallSchema),
  error: t.optional(t.text("Only if not `ok`", { minLength: 1 })),
  code: t.optional(t.text("Only if not `ok`", { pattern: "^(unhealthy|starting)$" })),
});

export const ReadySchema = t.object("The answer of a server that may get requests", {
  ready: t.flag("Always true: a server that may get none answers 503"),
});

export const WalletBalanceSchema = t.object("What a wallet holds", {
  wallet: t.address("The wallet, base58"),
  balanceSOL: t.sol("SOL that it holds"),
});

export const UploadedImageSchema = t.object("An image that was uploaded", {
  success: t.success,
  url: t.text("Its public URL, for the `imageUrl` of a launch", { maxLength: limits.imageUrl.max }),
  expiresAt: t.timestamp("When it is deleted unless a launch uses it; ISO-8601 in UTC"),
});
