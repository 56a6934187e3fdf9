/**
 * A receiver of an agent's events, on Node or Bun.
 *
 *   WEBHOOK_SECRET=whsec_… PORT=8080 bun examples/webhook-receiver.ts
 */
import { createServer, type IncomingHttpHeaders } from "node:http";
import { buffer } from "node:stream/consumers";
import { verifyWebhook, WebhookError } from "@tokenctl/sdk";

/** The ids of messages that were handled. A real receiver keeps them in its database. */
const seen = new Set<string>();

/** Handles one message. @returns the status of the answer */
export function receive(headers: IncomingHttpHeaders, body: Uint8Array, secret: string): number {
  try {
    const { type, data } = verifyWebhook(headers, body, secret);
    // A message may come more than once: after a lost answer, or if it is added again with `after`.
    const id = String(headers["webhook-id"]);
    if (!seen.has(id)) console.log(type, JSON.stringify(data));
    seen.add(id);
    // After any other status than 2xx, or none within 15 s, it is sent again.
    return 204;
  } catch (error) {
    if (error instanceof WebhookError) return 401;
    throw error;
  }
}

if (import.meta.main) {
  const secret = process.env.WEBHOOK_SECRET ?? "";
  const server = createServer(async (request, response) => {
    response.writeHead(receive(request.headers, await buffer(request), secret)).end();
  });
  server.listen(Number(process.env.PORT ?? 8080), () => console.log("Waiting for events"));
}
