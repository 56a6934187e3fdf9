import {
  type Commitment,
  Connection,
  type FetchFn,
  type Keypair,
  PublicKey,
  SystemProgram,
  type TransactionInstruction,
} from "@solana/web3.js";
import { generateKeypair, signedBytes } from "../../base/native-keys.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import { type ChainTerms, LocalChain } from "../chain.ts";
import { createRpcHandler, type OnFault } from "../rpc/handler.ts";
import { SLOT_MS } from "../slots.ts";

export const SOL = 1_000_000_000n;

export class SlotClock extends ManualClock {
  advanceSlots(slots: number): void {
    this.advance(slots * SLOT_MS);
  }
}

/** Never resolved: calls do not leave this process. */
const ENDPOINT = "http://localnet.invalid";

/** Poll statuses: `confirmTransaction` would subscribe. */
export function localConnection(
  chain: LocalChain,
  commitment: Commitment = "confirmed",
  onFault: OnFault = () => {},
): Connection {
  const handle = createRpcHandler(chain, onFault);
  const inProcess = (...call: ConstructorParameters<typeof Request>): Promise<Response> =>
    handle(new Request(...call));
  return new Connection(ENDPOINT, { commitment, fetch: inProcess as unknown as FetchFn });
}

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
  return signedBytes(signers, blockhash, instructions);
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
