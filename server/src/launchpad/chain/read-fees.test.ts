import { describe, expect, test } from "bun:test";
import { Keypair } from "@solana/web3.js";
import type { TokenRef } from "../../domain/token.ts";
import { ChainUnavailableError } from "../errors.ts";
import { readable } from "../testing/readable.ts";
import { testLaunchpad } from "./testing/test-launchpad.ts";
import { FEE, tokenWithFees } from "./testing/token-with-fees.ts";

describe("readFees", () => {
  test("reports an RPC that fails as an error of the chain", async () => {
    const { launchpad, wallet, token, rpc } = await tokenWithFees();
    rpc.spoilNext("getMultipleAccounts", "500");
    const reading = launchpad.readFees(wallet, [token]);
    await expect(reading).rejects.toBeInstanceOf(ChainUnavailableError);
  });

  test("reports an answer that lacks accounts as an error of the RPC, not of the tokens", async () => {
    const { launchpad, wallet, token, rpc } = await tokenWithFees();
    rpc.rewrite("getMultipleAccounts", (answer) => {
      answer.result.value.pop();
      return answer;
    });
    const reading = launchpad.readFees(wallet, [token, token]);
    await expect(reading).rejects.toBeInstanceOf(ChainUnavailableError);
  });

  test("recognizes RPC errors if web3.js keeps only their message", async () => {
    const wallet = Keypair.generate().publicKey;
    const token = { tokenMint: wallet.toBase58(), poolAddress: wallet.toBase58() };
    let ask: () => Promise<unknown> = () => Promise.reject(new TypeError("a fault of ours"));
    const { launchpad, rpc, connection } = testLaunchpad({
      program: (inner) => ({ ...inner, readFees: async () => [(await ask()) as never] }),
    });
    const read = () => launchpad.readFees(wallet.toBase58(), [token]);
    await expect(read()).rejects.toBeInstanceOf(TypeError);
    ask = () => connection.getAccountInfo(wallet);
    rpc.spoil(() => "request lost");
    await expect(read()).rejects.toThrow("The Solana RPC cannot be reached");
    await expect(read()).rejects.toBeInstanceOf(ChainUnavailableError);
  });

  test("reads 120 tokens with three requests", async () => {
    const { launchpad, wallet, token, rpc } = await tokenWithFees();
    const tokens: TokenRef[] = Array.from({ length: 120 }, () => token);
    rpc.calls.length = 0;
    const fees = readable(await launchpad.readFees(wallet, tokens));
    expect(fees).toHaveLength(120);
    expect(fees[119]?.bondingCurve.claimable).toBe(FEE);
    expect(rpc.calls).toHaveLength(3);
  });
});
