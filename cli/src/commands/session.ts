import type { Desk, Field, Result } from "../desk.ts";
import { CliError } from "../errors.ts";

/** Checks the keypair, the server and the network. Stores nothing: each command signs in itself. */
export async function login(desk: Desk, { showToken }: { showToken?: boolean }): Promise<Result> {
  const { client, notices, signal } = desk;
  const { apiUrl } = client;
  notices.progress(`Signing in to ${apiUrl}`);
  const { wallet, token, expiresInSeconds: life } = await client.login({ signal });
  const network = await desk.network();
  const data = { wallet, apiUrl, expiresInSeconds: life, network };
  if (showToken) return { data: { ...data, token }, view: [token] };
  const lifetime =
    life === null || life < 120 ? `valid for ${life} s` : `valid for ${Math.floor(life / 60)} min`;
  const fields = [
    ["Wallet", wallet],
    ["Server", apiUrl],
    ["Network", network],
    ["Session", life === null ? null : lifetime],
  ] as const;
  return { data, view: { fields } };
}

export async function redeem(
  { client, signal }: Desk,
  { code }: { code: string },
): Promise<Result> {
  const answer = await client.redeemInvite(code, { signal });
  const invite = answer.wasInvited ? "already redeemed; this code was not used" : "redeemed";
  const fields = [
    ["Wallet", client.address],
    ["Invite", invite],
  ] as const;
  return { data: { wallet: client.address, ...answer }, view: { fields } };
}

export async function health({ client, signal }: Desk): Promise<Result> {
  // Only an operator can act on this message, so agents and models do not get it.
  const { operatorMessage: _, ...data } = await client.health({ signal });
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
  });
  const says = ok ? "The service works." : undefined;
  return { data, view: { fields }, says, failure: ok ? undefined : failure };
}
