import { connect } from "../connect.ts";
import type { Context } from "../context.ts";
import type { Result } from "../result.ts";

/**
 * Signs in, which proves that the keypair, the server and what lies between them work. Nothing is
 * kept: each command signs in by itself.
 */
export async function login(context: Context, options: { showToken?: boolean }): Promise<Result> {
  const client = await connect(context);
  context.notices.progress(`Signing in to ${client.apiUrl}`);
  const { wallet, token, expiresInSeconds } = await client.login({ signal: context.signal });
  const data = { wallet, apiUrl: client.apiUrl, expiresInSeconds };
  return options.showToken
    ? { kind: "session", data: { ...data, token } }
    : { kind: "login", data };
}
