import { connect } from "../connect.ts";
import type { Context } from "../context.ts";
import { readNetwork } from "../network.ts";
import type { Result } from "../result.ts";

/**
 * Signs in, to show that the keypair, the server and the network work. It stores nothing: each
 * command signs in by itself.
 */
export async function login(context: Context, options: { showToken?: boolean }): Promise<Result> {
  const client = await connect(context);
  context.notices.progress(`Signing in to ${client.apiUrl}`);
  const { wallet, token, expiresInSeconds } = await client.login({ signal: context.signal });
  const network = await readNetwork(client, context.signal);
  const data = { wallet, apiUrl: client.apiUrl, expiresInSeconds, ...(network && { network }) };
  return options.showToken
    ? { kind: "session", data: { ...data, token } }
    : { kind: "login", data };
}
