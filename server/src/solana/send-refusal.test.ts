import { describe, expect, test } from "bun:test";
import { Keypair, SystemProgram, Transaction, type TransactionInstruction } from "@solana/web3.js";
import { createRpcHandler } from "../localnet/rpc/handler.ts";
import { openTestChain, SOL } from "../localnet/testing/local-chain.ts";
import { createConnection } from "./connection.ts";
import { errorOfAnswer, RpcError } from "./rpc-errors.ts";
import { type SendRefusalKind, sendRefusalKind } from "./transaction-error.ts";

/** Sends a transaction that an embedded chain refuses. @returns the refusal */
async function refusal(make: (chain: ReturnType<typeof openTestChain>) => Transaction) {
  const chain = openTestChain();
  const transaction = make(chain);
  const handle = createRpcHandler(chain.chain);
  const fetch = (url: string, init: RequestInit) => handle(new Request(url, init));
  const error = await createConnection("http://localnet.invalid", { fetch })
    .sendRawTransaction(transaction.serialize({ verifySignatures: false }))
    .then(
      () => null,
      (fault: unknown) => fault,
    );
  if (!(error instanceof RpcError)) throw new Error(`not refused: ${error}`);
  return sendRefusalKind(error);
}

function signed(
  { chain }: ReturnType<typeof openTestChain>,
  payer: Keypair,
  ...instructions: TransactionInstruction[]
): Transaction {
  const transaction = new Transaction({ feePayer: payer.publicKey, ...chain.latestBlockhash() });
  transaction.add(...instructions).sign(payer);
  return transaction;
}

function transfer(from: Keypair, lamports: bigint): TransactionInstruction {
  const toPubkey = Keypair.generate().publicKey;
  return SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey, lamports });
}

describe("a refusal by the embedded chain", () => {
  test("names the payer if it does not exist", async () => {
    const payer = Keypair.generate();
    const kind = await refusal((chain) => signed(chain, payer, transfer(payer, SOL)));
    expect(kind).toBe("payer");
  });

  test("names the payer if it cannot pay the fee", async () => {
    const kind = await refusal((chain) => {
      const payer = chain.wallet(890_880n);
      return signed(chain, payer, transfer(payer, 1n));
    });
    expect(kind).toBe("payer");
  });

  test("names the payer if it cannot pay a transfer", async () => {
    const kind = await refusal((chain) => {
      const payer = chain.wallet(SOL);
      return signed(chain, payer, transfer(payer, 2n * SOL));
    });
    expect(kind).toBe("payer");
  });

  test("names the blockhash if it has expired", async () => {
    const kind = await refusal((chain) => {
      const payer = chain.wallet(SOL);
      const transaction = signed(chain, payer, transfer(payer, SOL / 2n));
      chain.clock.advanceSlots(151);
      return transaction;
    });
    expect(kind).toBe("blockhash");
  });

  test("says so if the transaction has landed", async () => {
    const kind = await refusal((chain) => {
      const payer = chain.wallet(SOL);
      const transaction = signed(chain, payer, transfer(payer, SOL / 2n));
      chain.chain.sendTransaction(transaction.serialize());
      return transaction;
    });
    expect(kind).toBe("duplicate");
  });

  test("names a signature that does not verify", async () => {
    const kind = await refusal((chain) => {
      const payer = chain.wallet(SOL);
      const transaction = signed(chain, payer, transfer(payer, SOL / 2n));
      transaction.signature?.writeUInt8((transaction.signature.readUInt8(3) + 1) % 256, 3);
      return transaction;
    });
    expect(kind).toBe("signature");
  });
});

describe("a refusal by agave's nodes", () => {
  const preflight = (err: unknown) => ({ code: -32002, data: { err, logs: [] } });
  const cases: [kind: SendRefusalKind, error: { code: number; data?: unknown }][] = [
    ["node", { code: -32005 }],
    ["node", { code: -32016 }],
    ["node", { code: -32603 }],
    ["blockhash", preflight("BlockhashNotFound")],
    ["duplicate", preflight("AlreadyProcessed")],
    ["signature", preflight("SignatureFailure")],
    ["node", preflight("AccountInUse")],
    ["payer", preflight({ InsufficientFundsForRent: { account_index: 0 } })],
    ["program", preflight({ InstructionError: [3, { Custom: 6001 }] })],
    ["program", preflight({ InstructionError: [3, "InvalidAccountData"] })],
    ["signature", { code: -32003 }],
    ["invalid", { code: -32602 }],
  ];
  test.each(cases)("is read as %s from %j", (kind, answer) => {
    const error = errorOfAnswer("sendTransaction", { ...answer, message: "no" });
    if (error === null) throw new Error("not an error");
    expect(sendRefusalKind(error)).toBe(kind);
  });
});
