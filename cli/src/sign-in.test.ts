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

test("a nonce of another server is never signed", async () => {
  for (const args of [[], ["--allow-nonce-without-host"]]) {
    const { exitCode, stderr, verified, host } = await login(
      `other.example/${"n".repeat(22)}`,
      ...args,
    );
    expect({ exitCode, verified }).toEqual({ exitCode: 3, verified: 0 });
    expect(stderr).toBe(
      `error: The server names itself other.example, but this client talks to ${host}\n` +
        "hint: Set --api-url to other.example if you meant that server; otherwise its operator must set PUBLIC_URL\n",
    );
  }
});

test("a nonce that names no host is signed only with --allow-nonce-without-host", async () => {
  const refused = await login("n".repeat(22));
  expect(refused).toMatchObject({ exitCode: 3, verified: 0 });
  expect(refused.stderr).toContain(
    "hint: If you trust the server, allow it with --allow-nonce-without-host",
  );
  const allowed = await login("n".repeat(22), "--allow-nonce-without-host");
  expect(allowed).toMatchObject({ exitCode: 0, verified: 1, stderr: "" });
});

test("a nonce of several lines is never signed", async () => {
  const { exitCode, stderr, verified } = await login(
    `${"n".repeat(22)}\nand all my tokens`,
    "--allow-nonce-without-host",
  );
  expect({ exitCode, verified }).toEqual({ exitCode: 3, verified: 0 });
  expect(stderr).toContain("it is not 22 to 200 visible ASCII characters\n");
  expect(stderr).not.toContain("all my tokens");
});
