import { describe, expect, test } from "bun:test";
import {
  getAccount,
  getMint,
  NATIVE_MINT,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from "@solana/spl-token";
import { PublicKey } from "@solana/web3.js";
import { openTestChain } from "../testing/local-chain.ts";
import { createToken } from "../testing/tokens.ts";

const SUPPLY = 1_234_567_890n;

/** A wallet with a token of each program. */
function withTokens() {
  const test = openTestChain();
  const owner = test.wallet();
  const token = createToken(test, owner, SUPPLY);
  const token2022 = createToken(test, owner, 5n, TOKEN_2022_PROGRAM_ID);
  return { ...test, owner, token, token2022 };
}

describe("spl-token", () => {
  test("reads accounts and mints of both programs", async () => {
    const { connection, owner, token, token2022 } = withTokens();
    const account = await getAccount(connection, token.account);
    expect(account).toMatchObject({ mint: token.mint, owner: owner.publicKey, amount: SUPPLY });
    const mint = await getMint(connection, token2022.mint, undefined, TOKEN_2022_PROGRAM_ID);
    expect(mint).toMatchObject({ supply: 5n, decimals: 6 });
    expect((await getMint(connection, NATIVE_MINT)).decimals).toBe(9);
  });
});

describe("getTokenAccountsByOwner", () => {
  test("finds accounts by mint and by program", async () => {
    const { connection, owner, token, token2022 } = withTokens();
    const addresses = async (filter: { mint: PublicKey } | { programId: PublicKey }) =>
      (await connection.getTokenAccountsByOwner(owner.publicKey, filter)).value.map(
        ({ pubkey }) => pubkey,
      );
    expect(await addresses({ mint: token.mint })).toEqual([token.account]);
    expect(await addresses({ programId: TOKEN_PROGRAM_ID })).toEqual([token.account]);
    expect(await addresses({ programId: TOKEN_2022_PROGRAM_ID })).toEqual([token2022.account]);
  });

  test("refuses what is neither a mint nor a token program", async () => {
    const { owner, rpc } = withTokens();
    const wallet = owner.publicKey.toBase58();
    const message = async (filter: object) =>
      (await rpc("getTokenAccountsByOwner", wallet, filter)).error?.message;
    const unknown = PublicKey.unique().toBase58();
    expect(await message({ mint: unknown })).toBe("Invalid param: could not find mint");
    expect(await message({ mint: wallet })).toBe("Invalid param: not a Token mint");
    expect(await message({ programId: unknown })).toBe(
      "Invalid param: unrecognized Token program id",
    );
    expect(await message({})).toBe("Invalid params: expected mint or programId.");
  });
});

describe("balances and supplies", () => {
  test("are returned for an account and a mint", async () => {
    const { connection, token } = withTokens();
    const balance = await connection.getTokenAccountBalance(token.account);
    expect(balance.value).toMatchObject({ amount: SUPPLY.toString(), decimals: 6 });
    const supply = await connection.getTokenSupply(token.mint);
    expect(supply.value.uiAmountString).toBe("1234.56789");
  });

  test("are refused for accounts that are neither a token account nor a mint", async () => {
    const { owner, rpc, token } = withTokens();
    const message = async (method: string, address: PublicKey) =>
      (await rpc(method, address.toBase58())).error?.message;
    expect(await message("getTokenAccountBalance", PublicKey.unique())).toBe(
      "Invalid param: could not find account",
    );
    expect(await message("getTokenAccountBalance", owner.publicKey)).toBe(
      "Invalid param: not a Token account",
    );
    expect(await message("getTokenSupply", token.account)).toBe("Invalid param: not a Token mint");
  });
});
