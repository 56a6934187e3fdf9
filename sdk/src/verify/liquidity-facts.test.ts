import { expect, test } from "bun:test";
import type { CurveConfig } from "@tokenctl/shared/programs/curve-terms";
import { dammV2 } from "@tokenctl/shared/programs/damm-v2";
import { DAMM_V2, TOKEN_2022 } from "@tokenctl/shared/programs/ids";
import bs58 from "bs58";
import { builder } from "../internal/program-address.ts";
import { Rpc } from "../internal/rpc.ts";
import { liquidityFacts } from "./liquidity-facts.ts";

const addressOf = (name: string, index: number) =>
  bs58.encode(new Bun.CryptoHasher("sha256").update(`${name} ${index}`).digest());

const [POOL, MINT, CREATOR, HELD] = ["pool", "mint", "creator", "held"].map((name) =>
  addressOf(name, 0),
) as [string, string, string, string];

/** Returns the creator's account with the only token of a mint, in base64. */
function tokenAccount(mint: string): string {
  const data = Buffer.alloc(165);
  data.set([...bs58.decode(mint), ...bs58.decode(CREATOR), 1]);
  data[108] = 1;
  return data.toString("base64");
}

/** Returns a DAMM v2 account with these addresses and u128s at their offsets. */
function accountOf(
  kind: "Pool" | "Position",
  bytes: number,
  fields: Readonly<Record<number, string | bigint>>,
) {
  const data = Buffer.alloc(bytes);
  data.set(dammV2.accounts[kind].tag);
  for (const [at, value] of Object.entries(fields)) {
    if (typeof value === "string") data.set(bs58.decode(value), Number(at));
    else data.writeBigUInt64LE(value, Number(at));
  }
  return { lamports: 1, owner: DAMM_V2, data: [data.toString("base64"), "base64"] };
}

test.each([
  [10n, "1 % of the liquidity is locked permanently: 99 %", "1 %"],
  [100n, "0.1 % of the liquidity is locked permanently: 99.9 %", "0.1 %"],
])(
  "of a hundred positions in unknown wallets those that are locked are searched, with few requests, if each other has %i",
  async (size, start, part) => {
    const requests: string[] = [];
    const positions = Array.from({ length: 100 }, (_, index) => {
      const nft = addressOf("nft", index);
      const isLocked = index === 99;
      const liquidity = isLocked ? { 184: 10n } : { 152: size };
      const account = accountOf("Position", 408, { 8: POOL, 40: nft, ...liquidity });
      return { pubkey: builder.derived(DAMM_V2, "position", nft), account };
    });
    const locked = addressOf("nft", 99);
    const holding = {
      lamports: 1,
      owner: TOKEN_2022,
      data: [tokenAccount(locked), "base64"],
    };
    const pool = accountOf("Pool", 1_112, { 168: MINT, 360: 99n * size + 10n, 552: 10n });
    const rpc = new Rpc("https://node.example", {
      retry: { maxRetries: 0 },
      timeoutMs: 1_000,
      fetch: async (_, { body }) => {
        const { method, params } = JSON.parse(String(body));
        requests.push(method);
        if (method === "getProgramAccounts") return Response.json({ result: positions });
        if (method === "getTokenLargestAccounts") {
          const value = params[0] === locked ? [{ address: HELD }] : [];
          return Response.json({ result: { value } });
        }
        expect(params[0].length).toBeLessThanOrEqual(100);
        const value = params[0].map((address: string) =>
          address === POOL ? pool : address === HELD ? holding : null,
        );
        return Response.json({ result: { value } });
      },
    });
    const source = { rpc, address: POOL, roles: new Map([[CREATOR, "the creator "]]) };
    const locks = {
      creatorPermanentLockedLiquidityPercentage: 100,
      partnerPermanentLockedLiquidityPercentage: 0,
    };
    const { facts, holders } = await liquidityFacts(source, MINT, locks as CurveConfig);
    expect(facts.map(({ verdict }) => verdict)).toEqual(["safe", "safe"]);
    expect(facts[0]?.text).toBe(
      `${start} that can be withdrawn for holders that were not found, ${part} for the creator ${CREATOR}`,
    );
    expect(holders).toEqual([CREATOR]);
    expect(requests.length).toBeLessThan(20);
  },
);
