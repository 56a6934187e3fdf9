import { expect, test } from "bun:test";
import type { ClaimRecord } from "@tokenctl/shared/types";
import bs58 from "bs58";
import {
  mintAddress,
  ok,
  prepared,
  receipt,
  refusal,
  thrown,
  token,
  useScriptedServer,
} from "../../test/client-fixtures.ts";
import type { ClaimCost } from "../claim-check/terms.ts";
import { AbortError, InvalidArgumentError } from "../errors.ts";
import type { ClaimAllOptions, ClaimOptions } from "../options.ts";
import { claimAll as claimAllBy } from "./claim-all.ts";

const scripted = useScriptedServer();
const LIST = "/api/v1/tokens/claims";
/** Further mints; the fixtures' transaction claims only `mintAddress`. */
const MINTS = Array.from({ length: 6 }, (_, n) => bs58.encode(new Uint8Array(32).fill(n + 1)));
const pathOf = (mint: string) => `${LIST}/${mint}`;

const record = (tokenMint: string, dbc = 0.01, lp = 0): ClaimRecord => ({
  tokenMint,
  poolAddress: token.poolAddress,
  ticker: `T${MINTS.indexOf(tokenMint)}`,
  claimableSOL: (Math.round(dbc * 1e9) + Math.round(lp * 1e9)) / 1e9,
  dbcClaimableFees: dbc,
  dbcTotalFees: dbc,
  dbcClaimedFees: 0,
  lpClaimableFees: lp,
  lpTotalFees: lp,
  lpClaimedFees: 0,
  isMigrated: lp > 0,
});

/** Scripts the list of fees, and a refusal of each claim unless a test scripts another answer. */
function list(...claims: ClaimRecord[]): void {
  scripted.server.script(LIST, ok({ claims }));
  for (const { tokenMint } of claims) {
    scripted.server.script(pathOf(tokenMint), refusal("claim_build_failed"));
  }
}

const claimAll = (options: ClaimAllOptions = {}) =>
  scripted.client({ maxRetries: 0 }).claimAll(options);
const kinds = async (options: ClaimAllOptions = {}) =>
  (await claimAll(options)).outcomes.map(({ kind }) => kind);

test("each token has its outcome, and the sum is what was paid", async () => {
  const [empty = "", small = "", broken = "", taken = "", gone = ""] = MINTS;
  scripted.server.script(
    LIST,
    ok({
      claims: [
        ...[record(empty, 0), record(small, 0.0005, 0.0004), record(broken)],
        ...[record(mintAddress, 0, 0.5), record(taken)],
      ],
      unreadable: [{ tokenMint: gone, ticker: "GONE", error: "It is not there" }],
    }),
  );
  scripted.server.script(pathOf(broken), refusal("claim_build_failed"));
  scripted.server.script(pathOf(mintAddress), ok(prepared), ok(receipt));
  scripted.server.script(pathOf(taken), refusal("no_fees_to_claim"));
  const { outcomes, claimedSOL } = await claimAll({ minLamports: 900_001 });
  expect(outcomes).toEqual([
    { kind: "nothing_to_claim", tokenMint: empty, ticker: "T0" },
    { kind: "below_minimum", tokenMint: small, ticker: "T1", claimableSOL: 0.0009 },
    { kind: "failed", tokenMint: broken, ticker: "T2", error: expect.any(Error) },
    {
      kind: "claimed",
      tokenMint: mintAddress,
      ticker: "T-1",
      claimedSOL: 0.5,
      transactionHash: receipt.transactionHash,
    },
    { kind: "nothing_to_claim", tokenMint: taken, ticker: "T3" },
    { kind: "unreadable", tokenMint: gone, ticker: "GONE", reason: "It is not there" },
  ]);
  expect(claimedSOL).toBe(0.5);
  expect(await kinds({ minLamports: 900_000n })).toContain("failed");
  expect(scripted.server.to(pathOf(small))).toHaveLength(1);
});

test("claims that pay a receiver begin with the greatest, and one that is refused stops no other", async () => {
  const [tiny = "", other = ""] = MINTS;
  list(record(tiny, 0.0001), record(mintAddress, 0.5), record(other, 0.0002));
  for (const mint of [tiny, other]) {
    scripted.server.script(pathOf(mint), refusal("creator_changed"));
  }
  const { outcomes } = await claimAll({ to: MINTS[5] ?? "" });
  // Claims all together, which this server does not support, then one by one.
  const claimed = scripted.server.seen.map(({ path }) => path.split("/").at(-1) ?? "");
  expect(claimed.slice(-3)).toEqual([mintAddress, other, tiny]);
  expect(outcomes).toMatchObject([
    { tokenMint: tiny, kind: "failed", error: { code: "creator_changed" } },
    { tokenMint: mintAddress, kind: "failed", error: { code: "claim_build_failed" } },
    { tokenMint: other, kind: "failed", error: { code: "creator_changed" } },
  ]);
});

