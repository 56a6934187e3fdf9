import { afterAll, expect, test } from "bun:test";
import {
  createKeyPairFromBytes,
  getBase64EncodedWireTransaction,
  getTransactionDecoder,
  partiallySignTransaction,
} from "@solana/kit";
import { ClaimReceiptSchema, PreparedClaimSchema } from "@tokenctl/shared/contract/claim";
import { HandOverReceiptSchema, PreparedHandOverSchema } from "@tokenctl/shared/contract/hand-over";
import { PreparedLaunchSchema } from "@tokenctl/shared/contract/launch";
import { readMessage, splitTransaction } from "@tokenctl/shared/wire-transaction";
import { generateKeypair } from "../../server/src/base/native-keys.ts";
import { Agent, expectShape } from "../support/agent.ts";
import { startTestServer } from "../support/test-server.ts";

const server = await startTestServer({ LAUNCH_PAYER: "either", LOCAL_SIGNATURE_LAMPORTS: "2500" });
afterAll(() => server[Symbol.asyncDispose]());

const ASKED = { transactionVersion: 1 } as const;

/** Signs with kit, which makes transactions of version 1 itself. */
async function signed({ keypair }: Agent, transaction: string) {
  const bytes = Uint8Array.from(Buffer.from(transaction, "base64"));
  expect(readMessage(splitTransaction(bytes).message).version).toBe(1);
  const read = getTransactionDecoder().decode(bytes);
  const keys = [await createKeyPairFromBytes(keypair.secretKey)];
  const signedTransaction = getBase64EncodedWireTransaction(
    await partiallySignTransaction(keys, read),
  );
  return { signedTransaction };
}

test("an agent may launch, claim and hand over by transactions of version 1", async () => {
  const agent = await Agent.signedIn(server);
  await agent.post("/dev/airdrop", { sol: 1 });
  const eventId = await agent.accepted("VONE", { payer: "agent" });
  const launch = (json: object) => agent.post(`/api/v1/tokens/launch/${eventId}/transaction`, json);
  const launching = expectShape(PreparedLaunchSchema, (await launch(ASKED)).body);
  expect(launching.costSOL.networkFee).toBe(0.0000075);
  expect((await launch(await signed(agent, launching.transaction))).status).toBe(200);
  const { status, tokenMint } = await agent.untilEnded(eventId);
  expect(status).toBe("success");

  await agent.post("/dev/trade", { tokenMint, side: "buy", sol: 1 });
  const claim = (json: object) => agent.post(`/api/v1/tokens/claims/${tokenMint}`, json);
  const claiming = expectShape(PreparedClaimSchema, (await claim(ASKED)).body);
  const paid = await claim(await signed(agent, claiming.transaction));
  expect(expectShape(ClaimReceiptSchema, paid.body).claimedSOL).toBe(0.01);

  const to = generateKeypair().publicKey.toBase58();
  const handOver = (json: object) => agent.post(`/api/v1/tokens/hand-overs/${tokenMint}`, json);
  const handing = expectShape(PreparedHandOverSchema, (await handOver({ to, ...ASKED })).body);
  expect(handing.networkFeeSOL).toBe(0.0000025);
  const handed = await handOver(await signed(agent, handing.transaction));
  expect(expectShape(HandOverReceiptSchema, handed.body).to).toBe(to);
});

test("a version that the service does not make is refused", async () => {
  const agent = await Agent.signedIn(server);
  const { tokenMint } = await agent.launched("VTWO");
  const { status, body } = await agent.post(`/api/v1/tokens/claims/${tokenMint}`, {
    transactionVersion: 0,
  });
  expect(status).toBe(400);
  expect(body).toMatchObject({
    details: [{ field: "transactionVersion", message: 'must be "legacy" or 1' }],
  });
});
