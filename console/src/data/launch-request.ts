import type { Health, LaunchRequest } from "@tokenctl/sdk";

export const EMPTY_FORM = {
  name: "",
  onChainName: "",
  ticker: "",
  description: "",
  website: "",
  twitter: "",
  telegram: "",
  inviteCode: "",
  /** `agent` if the wallet pays, although the service would. */
  payer: "",
  firstBuySOL: "",
};
export type LaunchForm = typeof EMPTY_FORM;

/**
 * @param payers who may pay; undefined if only the service may
 * @returns the request without empty fields, and with complete URLs
 */
export function toRequest(
  { name, ticker, payer, firstBuySOL, ...others }: LaunchForm,
  payers?: Health["launchPayers"],
): LaunchRequest {
  const optional = {
    ...others,
    website: linkOf(others.website),
    twitter: linkOf(others.twitter, "x.com"),
    telegram: linkOf(others.telegram, "t.me"),
  };
  const filled = Object.entries(optional).filter(([, value]) => value.trim() !== "");
  const request = { name, ticker, ...Object.fromEntries(filled) };
  if (payers === undefined) return request;
  if (payer !== "agent" && payers.includes("operator")) return { ...request, payer: "operator" };
  const firstBuy = firstBuySOL.trim() === "" ? {} : { firstBuySOL: Number(decimal(firstBuySOL)) };
  return { ...request, payer: "agent", ...firstBuy };
}

/** Returns a number with a decimal point: in many countries people type `0,5`. */
export const decimal = (typed: string) => typed.trim().replace(/^(\d*),(\d+)$/, "$1.$2");

/**
 * @param host a network where people have names, for example `x.com`
 * @returns the URL that a person means: `https://x.com/name` for `@name` or `x.com/name`
 */
export function linkOf(typed: string, host?: string): string {
  const text = typed.trim();
  const name = /^@?(\w+)$/.exec(text)?.[1];
  if (host !== undefined && name !== undefined) return `https://${host}/${name}`;
  return /^[\w-]+(\.[\w-]+)+(\/\S*)?$/.test(text) ? `https://${text}` : text;
}
