import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  AuthorityType,
  createApproveInstruction,
  createSetAuthorityInstruction,
  createTransferInstruction,
  getAssociatedTokenAddressSync,
  NATIVE_MINT,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from "@solana/spl-token";
import {
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionInstruction,
} from "@solana/web3.js";
import { checkLaunchTransaction } from "../../sdk/src/check-transaction.ts";
import type { LaunchTerms } from "../../sdk/src/claim-check/launch-terms.ts";
import { OverLimitError } from "../../sdk/src/claim-errors.ts";
import { explainTransaction } from "../../sdk/src/explain-transaction.ts";
import { launchInstructions } from "../../server/src/launchpad/meteora/launch.ts";
import { KINDS, openCluster } from "../../server/src/launchpad/meteora/testing/cluster.ts";
import {
  openLaunchpad,
  SOL,
  type TestLaunchpad,
} from "../../server/src/launchpad/meteora/testing/launchpad.ts";
import {
  describeMeteora,
  ON_CHAIN_MS,
} from "../../server/src/launchpad/meteora/testing/programs.ts";

setDefaultTimeout(ON_CHAIN_MS);

const stranger = Keypair.generate().publicKey;
const BLOCKHASH = Keypair.generate().publicKey.toBase58();
const PRICE = 1;
const UNITS = 400_000;

