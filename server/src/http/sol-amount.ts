import { formatSol, parseSol } from "@tokenctl/shared/sol";
import { validationError } from "./validation.ts";

/**
 * Reads an amount of SOL of a request. A JSON number is read from its decimal text, so that 0.1 is exactly
 * 100,000,000 lamports.
 *
 * @returns lamports, from 1 to `max`
 * @throws {ServiceError} 400 that names the field
 */
export function parseSolAmount(field: string, sol: number | string, max: bigint): bigint {
  try {
    const lamports = parseSol(typeof sol === "number" ? plainDigits(sol) : sol);
    if (lamports > 0n && lamports <= max) return lamports;
  } catch {
    // Not a decimal number: the answer is the same.
  }
  throw validationError([{ field, message: `must be more than 0 and at most ${formatSol(max)}` }]);
}

/** @returns the number without an exponent, for example `0.0000005` */
function plainDigits(sol: number): string {
  const text = sol.toFixed(9);
  return Number(text) === sol ? text : String(sol);
}
