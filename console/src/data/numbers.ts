import { shortNumber } from "@tokenctl/shared/page-facts";
import { lamportsToSol } from "@tokenctl/shared/sol";

/** Formats with at most four significant digits, for example `0.01234` for `12345678n`. */
export const shortSol = (lamports: bigint) => shortNumber(lamportsToSol(lamports));

const ALIGNED = new Intl.NumberFormat("en-US", {
  minimumFractionDigits: 4,
  maximumFractionDigits: 4,
  roundingMode: "trunc",
});
const LEAST_ALIGNED = 100_000n;

/** Formats with four decimals for a column, for example `12.0340`, or `< 0.0001`. */
export const alignedSol = (lamports: bigint) =>
  lamports > 0n && lamports < LEAST_ALIGNED ? "< 0.0001" : ALIGNED.format(lamportsToSol(lamports));

/** Formats a price with counted zeros, for example `0.0₆1967` for `0.0000001967`. */
export function shortPrice(value: number): string {
  const text = shortNumber(value);
  const [, zeros = "", rest = ""] = /^0\.(0{4,})(\d+)$/.exec(text) ?? [];
  if (rest === "") return text;
  const count = [...String(zeros.length - 1)].map((digit) => "₀₁₂₃₄₅₆₇₈₉"[Number(digit)]);
  return `0.0${count.join("")}${rest}`;
}

/** Formats a number compactly for an axis, for example `1.25M` for `1_250_000`. */
export const axisNumber = (value: number) =>
  value < 100_000 ? shortNumber(value) : COMPACT.format(value);

const COMPACT = new Intl.NumberFormat("en-US", {
  notation: "compact",
  maximumSignificantDigits: 3,
});

/** Formats a share with a sign, for example `+12.3 %`. */
export const percent = (share: number) => PERCENT.format(share).replace("%", " %");

const PERCENT = new Intl.NumberFormat("en-US", {
  style: "percent",
  maximumFractionDigits: 1,
  signDisplay: "exceptZero",
});

/** Returns about four round numbers across a range, for example 0, 0.5, 1, 1.5 for 0 to 1.3. */
export function roundMarks(most: number, least = 0): number[] {
  const rough = (most - least || most || 1) / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough;
  const [first, last] = [Math.floor(least / step), Math.ceil((most || 1) / step)];
  return Array.from({ length: last - first + 1 }, (_, n) =>
    Number(((first + n) * step).toPrecision(12)),
  );
}