const lie = { ...receipt, transactionHash: bs58.encode(new Uint8Array(64).fill(9)) };
test.each<[string, Parameters<typeof scripted.server.script>[1][], string]>([
  ["the connection breaks", ["hang up"], "ConnectionError"],
  ["the sign-in is refused", [refusal("invalid_token")], "AuthenticationError"],
  ["the receipt is of another transaction", [ok(prepared), ok(lie)], "ClaimReceiptError"],
])("after a claim during which %s no further one is made", async (_, answers, name) => {
  const [first = "", third = ""] = MINTS;
  list(record(first), record(mintAddress), record(third));
  scripted.server.script(pathOf(mintAddress), ...answers);
  const { outcomes, claimedSOL } = await claimAll();
  expect(outcomes).toMatchObject([
    { kind: "failed" },
    { kind: "failed", error: { name } },
    { kind: "not_tried", claimableSOL: 0.01 },
  ]);
  expect(claimedSOL).toBe(0);
  expect(scripted.server.to(pathOf(third))).toEqual([]);
});

test("an abort keeps the outcomes of the claims before it", async () => {
  const [second = "", third = ""] = MINTS;
  list(record(mintAddress), record(second), record(third));
  const abort = new AbortController();
  scripted.server.script(pathOf(mintAddress), ok(prepared), ok(receipt));
  scripted.server.script(pathOf(second), () => {
    abort.abort();
    return "hang";
  });
  const { outcomes, claimedSOL } = await claimAll({ signal: abort.signal });
  expect(outcomes.map(({ kind }) => kind)).toEqual(["claimed", "failed", "not_tried"]);
  expect(outcomes[1]).toHaveProperty("error", expect.any(AbortError));
  expect(claimedSOL).toBe(0.5);
});

test("approve sees each claim before its signature; what it throws is the outcome, and stopAt may end all", async () => {
  const [second = ""] = MINTS;
  list(record(mintAddress), record(second));
  const tooMuch = new Error("too much");
  const approve = () => {
    throw tooMuch;
  };
  scripted.server.script(pathOf(mintAddress), ok(prepared));
  expect((await claimAll({ approve })).outcomes).toMatchObject([
    { kind: "failed", error: tooMuch },
    { kind: "failed" },
  ]);
  expect(await kinds({ approve, stopAt: (error) => error === tooMuch })).toEqual([
    "failed",
    "not_tried",
  ]);
  expect(scripted.server.to(pathOf(mintAddress)).every(({ body }) => body === undefined)).toBe(
    true,
  );
});

test("a list that cannot be read is thrown", async () => {
  scripted.server.script(LIST, refusal("chain_unavailable"));
  expect(await thrown(claimAll())).toMatchObject({ code: "chain_unavailable" });
});

test.each<[ClaimAllOptions]>([
  [{ minLamports: -1 }],
  [{ minLamports: 0.5 }],
  [{ minLamports: "900000" as never }],
])("%j is refused before a request", async (options) => {
  expect(await thrown(claimAll(options))).toBeInstanceOf(InvalidArgumentError);
  expect(scripted.server.seen).toEqual([]);
});

test("without approve all claims together cost at most maxCostSOL, and the first above it ends them", async () => {
  let rentLamports = 0n;
  const client = {
    claims: async () => ({ claims: MINTS.map((mint) => record(mint)) }),
    claimMany: () => Promise.reject(new Error("one by one")),
    async claim(_: string, { approve }: ClaimOptions) {
      await approve?.({ networkFeeLamports: 30_000n, rentLamports } as ClaimCost, "");
      return { success: true as const, transactionHash: "hash", claimedSOL: 0.01 };
    },
  };
  const ended = async (options: ClaimAllOptions) =>
    (await claimAllBy(client, options)).outcomes.map(({ kind }) => kind).join(" ");
  const stopped = "claimed claimed failed not_tried not_tried not_tried";
  expect(await ended({ maxCostSOL: 0.00006 })).toBe(stopped);
  expect(await ended({})).not.toContain("failed");
  rentLamports = 7_000_000n;
  expect(await ended({})).toBe(stopped);
  expect(await ended({ approve: () => {} })).not.toContain("failed");
});
