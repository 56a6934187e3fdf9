import type { TestMessage } from "@tokenctl/shared/types";
import { Webhook } from "standardwebhooks";
import { InvalidArgumentError, WebhookError } from "./errors.ts";
import { answer, shape, string } from "./internal/answer.ts";
import { fromCaller } from "./internal/call-stack.ts";
import { parseJson } from "./internal/http.ts";
import { type AgentEvent, narrowedAnswers } from "./narrowed-answers.ts";

const test = answer<TestMessage>(shape({ timestamp: string, data: shape({ webhookId: string }) }));

/** Headers of a request, as the Fetch API or Node provides them. */
export type WebhookHeaders =
  | { entries(): Iterable<[string, string]> }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Reads a message that the server sent to a receiver, if it is signed with the webhook's secret and
 * at most five minutes old. Store the header `webhook-id`: a message may come more than once.
 *
 * @param body exactly as received, because the signature covers these bytes
 * @param secret `whsec_…`, which `webhooks.create` returns
 * @throws {WebhookError} if it is not signed, too old, or not a message of a tokend
 * @example
 * import { verifyWebhook } from "@tokenctl/sdk";
 *
 * async function receive(request: Request, secret: string): Promise<Response> {
 *   const message = verifyWebhook(request.headers, await request.text(), secret);
 *   if (message.type === "claim.confirmed") console.log(message.data.transactionHash);
 *   return new Response(null, { status: 204 });
 * }
 */
export function verifyWebhook(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secret: string,
): AgentEvent | TestMessage {
  return fromCaller(verifyWebhook, () => {
    const isSecret = /^whsec_[A-Za-z\d+/]+=*$/.test(secret);
    if (!isSecret) throw new InvalidArgumentError("This is not the whsec_… secret of a webhook");
    const isRaw = typeof body === "string" || ArrayBuffer.isView(body);
    if (!isRaw) throw new InvalidArgumentError("The body is not the text or bytes as received");
    if (!headers) throw new InvalidArgumentError("The headers are missing");
    const hint = "Answer 401; if all are refused, check the secret and this machine's clock";
    const text = typeof body === "string" ? body : new TextDecoder().decode(body);
    const given =
      typeof headers.entries === "function" ? headers.entries() : Object.entries(headers);
    try {
      const signed = Object.fromEntries(given as Iterable<[string, string]>);
      new Webhook(secret).verify(text, signed, { jsonParse: false });
    } catch (cause) {
      throw new WebhookError("The message has no valid signature, or is too old", { cause, hint });
    }
    const message = parseJson(text);
    const isTest = Object(message).type === "webhook.test";
    const problem = (isTest ? test : narrowedAnswers.event).check(message);
    if (problem === null) return message as AgentEvent | TestMessage;
    throw new WebhookError(`The message does not follow the contract: it${problem}`, { hint });
  });
}
