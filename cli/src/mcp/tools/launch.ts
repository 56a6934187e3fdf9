import { createHash } from "node:crypto";
import { Type } from "@sinclair/typebox";
import type { LaunchCheck, LaunchRequest, LaunchStatus, TokenctlClient } from "@tokenctl/sdk";
import { LaunchWaitTimeoutError } from "@tokenctl/sdk";
import { LaunchRequestSchema } from "@tokenctl/shared/contract/launch";
import { LaunchCheckSchema } from "@tokenctl/shared/contract/launch-check";
import {
  LaunchListSchema,
  LaunchStatusNameSchema,
  LaunchStatusSchema,
} from "@tokenctl/shared/contract/launch-status";
import { onChainNameOf, shorteningOf } from "@tokenctl/shared/token-name";
import { solText } from "../../amount.ts";
import type { LaunchPayments } from "../launch-payments.ts";
import { Refusal } from "../refusal.ts";
import { type Answer, toolsOf, WRITES_ONCE } from "../tool.ts";
import { aboutOwn } from "../tool-error.ts";
import {
  cursor,
  DEFAULT_LIMIT,
  DEFAULT_WAIT_SECONDS,
  eventId,
  limit,
  more,
  waitSeconds,
} from "./fields.ts";

const CHOOSE_NAME =
  "Ask the user for a name of at most 32 bytes and pass it as onChainName, or pass allowShortenedName.";

const allowShortenedName = Type.Optional(
  Type.Boolean({
    description: "Whether to cut a name of more than 32 bytes on chain, permanently; default false",
    "x-rule": "must be true or false",
  }),
);

const fields = LaunchRequestSchema.properties;

/** `launch_token` describes these arguments. */
const undescribed = Object.fromEntries(
  Object.entries(fields).map(([name, { description: _, ...schema }]) => [name, schema]),
) as unknown as typeof fields;

const tool = toolsOf("launch");

