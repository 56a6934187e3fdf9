import { describe, expect, test } from "bun:test";
import {
  createApproveInstruction,
  getAccount,
  getMint,
  NATIVE_MINT,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from "@solana/spl-token";
import { PublicKey } from "@solana/web3.js";
import { openTestChain, signed } from "../testing/local-chain.ts";
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

  test("returns parsed accounts", async () => {
    const { connection, owner, token } = withTokens();
    const found = await connection.getParsedTokenAccountsByOwner(owner.publicKey, {
      mint: token.mint,
    });
    expect(found.value[0]?.account.data).toMatchObject({
      program: "spl-token",
      space: 165,
      parsed: {
        type: "account",
        info: {
          mint: token.mint.toBase58(),
          owner: owner.publicKey.toBase58(),
          state: "initialized",
          isNative: false,
          tokenAmount: {
            amount: "1234567890",
            decimals: 6,
            uiAmount: 1234.56789,
            uiAmountString: "1234.56789",
          },
        },
      },
    });
  });

  test("refuses what is no mint and no token program", async () => {
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

  test("are refused for accounts that are no token account or mint", async () => {
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

describe("jsonParsed", () => {
  test("shows a mint and a delegated account", async () => {
    const { chain, connection, owner, token } = withTokens();
    const delegate = PublicKey.unique();
    chain.sendTransaction(
      signed(
        chain.latestBlockhash().blockhash,
        [owner],
        createApproveInstruction(token.account, delegate, owner.publicKey, 2n ** 64n - 1n),
      ),
    );
    const parsed = async (address: PublicKey) => {
      const { value } = await connection.getParsedAccountInfo(address);
      return value !== null && "parsed" in value.data ? value.data.parsed : null;
    };
    expect((await parsed(token.account)).info).toMatchObject({
      delegate: delegate.toBase58(),
      delegatedAmount: { amount: "18446744073709551615" },
    });
    expect(await parsed(token.mint)).toEqual({
      type: "mint",
      info: {
        decimals: 6,
        freezeAuthority: null,
        isInitialized: true,
        mintAuthority: owner.publicKey.toBase58(),
        supply: SUPPLY.toString(),
      },
    });
    const byDelegate = await connection.getProgramAccounts(TOKEN_PROGRAM_ID, {
      filters: [{ dataSize: 165 }, { memcmp: { offset: 76, bytes: delegate.toBase58() } }],
    });
    expect(byDelegate.map(({ pubkey }) => pubkey)).toEqual([token.account]);
  });
});
