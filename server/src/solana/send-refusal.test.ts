import { describe, expect, test } from "bun:test";
import {
  Keypair,
  SendTransactionError,
  SystemProgram,
  Transaction,
  type TransactionInstruction,
} from "@solana/web3.js";
import { openTestChain, SOL } from "../localnet/testing/local-chain.ts";
import { readSendRefusal, type SendRefusal } from "./transaction-error.ts";

/** Sends a transaction that an embedded chain refuses. @returns the refusal */
async function refusal(make: (chain: ReturnType<typeof openTestChain>) => Transaction) {
  const chain = openTestChain();
  const transaction = make(chain);
  const error = await chain.connection
    .sendRawTransaction(transaction.serialize({ verifySignatures: false }))
    .then(
      () => null,
      (fault: unknown) => fault,
    );
  if (!(error instanceof SendTransactionError)) throw new Error(`not refused: ${error}`);
  return readSendRefusal(error);
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
    const { kind } = await refusal((chain) => signed(chain, payer, transfer(payer, SOL)));
    expect(kind).toBe("payer");
  });

  test("names the payer if it cannot pay the fee", async () => {
    const { kind } = await refusal((chain) => {
      const payer = chain.wallet(890_880n);
      return signed(chain, payer, transfer(payer, 1n));
    });
    expect(kind).toBe("payer");
  });

  test("names the payer if it cannot pay a transfer", async () => {
    const refused = await refusal((chain) => {
      const payer = chain.wallet(SOL);
      return signed(chain, payer, transfer(payer, 2n * SOL));
    });
    expect(refused).toMatchObject({
      kind: "payer",
      reason: "instruction 0: custom program error 1",
      program: { index: 0, code: 1 },
    });
  });

  test("names the blockhash if it has expired", async () => {
    const { kind } = await refusal((chain) => {
      const payer = chain.wallet(SOL);
      const transaction = signed(chain, payer, transfer(payer, SOL / 2n));
      chain.clock.advanceSlots(151);
      return transaction;
    });
    expect(kind).toBe("blockhash");
  });

  test("says so if the transaction has landed", async () => {
    const { kind } = await refusal((chain) => {
      const payer = chain.wallet(SOL);
      const transaction = signed(chain, payer, transfer(payer, SOL / 2n));
      chain.chain.sendTransaction(transaction.serialize());
      return transaction;
    });
    expect(kind).toBe("duplicate");
  });

  test("names a signature that does not verify", async () => {
    const { kind } = await refusal((chain) => {
      const payer = chain.wallet(SOL);
      const transaction = signed(chain, payer, transfer(payer, SOL / 2n));
      transaction.signature?.writeUInt8((transaction.signature.readUInt8(3) + 1) % 256, 3);
      return transaction;
    });
    expect(kind).toBe("signature");
  });
});

describe("a refusal by agave's nodes", () => {
  const cases: (Pick<SendRefusal, "kind" | "reason"> &
    Partial<SendRefusal> & { message: string })[] = [
    { message: "Node is behind by 42 slots", kind: "node", reason: "" },
    { message: "Minimum context slot has not been reached", kind: "node", reason: "" },
    {
      message: "Transaction simulation failed: Blockhash not found",
      kind: "blockhash",
      reason: "blockhash not found",
    },
    {
      message:
        "Transaction simulation failed: Transaction results in an account (0) with insufficient funds for rent",
      kind: "payer",
      reason: "transaction results in an account (0) with insufficient funds for rent",
    },
    {
      message:
        "Transaction simulation failed: Error processing Instruction 3: custom program error: 0x1771",
      kind: "program",
      reason: "instruction 3: custom program error 6001",
      program: { index: 3, code: 6001 },
    },
    {
      message:
        "Transaction simulation failed: Error processing Instruction 3: invalid account data for instruction",
      kind: "program",
      reason: "instruction 3: invalid account data for instruction",
    },
    {
      message: "Transaction simulation failed: see https://rpc.example/?key=abc <b>",
      kind: "program",
      reason: "see httpsrpc.examplekeyabc b",
    },
  ];
  for (const { message, logs = [], kind, reason, program = null } of cases) {
    test(`"${message}" is read as ${kind}`, () => {
      const error = new SendTransactionError({
        action: "simulate",
        signature: "",
        transactionMessage: message,
        logs: [...logs],
      });
      expect(readSendRefusal(error)).toEqual({ kind, reason, program, logs });
    });
  }
});
