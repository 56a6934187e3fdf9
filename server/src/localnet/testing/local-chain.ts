import {
  type Connection,
  type Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  type TransactionInstruction,
} from "@solana/web3.js";
import { generateKeypair } from "../../base/native-keys.ts";
import { type ChainTerms, LocalChain } from "../chain.ts";
import { createRpcHandler } from "../rpc/handler.ts";
import { localConnection } from "./connection.ts";
import { SlotClock } from "./slot-clock.ts";

export const SOL = 1_000_000_000n;

/** A chain with tools for tests. */
export interface TestChain {
  readonly chain: LocalChain;
  readonly clock: SlotClock;
  readonly connection: Connection;
  /** Makes a wallet with this many lamports. */
  wallet(lamports?: bigint): Keypair;
  rpc(method: string, ...params: unknown[]): Promise<RpcAnswer>;
}

interface RpcAnswer {
  // Tests read answers of many shapes.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly result?: any;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly error?: { readonly code: number; readonly message: string; readonly data?: any };
}

export function openTestChain(
  ledgerPath = ":memory:",
  clock = new SlotClock(),
  terms: ChainTerms = {},
): TestChain {
  const chain = LocalChain.open({ ...terms, ledgerPath, clock });
  const handle = createRpcHandler(chain);
  return {
    chain,
    clock,
    connection: localConnection(chain),
    wallet(lamports = 10n * SOL) {
      const keypair = generateKeypair();
      chain.airdrop(keypair.publicKey, lamports);
      return keypair;
    },
    async rpc(method, ...params) {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      return (await (await handle(rpcRequest(body))).json()) as RpcAnswer;
    },
  };
}

export function rpcRequest(body: string): Request {
  const headers = { "content-type": "application/json" };
  return new Request("http://localnet.invalid", { method: "POST", headers, body });
}

/** Returns the signed bytes of a legacy transaction. The first signer pays. */
export function signed(
  blockhash: string,
  signers: readonly [Keypair, ...Keypair[]],
  ...instructions: TransactionInstruction[]
): Uint8Array {
  const transaction = new Transaction({
    feePayer: signers[0].publicKey,
    recentBlockhash: blockhash,
  }).add(...instructions);
  transaction.sign(...signers);
  return transaction.serialize();
}

/** Returns the signed bytes of a transfer with the latest blockhash. */
export function transfer(
  chain: LocalChain,
  from: Keypair,
  lamports: bigint,
  to: PublicKey = PublicKey.unique(),
): Uint8Array {
  const { blockhash } = chain.latestBlockhash();
  const instruction = SystemProgram.transfer({
    fromPubkey: from.publicKey,
    toPubkey: to,
    lamports,
  });
  return signed(blockhash, [from], instruction);
}
