import { expect, test } from "bun:test";
import { DYNAMIC_BONDING_CURVE_PROGRAM_ID } from "@meteora-ag/dynamic-bonding-curve-sdk";
import { type Connection, PublicKey } from "@solana/web3.js";
import { openTestChain } from "../../localnet/testing/local-chain.ts";
import { versionOneTransfer } from "../../localnet/testing/version-1.ts";
import { RpcError } from "../../solana/rpc-answer.ts";
import { ChainUnavailableError } from "../errors.ts";
import { opened } from "./hand-over.ts";

const [agent, other, nft] = [1, 2, 3].map((n) => new PublicKey(new Uint8Array(32).fill(n))) as [
  PublicKey,
  PublicKey,
  PublicKey,
];

/** A node at which later transactions name the NFT; null signers: it has forgotten the first. */
function node(later: number, signer: PublicKey | null, program: PublicKey): Connection {
  const all = [...Array.from({ length: later }, (_, n) => `later ${n}`), "first"];
  const listed = all.map((signature) => ({ signature, err: null }));
  const message = {
    header: { numRequiredSignatures: 1 },
    staticAccountKeys: [signer, program],
    compiledInstructions: [{ programIdIndex: 1 }],
  };
  const stub: Record<string, unknown> = {
    getSignaturesForAddress: async (
      _: PublicKey,
      { limit, before }: { limit: number; before?: string },
    ) => {
      const start = before === undefined ? 0 : all.indexOf(before) + 1;
      return listed.slice(start, start + limit);
    },
    getTransaction: async (signature: string) =>
      signature === "first" && signer !== null ? { transaction: { message } } : null,
  };
  return stub as unknown as Connection;
}

test.each([0, 999, 1_000, 9_998])(
  "a position that the agent opened stays its own, although %i later transactions name it",
  async (later) => {
    expect(await opened(node(later, agent, nft), agent, nft)).toBe(true);
  },
);

test("a position that the agent opened by a transaction of version 1 stays its own", async () => {
  const { chain, connection, wallet } = openTestChain();
  const [owner, mint] = [wallet(), PublicKey.unique()];
  const { blockhash } = chain.latestBlockhash();
  const options = { to: mint, lamports: 1_000_000 };
  chain.sendTransaction(await versionOneTransfer(owner, blockhash, options));
  expect(await opened(connection, owner.publicKey, mint)).toBe(true);
  expect(await opened(connection, agent, mint)).toBe(false);
});

test("a position that another opened, or a migration that the agent sent, is not the agent's own", async () => {
  expect(await opened(node(1_500, other, nft), agent, nft)).toBe(false);
  expect(await opened(node(1_500, agent, DYNAMIC_BONDING_CURVE_PROGRAM_ID), agent, nft)).toBe(
    false,
  );
});

test("a position whose first transaction has a version that the service cannot read is kept", async () => {
  const connection = node(0, other, nft);
  connection.getTransaction = async () => {
    throw new RpcError("refused", "getTransaction", "no", { code: -32015 });
  };
  expect(await opened(connection, agent, nft)).toBe(true);
});

test("a position that too many transactions name is kept", async () => {
  expect(await opened(node(10_000, other, nft), agent, nft)).toBe(true);
});

test("a node that has forgotten the first transaction proves nothing", async () => {
  await expect(opened(node(0, null, nft), agent, nft)).rejects.toBeInstanceOf(
    ChainUnavailableError,
  );
});
