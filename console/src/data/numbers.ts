import { lamportsToSol } from "@tokenctl/shared/sol";

const FOUR_DIGITS = new Intl.NumberFormat("en-US", {
  maximumSignificantDigits: 4,
  // Never more than there is.
  roundingMode: "trunc",
});

/** @returns an amount with at most four significant digits, for example `0.01234` for `12345678n` */
export const shortSol = (lamports: bigint) => FOUR_DIGITS.format(lamportsToSol(lamports));

/** @returns about four round numbers from 0 to the most, for example 0, 0.5, 1, 1.5 for 1.3 */
export function roundMarks(most: number): number[] {
  const rough = (most || 1) / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough;
  const count = Math.ceil((most || 1) / step);
  return Array.from({ length: count + 1 }, (_, n) => Number((n * step).toPrecision(12)));
}
