import type { Webhook, WebhookDelivery } from "@tokenctl/sdk";
import type { Style } from "./style.ts";
import { table } from "./text.ts";

const NONE = "-";

/** @returns a table of webhooks */
export function webhookLines(webhooks: readonly Webhook[], style: Style): string[] {
  if (webhooks.length === 0) return ["This wallet has no webhooks."];
  return table(
    [
      { title: "WEBHOOK" },
      { title: "STATE" },
      { title: "SENT", align: "right" },
      { title: "NEXT ATTEMPT" },
      { title: "URL" },
    ],
    webhooks.map(({ id, url, failures, cursor, nextAttemptAt, disabledAt }) => [
      id,
      stateOf(failures, disabledAt, style),
      String(cursor),
      nextAttemptAt ?? NONE,
      url,
    ]),
    style.bold,
  );
}

function stateOf(failures: number, disabledAt: string | null, style: Style): string {
  if (disabledAt !== null) return style.red("disabled");
  return failures > 0 ? style.yellow(`failed ${failures}x`) : style.green("ok");
}

/** @returns a table of deliveries */
export function deliveryLines(deliveries: readonly WebhookDelivery[], style: Style): string[] {
  if (deliveries.length === 0) return ["Nothing was sent yet."];
  const paint = { delivered: style.green, failed: style.red, pending: style.yellow };
  return table(
    [
      { title: "NO.", align: "right" },
      { title: "WHAT" },
      { title: "STATUS" },
      { title: "TRIED", align: "right" },
      { title: "LAST" },
      { title: "ANSWER" },
    ],
    deliveries.map(({ number, kind, event, status, attempts, attemptedAt, ...last }) => [
      String(number),
      event === null ? kind : `${kind} ${event}`,
      paint[status](status),
      String(attempts),
      attemptedAt ?? NONE,
      last.problem ?? last.httpStatus?.toString() ?? NONE,
    ]),
    style.bold,
  );
}
