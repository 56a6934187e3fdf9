import { expect, test } from "bun:test";
import { startTestServer } from "../../test/support/test-server.ts";
import { generateSecretKey, keypairSigner, NonceError, TokenctlClient } from "../src/index.ts";
import { type ScriptedServer, startScriptedServer } from "./scripted-server.ts";

const SIGN_IN = ["/api/auth/challenge", "/api/auth/verify"] as const;

/** A server that uses the signatures of its agents to sign them in at another server. */
async function startRelay(victim: { readonly url: string }) {
  const relay = await startScriptedServer();
  const stolen: string[] = [];
  for (const path of SIGN_IN) {
    relay.script(path, async ({ body }) => {
      const answer = await fetch(victim.url + path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      const json = (await answer.json()) as { token?: string };
      if (json.token !== undefined) stolen.push(json.token);
      return { status: answer.status, json };
    });
  }
  return Object.assign(relay, { stolen });
}

/** A client of a server at another address than its own. */
function clientOf(server: ScriptedServer, apiUrl: string) {
  return new TokenctlClient({
    apiUrl,
    signer: keypairSigner(generateSecretKey().secretKey),
    fetch: (url, init) => fetch(url.replace(apiUrl, server.url), init),
    allowNonceWithoutHost: true,
    maxRetries: 0,
  });
}

test.each([
  ["a server on this machine", "http://127.0.0.1:9000", "https://tokens.example"],
  ["a server elsewhere", "https://evil.example", "https://tokens.example"],
  ["a server elsewhere, at one on this machine,", "https://evil.example", ""],
])("%s cannot sign an agent in at another one", async (_, apiUrl, publicUrl) => {
  await using victim = await startTestServer(publicUrl === "" ? {} : { PUBLIC_URL: publicUrl });
  await using relay = await startRelay(victim);
  const error = await clientOf(relay, apiUrl)
    .login()
    .catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(NonceError);
  expect(error).toMatchObject({ problem: "other host", apiHost: new URL(apiUrl).host });
  expect(relay.to("/api/auth/challenge")).toHaveLength(1);
  expect(relay.to("/api/auth/verify")).toEqual([]);
  expect(relay.stolen).toEqual([]);
});

test("an agent signs in at a server by the address that the server gives itself", async () => {
  const apiUrl = "https://tokens.example";
  await using server = await startTestServer({ PUBLIC_URL: apiUrl });
  const signer = keypairSigner(generateSecretKey().secretKey);
  const through = new TokenctlClient({
    apiUrl: `${apiUrl}/base`,
    signer,
    fetch: (url, init) => fetch(url.replace(`${apiUrl}/base`, server.url), init),
  });
  expect((await through.login()).wallet).toBe(signer.publicKey);
  const byPort = new TokenctlClient({ apiUrl: server.url, signer });
  const error = await byPort.login().catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: "nonce_refused", nonceHost: "tokens.example" });
});
