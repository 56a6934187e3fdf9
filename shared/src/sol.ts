import { LAMPORTS_PER_SOL, TOKEN_DECIMALS } from "./limits.ts";

/** Returns the double nearest to lamports ÷ 10⁹, for example `0.001234567` for `1234567n`. */
export function lamportsToSol(lamports: bigint): number {
  return Number(formatSol(lamports));
}

/** Returns lamports, for example `500n` for `5e-7`. */
export function solToLamports(sol: number): bigint {
  // This is more SOL than exists, and `toFixed` would write it with an exponent.
  if (sol >= 1e21) return BigInt(sol) * LAMPORTS_PER_SOL;
  return parseDecimal(sol.toFixed(9), 9);
}

/** Returns SOL in plain decimal digits without trailing zeros, for example `0.0000005`. */
export function formatSol(lamports: bigint): string {
  const sign = lamports < 0n ? "-" : "";
  const magnitude = lamports < 0n ? -lamports : lamports;
  const fraction = (magnitude % LAMPORTS_PER_SOL).toString().padStart(9, "0").replace(/0+$/, "");
  const whole = magnitude / LAMPORTS_PER_SOL;
  return `${sign}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}

/**
 * @returns lamports, for example `1500000000n` for `"1.5"`
 * @throws {RangeError} if the text is not a decimal number from 0 with at most nine fraction digits
 */
export function parseSol(text: string): bigint {
  if (/^\d{1,10}(\.\d{1,9})?$/.test(text)) return parseDecimal(text, 9);
  throw new RangeError(`"${text}" is not an amount of SOL, such as 1 or 0.25`);
}

/** @param tokens a decimal number in the contract's form. @returns base units */
export function parseUnits(tokens: string): bigint {
  return parseDecimal(tokens, TOKEN_DECIMALS);
}

function parseDecimal(text: string, decimals: number): bigint {
  const [whole = "0", fraction = ""] = text.split(".");
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}
