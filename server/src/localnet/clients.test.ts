import { afterAll, expect, test } from "bun:test";
import {
  AccountRole,
  address,
  airdropFactory,
  appendTransactionMessageInstruction,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  createTransactionMessage,
  generateKeyPairSigner,
  lamports,
  pipe,
  sendAndConfirmTransactionFactory,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from "@solana/kit";
import { LAMPORTS_PER_SOL, PublicKey, SystemProgram } from "@solana/web3.js";
import { serveLocalnet } from "./serve-rpc.ts";
import { openTestChain, SOL } from "./testing/local-chain.ts";

const { chain } = openTestChain();
const served = serveLocalnet(chain, { port: 0 });
afterAll(() => served.stop());

test("kit airdrops, sends and confirms, and reads what happened", async () => {
  const kit = createSolanaRpc(served.url);
  const rpcSubscriptions = createSolanaRpcSubscriptions(served.websocketUrl);
  const [from, to] = [await generateKeyPairSigner(), await generateKeyPairSigner()];
  const factories = { rpc: kit, rpcSubscriptions };
  await airdropFactory(factories as Parameters<typeof airdropFactory>[0])({
    commitment: "confirmed",
    lamports: lamports(SOL),
    recipientAddress: from.address,
  });
  const { value: blockhash } = await kit.getLatestBlockhash().send();
  const data = SystemProgram.transfer({
    fromPubkey: PublicKey.default,
    toPubkey: PublicKey.default,
    lamports: LAMPORTS_PER_SOL / 2,
  }).data;
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (draft) => setTransactionMessageFeePayerSigner(from, draft),
    (draft) => setTransactionMessageLifetimeUsingBlockhash(blockhash, draft),
    (draft) =>
      appendTransactionMessageInstruction(
        {
          programAddress: address(SystemProgram.programId.toBase58()),
          accounts: [
            { address: from.address, role: AccountRole.WRITABLE_SIGNER, signer: from },
            { address: to.address, role: AccountRole.WRITABLE },
          ],
          data,
        },
        draft,
      ),
  );
  const signed = await signTransactionMessageWithSigners(message);
  await sendAndConfirmTransactionFactory(
    factories as Parameters<typeof sendAndConfirmTransactionFactory>[0],
  )(signed as never, { commitment: "confirmed" });
  expect(await kit.getBalance(to.address).send()).toMatchObject({ value: SOL / 2n });
  const [latest] = await kit.getSignaturesForAddress(to.address).send();
  expect(latest).toMatchObject({ err: null });
  const found = await kit
    .getTransaction(latest?.signature as never, {
      commitment: "confirmed",
      encoding: "base64",
      maxSupportedTransactionVersion: 0,
    })
    .send();
  expect(found?.meta?.err).toBeNull();
});
