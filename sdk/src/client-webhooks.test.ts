import { afterAll, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { receive } from "../../examples/webhook-receiver.ts";
import { Receiver } from "../../server/src/modules/webhooks/testing/receiver.ts";
import { startTestServer } from "../../test/support/test-server.ts";
import { thrown } from "../test/client-fixtures.ts";
import { TokenctlClient } from "./client.ts";
import { generateSecretKey, keypairSigner } from "./signer.ts";
import { verifyWebhook } from "./verify-webhook.ts";

const server = await startTestServer({ MAX_LAUNCHES_PER_AGENT: "0" }, {}, Date.now());
afterAll(() => server[Symbol.asyncDispose]());

const newClient = () =>
  new TokenctlClient({
    apiUrl: server.url,
    signer: keypairSigner(generateSecretKey().secretKey),
    maxRetries: 0,
  });

const REFUSED = expect.objectContaining({ code: "webhook_refused" });
const INVALID = expect.objectContaining({ code: "invalid_argument" });

let tickers = 0;
async function launch(client: TokenctlClient): Promise<void> {
  const ticker = `H${++tickers}`;
  const { eventId } = await client.launch({ name: ticker, ticker });
  await client.waitForLaunch(eventId);
}

test("a refusal has the server's code, and a wrong id is not sent", async () => {
  const { webhooks } = newClient();
  const wrong = await thrown(webhooks.create({ url: "https://10.0.0.1/" }));
  expect(wrong).toMatchObject({ status: 400, details: [{ field: "url" }] });
  const missing = await thrown(webhooks.test(crypto.randomUUID()));
  expect(missing.code).toBe("webhook_not_found");
  expect((await thrown(webhooks.delete("../tokens"))).code).toBe("invalid_argument");
});

test("the example receives events once, and refuses what is not signed", async () => {
  const client = newClient();
  let secret = "";
  const answers: number[] = [];
  await using receiver = new Receiver(async ({ headers, body }) => {
    const status = receive({ ...headers }, Buffer.from(body), secret);
    answers.push(status);
    return new Response(null, { status });
  });
  const webhook = await client.webhooks.create({ url: receiver.url });
  secret = webhook.secret;
  await client.webhooks.test(webhook.id);
  await receiver.got(1);
  await launch(client);
  const { headers, body } = await receiver.got(2);
  while (answers.length < 2) await Bun.sleep(1);
  expect(answers).toEqual([204, 204]);
  expect(receive({ ...headers }, Buffer.from(`${body} `), secret)).toBe(401);
  expect(verifyWebhook(headers, body, secret)).toEqual(JSON.parse(body));
  const another = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;
  expect(() => verifyWebhook(headers, body, another)).toThrow(REFUSED);
  // The receiver is wrong, not the message: 401 for all would lose every event.
  for (const none of ["", webhook.url, undefined as never])
    expect(() => verifyWebhook(headers, body, none)).toThrow(INVALID);
  expect(() => verifyWebhook(headers, JSON.parse(body), secret)).toThrow(INVALID);
  expect(() => verifyWebhook(undefined as never, body, secret)).toThrow(INVALID);
});

test("what is signed with the secret is read only if it is a message of a tokend, and not too old", () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
  const signed = (message: unknown, secondsAgo = 0): [Record<string, string>, string] => {
    const [body, at] = [JSON.stringify(message), new Date(Date.now() - 1000 * secondsAgo)];
    const time = String(Math.floor(at.getTime() / 1000));
    const signature = new Webhook(secret).sign("id", at, body);
    return [
      { "Webhook-Id": "id", "Webhook-Timestamp": time, "Webhook-Signature": signature },
      body,
    ];
  };
  const timestamp = new Date().toISOString();
  const test = { type: "webhook.test", timestamp, data: { webhookId: crypto.randomUUID() } };
  expect(verifyWebhook(...signed(test), secret)).toEqual(test as never);
  for (const message of [
    [test, 301],
    [{}],
    ["x"],
    [null],
    [{ ...test, data: {} }],
    [{ ...test, type: "claim.confirmed" }],
  ]) {
    const [of, ago] = message as [unknown, number?];
    expect(() => verifyWebhook(...signed(of, ago), secret)).toThrow(REFUSED);
  }
});
