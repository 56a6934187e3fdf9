import { expect, test } from "bun:test";
import type { PaidClaim } from "@tokenctl/sdk";
import { type Handler, runAgainst } from "../testing/api.ts";
import { MINT } from "../testing/records.ts";

const newest: PaidClaim = {
  tokenMint: MINT,
  ticker: "WIF",
  transactionHash: "newest",
  claimedSOL: 0.000000003,
  claimedLamports: "3",
  dbcClaimedLamports: "1",
  lpClaimedLamports: "2",
  claimedAt: "2026-11-21T09:30:00.123Z",
};
const oldest: PaidClaim = {
  tokenMint: MINT,
  ticker: "BONK",
  transactionHash: "oldest",
  claimedSOL: 12345678901.234568,
  claimedLamports: "12345678901234567891",
  dbcClaimedLamports: "12345678901234567891",
  lpClaimedLamports: "0",
  claimedAt: "2026-11-20T09:30:00.000Z",
};

/** Runs `history` against a server with these claims, one on each page. */
async function runHistory(claims: readonly PaidClaim[], ...flags: string[]) {
  const queries: string[] = [];
  const routes: Record<string, Handler> = {
    "GET /api/v1/tokens/claims/history": ({ url }) => {
      const { search, searchParams } = new URL(url);
      queries.push(search);
      const page = Number(searchParams.get("cursor"));
      const isLast = page + 1 >= claims.length;
      return {
        claims: claims.slice(page, page + 1),
        ...(!isLast && { nextCursor: `${page + 1}` }),
      };
    },
  };
  return { ...(await runAgainst(routes, ["history", ...flags])), queries };
}

async function printed(claims: readonly PaidClaim[], ...flags: string[]): Promise<string> {
  const { stdout, stderr, exitCode } = await runHistory(claims, ...flags);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  return stdout;
}

test("history prints a table with the parts and their totals, to the lamport", async () => {
  expect(await printed([newest, oldest])).toBe(
    [
      "TIME                  TICKER                      CURVE             POOL                    CLAIMED  TRANSACTION",
      "2026-11-21 09:30:00Z  WIF               0.000000001 SOL  0.000000002 SOL            0.000000003 SOL  newest",
      "2026-11-20 09:30:00Z  BONK    12345678901.234567891 SOL  0.000000000 SOL  12345678901.234567891 SOL  oldest",
      "Total                         12345678901.234567892 SOL  0.000000002 SOL  12345678901.234567894 SOL",
      "",
    ].join("\n"),
  );
  expect(await printed([])).toBe("No claims have paid.\n");
});

test("history shows whom a claim has paid, if it paid others than the wallet", async () => {
  const receivers = [
    { address: "vault", paidSOL: 0.000000002, paidLamports: "2" },
    { address: "partner", paidSOL: 0.000000001, paidLamports: "1" },
  ];
  const paid = { ...newest, receivers };
  const table = await printed([paid, oldest]);
  expect(table).toMatch(/TRANSACTION +PAID TO\n/);
  expect(table).toMatch(/newest +vault, partner\n/);
  expect(table).toMatch(/oldest +-\n/);
});

test("history --json prints one document", async () => {
  expect(JSON.parse(await printed([newest, oldest], "--json"))).toEqual({
    claims: [newest, oldest],
  });
});

test("history asks for the token that it is given", async () => {
  const { queries } = await runHistory([newest], "--token", MINT);
  expect(queries).toEqual([`?limit=500&token=${MINT}`]);
});
