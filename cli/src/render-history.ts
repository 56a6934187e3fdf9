import type { PaidClaim } from "@tokenctl/sdk";
import { formatSol } from "@tokenctl/shared/sol";
import { solColumn } from "./amount.ts";
import { plain, plainJson, table } from "./text.ts";

const NONE = "-";

/** The columns of the CSV. Scripts rely on them: new ones come last. */
const COLUMNS: readonly (readonly [title: string, value: (claim: PaidClaim) => string | null])[] = [
  ["claimedAt", (claim) => claim.claimedAt],
  ["ticker", (claim) => claim.ticker],
  ["tokenMint", (claim) => claim.tokenMint],
  // In plain digits: JSON writes 1e-9.
  ["claimedSOL", (claim) => formatSol(BigInt(claim.claimedLamports))],
  ["claimedLamports", (claim) => claim.claimedLamports],
  ["dbcClaimedLamports", (claim) => claim.dbcClaimedLamports],
  ["lpClaimedLamports", (claim) => claim.lpClaimedLamports],
  ["transactionHash", (claim) => claim.transactionHash],
  ["otherTokenMints", ({ otherTokenMints }) => otherTokenMints?.join(" ") ?? null],
];

/** @returns CSV by RFC 4180 with a header, lines ended by a line feed; empty if a part is not known */
export function historyCsv(claims: readonly PaidClaim[]): string {
  const rows = [
    COLUMNS.map(([title]) => title),
    ...claims.map((claim) => COLUMNS.map(([, value]) => csvCell(value(claim) ?? ""))),
  ];
  return rows.map((row) => `${row.join(",")}\n`).join("");
}

/** @returns one line of JSON for each claim */
export function historyJsonLines(claims: readonly PaidClaim[]): string {
  return claims.map((claim) => `${plainJson(claim)}\n`).join("");
}

/** @returns a table with a total; its strings must be plain */
export function historyLines(
  claims: readonly PaidClaim[],
  heading: (text: string) => string,
): string[] {
  if (claims.length === 0) return ["No claims have paid."];
  const parts = (["dbcClaimedLamports", "lpClaimedLamports", "claimedLamports"] as const).map(
    (part) => {
      const amounts = claims.map((claim) => claim[part]);
      const total = amounts.reduce((sum, amount) => sum + BigInt(amount ?? 0), 0n);
      const texts = solColumn([...amounts.map((amount) => BigInt(amount ?? 0)), total]);
      return texts.map((text, index) => (amounts[index] === null ? NONE : text));
    },
  );
  const amounts = (index: number) => parts.map((texts) => texts[index] ?? "");
  return table(
    [
      { title: "TIME" },
      { title: "TICKER" },
      { title: "CURVE", align: "right" },
      { title: "POOL", align: "right" },
      { title: "CLAIMED", align: "right" },
      { title: "TRANSACTION" },
    ],
    [
      ...claims.map((claim, index) => [
        claim.claimedAt.replace(/\.\d+Z$/, "Z"),
        `${claim.ticker}${othersOf(claim)}`,
        ...amounts(index),
        claim.transactionHash,
      ]),
      ...(claims.length > 1 ? [["Total", "", ...amounts(claims.length), ""]] : []),
    ],
    heading,
  );
}

/** How many more tokens the amounts are of. */
function othersOf({ otherTokenMints = [] }: PaidClaim): string {
  return otherTokenMints.length === 0 ? "" : ` +${otherTokenMints.length}`;
}

/** A spreadsheet runs a cell that begins like a formula: a quote before it makes it a text. */
function csvCell(value: string): string {
  const text = plain(value).replace(/^[=+\-@]/, "'$&");
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