export const launchTools = [
  tool({
    name: "check_launch",
    title: "Check a launch",
    description:
      "Shows how a launch would end, without changing anything: every refusal, whether the ticker is free, the day's remaining quota, what goes on chain, the fees, and the expected time. Call it before launch_token with the same arguments.",
    input: { ...undescribed, allowShortenedName },
    // The data has these too: the list of tools is kept short.
    output: Type.Omit(LaunchCheckSchema, ["pace", "address", "service", "fees"]),
    async run(
      { client, guards, allowance, payments },
      { allowShortenedName: isCut, ...request },
      { signal },
    ) {
      const data = await client.checkLaunch(request, { signal });
      const problems = data.refusals.map(({ code, error }) => `${error} (${code})`);
      const own = data.refusals.flatMap(({ eventId: id, status }) =>
        id === undefined || status === undefined
          ? []
          : [` ${aboutOwn({ eventId: id, launchStatus: status })}`],
      );
      if (data.endsAs !== null) problems.push(data.endsAs.error);
      const listed = (error: unknown) => {
        if (!(error instanceof Refusal)) throw error;
        problems.push(error.message);
      };
      try {
        if (data.payment !== undefined) checkPayment(payments, data.payment);
      } catch (error) {
        listed(error);
      }
      const shortening = isCut ? null : shorteningOf(request);
      if (shortening !== null) problems.push(shortening);
      if (guards.readOnly) problems.push("This MCP server is read-only");
      else {
        await allowance.check(request.ticker, signal).catch(listed);
      }
      const text =
        problems.length === 0
          ? `Nothing prevents the launch of ${request.ticker}. Its name on chain is ${onChainNameOf(request)}.`
          : `${request.ticker} would not be launched: ${problems.join("; ")}.${own.join("")}`;
      return { text, data };
    },
  }),
  tool({
    name: "launch_token",
    title: "Launch a token",
    description:
      "Launches a token of this wallet on the bonding curve and waits for it. It cannot be undone. The same arguments on the same UTC day are the same launch, so a repeat is safe. A wallet launches at most one token per UTC day; get_policy shows how many launches are left here. The result's status is pending (call get_launch later), success, failed or rate_limited.",
    hints: WRITES_ONCE,
    input: { ...fields, allowShortenedName, waitSeconds },
    output: LaunchStatusSchema,
    async run({ client, allowance, payments }, input, { signal, confirm }) {
      const { waitSeconds: wait, allowShortenedName: isCut = false, ...asked } = input;
      // Without a payer, the service decides.
      const { launchPayers } = asked.payer ? {} : await client.health({ signal });
      const payer = asked.payer ?? (launchPayers?.[0] === "agent" ? "agent" : undefined);
      const request = { ...asked, ...(payer && { payer }) };
      const pays = payer === "agent" ? mayPay(payments) : null;
      const { ticker } = request;
      const shortening = isCut ? null : shorteningOf(request);
      if (shortening !== null) throw new Refusal("name_too_long", shortening, CHOOSE_NAME);
      await allowance.check(ticker, signal);
      const key = (day: string) => contentKey(client.address, request, day);
      const launching = { ticker, key, signal };
      const what = `the token ${namesOf(request)} (${ticker}) with the wallet ${client.address} at ${client.apiUrl}`;
      const isRepeat = await allowance.isRepeat(launching);
      const payment = pays && !isRepeat && (await client.checkLaunch(request, { signal })).payment;
      if (payment) checkPayment(pays, payment);
      const cost = payment ? `, about ${solText(payment.costSOL.total)} as the service says` : "";
      const price = pays ? ` The wallet pays for it: at most ${pays.maxCostSOL} SOL${cost}.` : "";
      const answer = confirm(
        isRepeat
          ? `Repeat the launch of ${what}? It was already requested today, and makes no second token.${price}`
          : `Launch ${what}? It cannot be undone.${price}`,
      );
      if (answer !== null) return answer;
      const accepted = await allowance.launch(launching, (idempotencyKey) =>
        client.launch(request, {
          idempotencyKey,
          allowShortenedName: isCut,
          signal,
          ...(pays && {
            maxCostSOL: Number(pays.maxCostSOL),
            approve: (launch) => pays.approve(launch),
          }),
        }),
      );
      return ended(client, accepted.eventId, wait, signal);
    },
  }),
  tool({
    name: "get_launch",
    title: "Read a launch",
    description:
      "Reads the status of a launch of this wallet (pending, success, failed or rate_limited), and waits for its end if it is pending.",
    input: { eventId, waitSeconds },
    output: LaunchStatusSchema,
    run: ({ client }, input, { signal }) => ended(client, input.eventId, input.waitSeconds, signal),
  }),
  tool({
    name: "list_launches",
    title: "List launches",
    description:
      "Lists this wallet's launches, newest first, in pages, for example to find a lost eventId.",
    input: {
      status: Type.Optional({
        ...LaunchStatusNameSchema,
        description: "Only launches with this status; default: all",
        "x-rule": "must be pending, success, failed or rate_limited",
      }),
      limit,
      cursor,
    },
    output: LaunchListSchema,
    async run({ client }, { status, limit: most = DEFAULT_LIMIT, cursor: after }, { signal }) {
      const data = await client.launches({ status, limit: most, cursor: after, signal });
      return { text: `${data.launches.length} launches.${more(data)}`, data };
    },
  }),
  tool({
    name: "cancel_launch",
    title: "Cancel a launch",
    description:
      "Cancels a pending launch that is not signed yet: it ends failed, and its ticker is free for anyone at once. It still counts among the UTC day's launches. A repeat returns the same result.",
    hints: WRITES_ONCE,
    input: { eventId },
    output: LaunchStatusSchema,
    async run({ client }, input, { signal }) {
      const data = await client.cancelLaunch(input.eventId, { signal });
      return { text: sentence(data), data };
    },
  }),
  tool({
    name: "retry_launch",
    title: "Retry a launch",
    description:
      "Puts a launch that ended failed or rate_limited back in the queue and waits for it. It counts among the UTC day's launches. A launch that is pending or successful stays unchanged.",
    hints: WRITES_ONCE,
    input: { eventId, waitSeconds },
    output: LaunchStatusSchema,
    async run({ client, allowance, payments }, input, { signal, confirm }) {
      const launch = await client.launchStatus(input.eventId, { signal });
      const { ticker, status } = launch;
      if (status === "pending" || status === "success") {
        return ended(client, input.eventId, input.waitSeconds, signal);
      }
      const isPaid = launch.payer === "agent" && mayPay(payments) !== null;
      await allowance.check(ticker, signal);
      const asked = confirm(
        `Repeat the launch of ${ticker}, which ended ${status}, with the wallet ${client.address} at ${client.apiUrl}? It cannot be undone.`,
      );
      if (asked !== null) return asked;
      await allowance.launch({ ticker, key: () => `retry-${input.eventId}`, signal }, () =>
        client.retryLaunch(input.eventId, { signal }),
      );
      return ended(client, input.eventId, isPaid ? 0 : input.waitSeconds, signal);
    },
  }),
];

