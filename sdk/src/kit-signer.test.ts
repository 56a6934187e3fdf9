import { describe, expect, test } from "bun:test";
import {
  type Address,
  createKeyPairSignerFromBytes,
  createNoopSigner,
  createSignableMessage,
  getTransactionEncoder,
  type MessageModifyingSigner,
  type SignatureBytes,
  type TransactionModifyingSigner,
  type TransactionSendingSigner,
} from "@solana/kit";
import { signGuarded } from "../../test/support/assertions.ts";
import {
  agent,
  build,
  fromBase64,
  localClaim,
  meteoraClaims,
  sponsor,
  sponsoredClaim,
  terms,
} from "../test/claim-transactions.ts";
import { signClaim } from "./check-transaction.ts";
import { TokenctlClient } from "./client.ts";
import { InvalidArgumentError, SignerError } from "./errors.ts";
import { encodeBase64 } from "./internal/bytes.ts";
import { fromKitSigner, type KitSigner } from "./kit-signer.ts";
import { keypairSigner } from "./signer.ts";

const keypair = await createKeyPairSignerFromBytes(agent.secretKey);
const expected = keypairSigner(agent);
const message = new TextEncoder().encode("Sign this message to authenticate: 1");
const claims = [
  build(localClaim()),
  build(sponsoredClaim(), sponsor.publicKey),
  ...Object.values(meteoraClaims).map(fromBase64),
];

/** A kit signer that returns whole messages and transactions, as a wallet's signer does. */
const modifying: MessageModifyingSigner & TransactionModifyingSigner = {
  address: keypair.address,
  async modifyAndSignMessages(messages) {
    const signed = await keypair.signMessages(messages);
    return messages.map(({ content }, i) => createSignableMessage(content, signed[i]));
  },
  async modifyAndSignTransactions(transactions) {
    // Encodes the transactions, because a wallet gets bytes.
    for (const transaction of transactions) getTransactionEncoder().encode(transaction);
    type Modified = Awaited<ReturnType<TransactionModifyingSigner["modifyAndSignTransactions"]>>;
    const given = transactions as unknown as Modified;
    const signed = await keypair.signTransactions(given);
    return given.map((transaction, i) => ({
      ...transaction,
      signatures: { ...transaction.signatures, ...signed[i] },
    }));
  },
};

test("a client refuses a kit signer that is not wrapped, and says how to wrap it", () => {
  // @ts-expect-error it has other methods
  const make = () => new TokenctlClient({ signer: keypair });
  expect(make).toThrow("lacks signMessage");
});

describe("fromKitSigner", () => {
  for (const [name, kit] of Object.entries({ keypair, modifying })) {
    test(`signs with kit's ${name} signer as keypairSigner does`, async () => {
      const signer = fromKitSigner(kit);
      expect(signer.publicKey).toBe(expected.publicKey);
      expect(await signer.signMessage(message)).toEqual(await expected.signMessage(message));
      for (const claim of claims) {
        expect(await signer.signTransaction(claim)).toEqual(await expected.signTransaction(claim));
      }
    });
  }

  test("passes a claim on to which the signer added assertions", async () => {
    const guarded = fromKitSigner({
      ...modifying,
      async modifyAndSignTransactions() {
        const signed = signGuarded(build(localClaim()), agent);
        const signature = signed.slice(1, 65);
        return [{ messageBytes: signed.slice(65), signatures: { [keypair.address]: signature } }];
      },
    } as KitSigner);
    const claim = await signClaim(guarded, encodeBase64(build(localClaim())), terms);
    expect(claim).toBe(encodeBase64(signGuarded(build(localClaim()), agent)));
  });

  test("throws if the signer signs nothing", async () => {
    const noop = { ...createNoopSigner(keypair.address), signMessages: keypair.signMessages };
    const signing = (async () => fromKitSigner(noop).signTransaction(build(localClaim())))();
    await expect(signing).rejects.toThrow(SignerError);
  });

  test("refuses by name a signer that can only send", () => {
    const sending: TransactionSendingSigner = {
      address: keypair.address as Address,
      signAndSendTransactions: async () => [new Uint8Array(64) as SignatureBytes],
    };
    const { signMessages } = keypair;
    // @ts-expect-error it cannot sign
    const refused = () => fromKitSigner({ ...sending, signMessages });
    expect(refused).toThrow(InvalidArgumentError);
    expect(refused).toThrow(`${keypair.address} can only send transactions`);
  });

  test("refuses by name a signer of one of the two alone", () => {
    const { address, signMessages, signTransactions } = keypair;
    // @ts-expect-error it signs no messages
    expect(() => fromKitSigner({ address, signTransactions })).toThrow("does not sign messages");
    // @ts-expect-error it signs no transactions
    expect(() => fromKitSigner({ address, signMessages })).toThrow("does not sign transactions");
  });
});
