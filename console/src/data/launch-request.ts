import type { LaunchRequest } from "@tokenctl/sdk";

/** The fields of the form, as they are typed. */
export const EMPTY_FORM = {
  name: "",
  onChainName: "",
  ticker: "",
  description: "",
  website: "",
  twitter: "",
  telegram: "",
  inviteCode: "",
};
export type LaunchForm = typeof EMPTY_FORM;

/**
 * @param namesPayer whether the request says that the service pays, because agents may too
 * @returns the request without fields that are empty, with its links whole
 */
export function toRequest(
  { name, ticker, ...others }: LaunchForm,
  namesPayer = false,
): LaunchRequest {
  const optional = {
    ...others,
    website: linkOf(others.website),
    twitter: linkOf(others.twitter, "x.com"),
    telegram: linkOf(others.telegram, "t.me"),
  };
  const filled = Object.entries(optional).filter(([, value]) => value.trim() !== "");
  const payer = namesPayer ? { payer: "operator" as const } : {};
  return { name, ticker, ...payer, ...Object.fromEntries(filled) };
}

/**
 * @param host of a network in which people have names
 * @returns the URL that a person means, for example `https://x.com/name` for `@name` or `x.com/name`
 */
export function linkOf(typed: string, host?: string): string {
  const text = typed.trim();
  const name = /^@?(\w+)$/.exec(text)?.[1];
  if (host !== undefined && name !== undefined) return `https://${host}/${name}`;
  return /^[\w-]+(\.[\w-]+)+(\/\S*)?$/.test(text) ? `https://${text}` : text;
}
