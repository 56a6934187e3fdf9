import { expect, test } from "bun:test";
import { serveApi } from "./testing/api.ts";
import { run, temporaryWallet } from "./testing/cli.ts";

async function login(nonce: string, ...args: string[]) {
  let verified = 0;
  await using api = serveApi({
    "POST /api/auth/challenge": () => ({ nonce }),
    "POST /api/auth/verify": () => {
      verified++;
      return { token: "opaque" };
    },
  });
  using wallet = temporaryWallet();
  const { host } = new URL(api.url);
  const finished = await run(["login", ...args, "--api-url", api.url, "-k", wallet.keypair]);
  return { ...finished, verified, host };
}

test("a nonce that names no host is signed only with --allow-nonce-without-host", async () => {
  const refused = await login("n".repeat(22));
  expect(refused).toMatchObject({ exitCode: 3, verified: 0 });
  expect(refused.stderr).toContain(
    "hint: If you trust the server, allow it with --allow-nonce-without-host",
  );
  const allowed = await login("n".repeat(22), "--allow-nonce-without-host");
  expect(allowed).toMatchObject({ exitCode: 0, verified: 1, stderr: "" });
});
