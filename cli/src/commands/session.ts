import { connect, connectWithoutWallet } from "../connect.ts";
import type { Context, Field, Result } from "../context.ts";
import { CliError, exitCodes } from "../errors.ts";
import { readNetwork } from "../network.ts";

/** Shows that the keypair, the server and the network work. It stores nothing: each command signs in by itself. */
export async function login(context: Context, options: { showToken?: boolean }): Promise<Result> {
  const { notices, signal } = context;
  const client = await connect(context);
  notices.progress(`Signing in to ${client.apiUrl}`);
  const { wallet, token, expiresInSeconds: life } = await client.login({ signal });
  const network = await readNetwork(client, signal);
  const data = { wallet, apiUrl: client.apiUrl, expiresInSeconds: life };
  if (options.showToken) return { data: { ...data, token }, network, view: [token] };
  const lifetime =
    life === null || life < 120 ? `valid for ${life} s` : `valid for ${Math.floor(life / 60)} min`;
  const fields = [
    ["Wallet", wallet],
    ["Server", client.apiUrl],
    ["Network", network],
    ["Session", life === null ? null : lifetime],
  ] as const;
  return { data, network, view: { fields } };
}

export async function redeem(context: Context, code: string): Promise<Result> {
  const client = await connect(context);
  context.notices.progress("Redeeming the invite");
  const answer = await client.redeemInvite(code, { signal: context.signal });
  const invite = answer.wasInvited ? "already redeemed; this code was not used" : "redeemed";
  const fields = [
    ["Wallet", client.address],
    ["Invite", invite],
  ] as const;
  return { data: { wallet: client.address, ...answer }, view: { fields } };
}

export async function health(context: Context): Promise<Result> {
  const data = await connectWithoutWallet(context).health({ signal: context.signal });
  const { ok, db, network, timestamp, message } = data;
  const fields: Field[] = [
    ["Server", ok ? { text: "ok", colour: "green" } : { text: "unhealthy", colour: "red" }],
    ["Database", db],
    ["Network", network],
    ["Time", timestamp],
    ["Message", message],
  ];
  const failure = new CliError("unhealthy", message ?? "The server is unhealthy", {
    hint: "Contact the server's operator, or look at the server's log",
    exitCode: exitCodes.unavailable,
  });
  return { data, view: { fields }, failure: ok ? undefined : failure };
}
