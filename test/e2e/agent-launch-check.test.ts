import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID } from "@solana/spl-token";
import {
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { checkLaunchTransaction } from "../../sdk/src/check-transaction.ts";
import type { FirstBuyTerms, LaunchTerms } from "../../sdk/src/claim-check/terms.ts";
import { OverLimitError } from "../../sdk/src/claim-errors.ts";
import { explainTransaction } from "../../sdk/src/explain-transaction.ts";
import { mark } from "../../sdk/test/claim-transactions.ts";
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
import { forgedInstructions, unsignedBytes } from "../support/forged-instructions.ts";

setDefaultTimeout(ON_CHAIN_MS);

const stranger = Keypair.generate().publicKey;
const BLOCKHASH = Keypair.generate().publicKey.toBase58();
const PRICE = 1;
const UNITS = 400_000;
const BOUGHT: FirstBuyTerms = { lamports: SOL / 2n, minUnits: 1_000_000n, atLowestFee: false };

describeMeteora("a launch that the agent pays for", () => {
  describe.each(KINDS)("with $tokenStandard tokens and slots of $slotMs ms", (kind) => {
    const tokenProgram = kind.tokenStandard === "spl" ? TOKEN_PROGRAM_ID : TOKEN_2022_PROGRAM_ID;
    let launchpad: TestLaunchpad;

    beforeAll(async () => {
      launchpad = await openLaunchpad(await openCluster(kind), {
        tokenStandard: kind.tokenStandard,
      });
    });

    async function build(firstBuy?: FirstBuyTerms) {
      const agent = launchpad.cluster.wallet(SOL);
      const mint = Keypair.generate();
      const uri = "https://tokens.example/metadata/<mint>.json";
      const texts = { name: "n".repeat(32), symbol: "ABCDEFGHIJ" };
      const pool = {
        ...texts,
        mint: mint.publicKey.toBase58(),
        uri: uri.replace("<mint>", mint.publicKey.toBase58()),
        config: launchpad.config.toBase58(),
        tokenProgram: tokenProgram.toBase58(),
        payer: agent.publicKey.toBase58(),
      };
      const order = { wallet: pool.payer, firstBuy: firstBuy ?? null };
      const instructions = launchInstructions(pool, order, firstBuy?.atLowestFee === true);
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

    function compile(
      payerKey: PublicKey,
      instructions: readonly TransactionInstruction[],
      recentBlockhash = BLOCKHASH,
    ): VersionedTransaction {
      const parts = { payerKey, recentBlockhash, instructions: [...instructions] };
      return new VersionedTransaction(new TransactionMessage(parts).compileToLegacyMessage());
    }

    const bytesOf = (...parts: Parameters<typeof compile>) => compile(...parts).serialize();

    describe.each([
      { what: "without a first buy", firstBuy: undefined },
      { what: "with a first buy", firstBuy: BOUGHT },
      { what: "with a first buy at the lowest fee", firstBuy: { ...BOUGHT, atLowestFee: true } },
    ])("$what", ({ firstBuy }) => {
      test("passes the check, fits with room for assertions, and costs what the check says", async () => {
        const { agent, mint, terms, instructions } = await build(firstBuy);
        const { connection, chain } = launchpad.cluster;
        const { blockhash } = await connection.getLatestBlockhash("confirmed");
        const transaction = compile(agent.publicKey, instructions, blockhash);
        const checked = await checkLaunchTransaction(transaction.serialize(), terms);
        expect(transaction.serialize().length).toBeLessThan(1_100);
        const before = chain.getBalance(agent.publicKey);
        transaction.sign([agent, mint]);
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

      test("is refused with other signers, another payer, a signature, or a fee above the limit", async () => {
        const { agent, mint, terms, instructions } = await build(firstBuy);
        const refuses = (bytes: Uint8Array, changed: Partial<LaunchTerms> = {}) =>
          expect(checkLaunchTransaction(bytes, { ...terms, ...changed })).rejects.toThrow(
            "Refused to sign",
          );
        await refuses(bytesOf(stranger, instructions));
        const usual = bytesOf(agent.publicKey, instructions);
        const dear = checkLaunchTransaction(usual, { ...terms, maxNetworkFeeLamports: 10_000n });
        await expect(dear).rejects.toBeInstanceOf(OverLimitError);
        const marked = bytesOf(agent.publicKey, [mark(), ...instructions]);
        await expect(checkLaunchTransaction(marked, terms)).rejects.toThrow(
          "the mark of a sandbox",
        );
        await refuses(usual, { agent: stranger.toBase58() });
        await refuses(usual, { config: stranger.toBase58() });
        await refuses(usual, { firstBuy: { lamports: 1n, minUnits: 0n } });
        if (firstBuy) {
          const { atLowestFee, ...unknown } = firstBuy;
          await refuses(usual, { firstBuy: { ...unknown, atLowestFee: !atLowestFee } });
          await checkLaunchTransaction(usual, { ...terms, firstBuy: unknown });
        }
        await refuses(bytesOf(agent.publicKey, instructions, PublicKey.default.toBase58()));
        const signed = compile(agent.publicKey, instructions);
        signed.sign([mint]);
        await refuses(signed.serialize());
      });

      // What follows from the token's standard is a part of its own: each standard and each kind of buy is forged once.
      if ((kind.tokenStandard === "spl") === (firstBuy?.atLowestFee === false)) return;

      test("is refused with any account, byte or instruction changed, added, left out or moved", async () => {
        const { agent, terms, instructions } = await build(firstBuy);
        const { publicKey } = agent;
        await checkLaunchTransaction(bytesOf(publicKey, instructions), terms);
        let forged = 0;
        for (const forgery of forgedInstructions(instructions, publicKey)) {
          const checking = checkLaunchTransaction(
            unsignedBytes(publicKey, forgery, BLOCKHASH),
            terms,
          );
          await expect(checking).rejects.toThrow("Refused to sign");
          forged++;
        }
        expect(forged).toBeGreaterThan(200);
      });
    });
  });
});
