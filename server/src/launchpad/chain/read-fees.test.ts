import { describe, expect, test } from "bun:test";
import { Keypair } from "@solana/web3.js";
import { ChainUnavailableError } from "../errors.ts";
import { testLaunchpad } from "./testing/test-launchpad.ts";
import { tokenWithFees } from "./testing/token-with-fees.ts";

describe("readFees", () => {
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
});
