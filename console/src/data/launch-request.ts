import type { Health, LaunchRequest } from "@tokenctl/sdk";

export const EMPTY_FORM = {
  name: "",
  ticker: "",
  description: "",
  website: "",
  twitter: "",
  telegram: "",
  /** `agent` if the wallet pays, although the service would. */
  payer: "",
  firstBuySOL: "",
};
export type LaunchForm = typeof EMPTY_FORM;

/**
 * @param payers who may pay; undefined if only the service may
 * @returns the request without empty fields
 */
export function toRequest(
  { name, ticker, payer, firstBuySOL, ...others }: LaunchForm,
  payers?: Health["launchPayers"],
): LaunchRequest {
  const filled = Object.entries(others).filter(([, value]) => value.trim() !== "");
  const request = { name, ticker, ...Object.fromEntries(filled) };
  if (payers === undefined) return request;
  if (payer !== "agent" && payers.includes("operator")) return { ...request, payer: "operator" };
  const firstBuy = firstBuySOL.trim() === "" ? {} : { firstBuySOL: Number(decimal(firstBuySOL)) };
  return { ...request, payer: "agent", ...firstBuy };
}

/** Returns a number with a decimal point: in many countries people type `0,5`. */
export const decimal = (typed: string) => typed.trim().replace(/^(\d*),(\d+)$/, "$1.$2");
