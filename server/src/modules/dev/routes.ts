import { Type } from "@sinclair/typebox";
import { limits } from "@tokenctl/shared/limits";
import { Elysia } from "elysia";
import { decodeAddress } from "../../base/address.ts";
import type { bearerPlugin } from "../../http/bearer.ts";
import { readBytes, readJson } from "../../http/body.ts";
import { parser, validationError } from "../../http/validation.ts";
import type { DevService } from "./service.ts";

const sol = Type.Union([Type.Number(), Type.String({ maxLength: 24 })], {
  "x-rule": "must be an amount of SOL",
});
const address = Type.String({
  maxLength: limits.wallet.max,
  "x-rule": "must be a base58 address",
});

const parseAirdrop = parser(
  Type.Object({ wallet: Type.Optional(address), sol }, { additionalProperties: false }),
);
const parseTrade = parser(
  Type.Object(
    {
      tokenMint: address,
      side: Type.Union([Type.Literal("buy"), Type.Literal("sell")], {
        "x-rule": 'must be "buy" or "sell"',
      }),
      sol,
    },
    { additionalProperties: false },
  ),
);
const parseGraduate = parser(Type.Object({ tokenMint: address }, { additionalProperties: false }));

/** The sandbox's routes. They are not part of the contract and not in the OpenAPI document. */
export function devRoutes(dev: DevService, bearer: ReturnType<typeof bearerPlugin>) {
  const hidden = { detail: { hide: true } };
  // Needs no bearer token: Solana's tools cannot send one, and nothing on this chain has value.
  const rpc = new Elysia().post(
    "/rpc",
    async ({ request }) => {
      const body = await readBytes(request);
      return dev.rpc(new Request(request.url, { method: "POST", headers: request.headers, body }));
    },
    hidden,
  );
  return new Elysia({ prefix: "/dev" })
    .use(rpc)
    .use(bearer)
    .post(
      "/airdrop",
      async ({ request, wallet }) => {
        const order = parseAirdrop(await readJson(request));
        return dev.airdrop(recipient(order.wallet ?? wallet), order.sol);
      },
      hidden,
    )
    .post(
      "/trade",
      async ({ request }) => {
        const { tokenMint, side, sol } = parseTrade(await readJson(request));
        return dev.trade(tokenMint, side, sol);
      },
      hidden,
    )
    .post(
      "/graduate",
      async ({ request }) => {
        const { tokenMint } = parseGraduate(await readJson(request));
        return dev.graduate(tokenMint);
      },
      hidden,
    );
}

function recipient(wallet: string): string {
  if (decodeAddress(wallet)) return wallet;
  throw validationError([{ field: "wallet", message: "must be a base58 address" }]);
}
