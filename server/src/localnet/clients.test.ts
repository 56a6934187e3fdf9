import { afterAll, beforeAll, expect, test } from "bun:test";
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
import { type ServedLocalnet, serveLocalnet } from "./serve-rpc.ts";
import { openTestChain, SOL, transfer } from "./testing/local-chain.ts";

const { chain, rpc, wallet } = openTestChain();
let served: ServedLocalnet;

beforeAll(() => {
  served = serveLocalnet(chain, { port: 0 });
});

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

const CONFIRMED = { commitment: "confirmed" };

/** The calls of a command of agave's `solana`, with the parameters that its client sends. */
test("the requests of the Solana CLI's commands are answered", async () => {
  const from = wallet();
  const to = wallet(SOL).publicKey.toBase58();
  const me = from.publicKey.toBase58();
  const bytes = Buffer.from(transfer(chain, from, SOL, new PublicKey(to)));
  const { blockhash } = chain.latestBlockhash();
  const sent = bytes.toString("base64");
  const message = bytes.subarray(65).toString("base64");
  const zstd = { encoding: "base64+zstd", ...CONFIRMED };
  const loader = "BPFLoaderUpgradeab1e11111111111111111111111";
  const simulated = {
    sigVerify: false,
    replaceRecentBlockhash: true,
    encoding: "base64",
    accounts: null,
    innerInstructions: false,
    ...CONFIRMED,
  };
  const sending = { encoding: "base64", preflightCommitment: "confirmed", maxRetries: null };
  const value = (expected: unknown) => expect.objectContaining({ value: expected });
  const commands: Record<string, readonly (readonly [string, unknown[], unknown])[]> = {
    "balance, and airdrop": [
      ["getBalance", [me, CONFIRMED], value(Number(10n * SOL))],
      ["requestAirdrop", [me, 1, { recentBlockhash: blockhash, ...CONFIRMED }], expect.any(String)],
      ["isBlockhashValid", [blockhash, { commitment: "processed" }], value(true)],
    ],
    transfer: [
      ["getLatestBlockhash", [CONFIRMED], value(expect.objectContaining({ blockhash }))],
      ["getMinimumBalanceForRentExemption", [0, CONFIRMED], 890_880],
      ["getFeeForMessage", [message, CONFIRMED], value(5_000)],
      ["simulateTransaction", [sent, simulated], value(expect.objectContaining({ err: null }))],
      ["sendTransaction", [sent, sending], expect.any(String)],
      ["getEpochInfo", [CONFIRMED], expect.objectContaining({ epoch: 0 })],
    ],
    "account, and program show": [
      ["getAccountInfo", [me, zstd], value(expect.objectContaining({ executable: false }))],
      ["getMultipleAccounts", [[me, to], zstd], value([expect.anything(), expect.anything()])],
      [
        "getProgramAccounts",
        [
          loader,
          {
            filters: [{ memcmp: { offset: 0, bytes: "2UzHM", encoding: null } }],
            dataSlice: { offset: 0, length: 45 },
            encoding: "base64",
          },
        ],
        [],
      ],
    ],
    "slot, block-height, block-time, genesis-hash, cluster-version, transaction-count": [
      ["getSlot", [CONFIRMED], chain.slot()],
      ["getBlockHeight", [CONFIRMED], chain.blockHeight()],
      ["getBlockTime", [chain.slot()], chain.timeOf(chain.slot())],
      ["getGenesisHash", [], chain.genesisHash()],
      ["getVersion", [], expect.objectContaining({ "feature-set": 0 })],
      ["getTransactionCount", [CONFIRMED], expect.any(Number)],
    ],
  };
  for (const [method, params, expected] of Object.values(commands).flat()) {
    expect({ method, ...(await rpc(method, ...params)) }).toMatchObject({
      method,
      result: expected,
    });
  }
  // `confirm -v`, `transaction-history` and `block`.
  const [{ signature }] = (await rpc("getSignaturesForAddress", to, CONFIRMED)).result;
  const history = { searchTransactionHistory: true };
  const statuses = await rpc("getSignatureStatuses", [signature], history);
  expect(statuses.result.value).toMatchObject([{ confirmationStatus: "confirmed", err: null }]);
  const encoding = { encoding: "base64", maxSupportedTransactionVersion: 0, ...CONFIRMED };
  const { result } = await rpc("getTransaction", signature, encoding);
  expect(result).toMatchObject({ transaction: [sent, "base64"], meta: { fee: 5_000 } });
  expect((await rpc("getBlock", result.slot, encoding)).result.transactions.length).toBeGreaterThan(
    2,
  );
});