describeMeteora("a launch that the agent pays for", () => {
  describe.each(KINDS)("with $tokenStandard tokens and slots of $slotMs ms", (kind) => {
    const tokenProgram = kind.tokenStandard === "spl" ? TOKEN_PROGRAM_ID : TOKEN_2022_PROGRAM_ID;
    let launchpad: TestLaunchpad;

    beforeAll(async () => {
      launchpad = await openLaunchpad(await openCluster(kind), {
        tokenStandard: kind.tokenStandard,
      });
    });

    async function build(firstBuy?: { lamports: bigint; minUnits: bigint }) {
      const agent = launchpad.cluster.wallet(SOL);
      const mint = Keypair.generate();
      const uri = "https://tokens.example/metadata/<mint>.json";
      const texts = { name: "n".repeat(32), symbol: "ABCDEFGHIJ" };
      const instructions = launchInstructions({
        order: {
          eventId: "",
          wallet: agent.publicKey.toBase58(),
          name: texts.name,
          ticker: texts.symbol,
          firstBuy: firstBuy ?? null,
        },
        mint: mint.publicKey,
        uri: uri.replace("<mint>", mint.publicKey.toBase58()),
        config: launchpad.config,
        tokenProgram: tokenProgram.toBase58(),
        payer: agent.publicKey,
      });
      const terms: LaunchTerms = {
        ...texts,
        uri,
        agent: agent.publicKey.toBase58(),
        config: launchpad.config.toBase58(),
        firstBuy,
        maxNetworkFeeLamports: 20_000n,
      };
      const budget = [
        ComputeBudgetProgram.setComputeUnitLimit({ units: UNITS }),
        ComputeBudgetProgram.setComputeUnitPrice({ microLamports: PRICE }),
      ];
      return { agent, mint, terms, instructions: [...budget, ...instructions] };
    }

    function serialize(
      payer: PublicKey,
      instructions: readonly TransactionInstruction[],
      blockhash = BLOCKHASH,
    ): Transaction {
      return new Transaction({ feePayer: payer, blockhash, lastValidBlockHeight: 0 }).add(
        ...instructions,
      );
    }

    const bytesOf = (transaction: Transaction) =>
      transaction.serialize({ requireAllSignatures: false, verifySignatures: false });

    describe.each([
      { what: "without a first buy", firstBuy: undefined },
      { what: "with a first buy", firstBuy: { lamports: SOL / 2n, minUnits: 1_000_000n } },
    ])("$what", ({ firstBuy }) => {
      test("passes the check, fits with room for assertions, and costs what the check says", async () => {
        const { agent, mint, terms, instructions } = await build(firstBuy);
        const { connection, chain } = launchpad.cluster;
        const { blockhash } = await connection.getLatestBlockhash("confirmed");
        const transaction = serialize(agent.publicKey, instructions, blockhash);
        const checked = await checkLaunchTransaction(bytesOf(transaction), terms);
        expect(bytesOf(transaction).length).toBeLessThan(1_100);
        const before = chain.getBalance(agent.publicKey);
        transaction.partialSign(agent);
        transaction.partialSign(mint);
        await connection.sendRawTransaction(transaction.serialize());
        const cost =
          checked.rentBytes * kind.rentPerByte +
          checked.networkFeeLamports +
          checked.metadataFeeLamports +
          checked.firstBuyLamports;
        expect(before - chain.getBalance(agent.publicKey)).toBe(cost);
        expect(checked.tokenMint).toBe(mint.publicKey.toBase58());
        const {
          unknown,
          signers,
          instructions: told,
        } = await explainTransaction(transaction.serialize());
        expect({ unknown, signers }).toEqual({
          unknown: 0,
          signers: [agent, mint].map(({ publicKey }) => ({
            address: publicKey.toBase58(),
            signature: "valid",
          })),
        });
        expect(told[2]?.text).toContain(`Creates token "${terms.name}" ("${terms.symbol}")`);
      });

      // The check reads bytes alone, whatever the chain's pace and rent.
      if (kind.slotMs !== KINDS[0]?.slotMs) return;

      test("is refused with any account replaced", async () => {
        const { agent, terms, instructions } = await build(firstBuy);
        let forged = 0;
        for (const [index, instruction] of instructions.entries()) {
          for (const place of instruction.keys.keys()) {
            const keys = instruction.keys.with(place, {
              ...(instruction.keys[place] as (typeof instruction.keys)[number]),
              pubkey: stranger,
              isSigner: false,
            });
            const changed = new TransactionInstruction({ ...instruction, keys });
            const bytes = bytesOf(serialize(agent.publicKey, instructions.with(index, changed)));
            await expect(checkLaunchTransaction(bytes, terms)).rejects.toThrow("Refused to sign");
            forged++;
          }
        }
        expect(forged).toBe(instructions.reduce((count, { keys }) => count + keys.length, 0));
      });

      test("is refused with any byte of its arguments changed", async () => {
        const { agent, terms, instructions } = await build(firstBuy);
        const bytes = bytesOf(serialize(agent.publicKey, instructions));
        await checkLaunchTransaction(bytes, terms);
        for (const [index, instruction] of instructions.entries()) {
          if (instruction.programId.equals(ComputeBudgetProgram.programId)) continue;
          const data = Buffer.from(instruction.data.map((byte) => byte ^ 1));
          const other = new TransactionInstruction({ ...instruction, data });
          const others = bytesOf(serialize(agent.publicKey, instructions.with(index, other)));
          const places = [...bytes.keys()].filter((place) => bytes[place] !== others[place]);
          expect(places).toHaveLength(data.length);
          for (const place of places) {
            const changed = Buffer.from(bytes);
            changed[place] = others[place] as number;
            await expect(checkLaunchTransaction(changed, terms)).rejects.toThrow("Refused to sign");
          }
        }
      });

      test("is refused with an instruction added, left out, repeated or moved", async () => {
        const { agent, mint, terms, instructions } = await build(firstBuy);
        const { publicKey } = agent;
        const own = getAssociatedTokenAddressSync(NATIVE_MINT, publicKey);
        const added = [
          SystemProgram.transfer({ fromPubkey: publicKey, toPubkey: stranger, lamports: 1 }),
          SystemProgram.assign({ accountPubkey: publicKey, programId: stranger }),
          createApproveInstruction(own, stranger, publicKey, 1),
          createTransferInstruction(own, stranger, publicKey, 1),
          createSetAuthorityInstruction(
            mint.publicKey,
            publicKey,
            AuthorityType.MintTokens,
            stranger,
          ),
          ComputeBudgetProgram.requestHeapFrame({ bytes: 65_536 }),
          ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1_000_000 }),
          new TransactionInstruction({ programId: stranger, keys: [], data: Buffer.of(1) }),
        ];
        const forgeries: TransactionInstruction[][] = [];
        for (const at of [...instructions.keys(), instructions.length]) {
          for (const one of added) forgeries.push(instructions.toSpliced(at, 0, one));
        }
        for (const [index, one] of instructions.entries()) {
          if (one.programId.equals(ComputeBudgetProgram.programId)) continue;
          forgeries.push(instructions.toSpliced(index, 1));
          forgeries.push(instructions.toSpliced(index, 0, one));
          const next = instructions[index + 1];
          if (next) forgeries.push(instructions.toSpliced(index, 2, next, one));
        }
        for (const forgery of forgeries) {
          const bytes = bytesOf(serialize(publicKey, forgery));
          await expect(checkLaunchTransaction(bytes, terms)).rejects.toThrow("Refused to sign");
        }
      });

      test("is refused with other signers, another payer, a signature, or a fee above the limit", async () => {
        const { agent, mint, terms, instructions } = await build(firstBuy);
        const refuses = (bytes: Uint8Array, changed: Partial<LaunchTerms> = {}) =>
          expect(checkLaunchTransaction(bytes, { ...terms, ...changed })).rejects.toThrow(
            "Refused to sign",
          );
        await refuses(bytesOf(serialize(stranger, instructions)));
        const usual = serialize(agent.publicKey, instructions);
        const dear = checkLaunchTransaction(bytesOf(usual), {
          ...terms,
          maxNetworkFeeLamports: 10_000n,
        });
        await expect(dear).rejects.toBeInstanceOf(OverLimitError);
        await refuses(bytesOf(usual), { agent: stranger.toBase58() });
        await refuses(bytesOf(usual), { config: stranger.toBase58() });
        await refuses(bytesOf(usual), { firstBuy: { lamports: 1n, minUnits: 0n } });
        await refuses(
          bytesOf(serialize(agent.publicKey, instructions, PublicKey.default.toBase58())),
        );
        usual.partialSign(mint);
        await refuses(bytesOf(usual));
      });
    });
  });
});