/** @throws {Refusal} unless the wallet may pay for launches */
function mayPay(payments: LaunchPayments | null): LaunchPayments {
  if (payments !== null) return payments;
  const hint =
    "Only the person who starts this MCP server can allow that, with --pay and --max-launch-cost-sol.";
  throw new Refusal("payment_not_allowed", "The wallet would have to pay for the launch", hint);
}

/** @throws {Refusal} if the wallet may not pay that, or cannot */
function checkPayment(payments: LaunchPayments | null, payment: LaunchCheck["payment"]): void {
  const pays = mayPay(payments);
  if (!payment) return;
  const { costSOL, requiredSOL, balanceSOL, canPay } = payment;
  pays.check(costSOL.total);
  if (canPay) return;
  const text = `The wallet holds ${solText(balanceSOL)} and needs ${solText(requiredSOL)} to pay for the launch`;
  throw new Refusal("launch_unaffordable", text, "Tell the user to send SOL to the wallet.");
}

function namesOf(request: LaunchRequest): string {
  const named = onChainNameOf(request);
  return named === request.name ? named : `${named} (on chain; its full name is ${request.name})`;
}

/** Waits for the end of a launch. @returns its state then, even if it is still pending */
async function ended(
  client: TokenctlClient,
  eventId: string,
  seconds: number = DEFAULT_WAIT_SECONDS,
  signal: AbortSignal,
): Promise<Answer<LaunchStatus>> {
  const status = await client
    .waitForLaunch(eventId, { timeoutMs: seconds * 1000, signal })
    .catch((error: unknown) => {
      if (error instanceof LaunchWaitTimeoutError) return client.launchStatus(eventId, { signal });
      throw error;
    });
  return { text: sentence(status), data: status };
}

function sentence(launch: LaunchStatus): string {
  const { ticker, status, tokenMint, error, eventId, waitingFor } = launch;
  switch (status) {
    case "success":
      return `${ticker} is on chain: its mint is ${tokenMint}.`;
    case "pending":
      if (waitingFor === "agent_signature")
        return `The launch of ${ticker} waits for this wallet's signature. launch_token signs it if it gets the launch's arguments again.`;
      return `The launch of ${ticker} is pending${waitingFor === undefined ? "" : `, waiting for: ${waitingFor}`}. Call get_launch with eventId ${eventId}.`;
    case "rate_limited":
      return `The launch of ${ticker} has to wait: this wallet has already launched a token today (UTC). Call retry_launch after midnight UTC.`;
    case "failed":
      return `The launch of ${ticker} failed${error === null ? "" : `: ${error}`}. retry_launch tries it again.`;
  }
}

/**
 * @param day UTC, for example `2026-03-01`: the ticker of a failed launch is free again a day later
 * @returns an `Idempotency-Key` of a launch's content, so that a repeat is the same launch
 */
function contentKey(wallet: string, request: object, day: string): string {
  const fields = Object.entries(request)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const content = JSON.stringify([wallet, day, fields]);
  return `mcp-${createHash("sha256").update(content).digest("hex")}`;
}
