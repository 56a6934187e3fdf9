/**
 * A receiver of an agent's events.
 *
 *   WEBHOOK_SECRET=whsec_… PORT=8080 bun examples/webhook-receiver.ts
 */
import { Webhook } from "standardwebhooks";

/** The ids of messages that were handled. A real receiver keeps them in its database. */
const seen = new Set<string>();

/** Answers one request. */
export async function receive(request: Request, secret: string): Promise<Response> {
  // As it came: the signature covers these bytes.
  const body = await request.text();
  try {
    new Webhook(secret).verify(body, Object.fromEntries(request.headers));
  } catch {
    return new Response("not signed with the secret", { status: 401 });
  }
  // A message may come more than once: after a lost answer, or in a replay.
  const id = request.headers.get("webhook-id") ?? "";
  if (!seen.has(id)) {
    const event = JSON.parse(body);
    console.log(event.type, JSON.stringify(event.data));
    seen.add(id);
  }
  // After any other status than 2xx, or none within 15 s, it is sent again; 410 disables the webhook.
  return new Response(null, { status: 204 });
}

if (import.meta.main) {
  const secret = process.env.WEBHOOK_SECRET ?? "";
  const server = Bun.serve({ fetch: (request) => receive(request, secret) });
  console.log(`Waiting for events at ${server.url}`);
}
