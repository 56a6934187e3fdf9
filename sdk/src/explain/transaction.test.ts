import { describe, expect, test } from "bun:test";
import {
  AuthorityType,
  createApproveInstruction,
  createAssociatedTokenAccountIdempotentInstruction,
  createInitializeMintCloseAuthorityInstruction,
  createInitializePermanentDelegateInstruction,
  createSetAuthorityInstruction,
  createTransferCheckedInstruction,
  createTransferInstruction,
  createUpdateTransferHookInstruction,
  getAssociatedTokenAddressSync,
  TOKEN_2022_PROGRAM_ID,
} from "@solana/spl-token";
import {
  AddressLookupTableAccount,
  ComputeBudgetProgram,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { DBC, TOKEN, TOKEN_2022 } from "@tokenctl/shared/programs/ids";
import bs58 from "bs58";
import fc from "fast-check";
import { versionOneTransfer } from "../../../server/src/localnet/testing/version-1.ts";
import { compileMessage, unsignedTransaction } from "../../../server/src/solana/message.ts";
import {
  agent,
  blockhash,
  build,
  closingClaim,
  fromBase64,
  instructionsOf,
  keypair,
  localClaim,
  meteoraClaims,
  mint,
  pool,
  sponsor,
  sponsoredClaim,
  stranger,
  tokenAccount,
  wrappedSol,
} from "../../test/claim-transactions.ts";
import { expectedLaunch } from "../claim-check/launch.ts";
import { InvalidArgumentError } from "../errors.ts";
import { explainTransaction } from "../explain-transaction.ts";
import { builder } from "../internal/program-address.ts";
import { keypairSigner } from "../signer.ts";

const { publicKey } = agent;
const WRAPPED = "So11111111111111111111111111111111111111112";
const CURVE = "GyGKxMyg1p9SsHfm15MkNUu1u9TN2JtTspcdmrtGUdse";

async function instructionsIn(...instructions: TransactionInstruction[]) {
  return (await explainTransaction(build(instructions))).instructions;
}

async function textsOf(...instructions: TransactionInstruction[]): Promise<string[]> {
  return (await instructionsIn(...instructions)).map(({ text }) => text);
}

function instruction(
  programId: string,
  accounts: readonly string[],
  data: Uint8Array,
): TransactionInstruction {
  const keys = accounts.map((account) => ({
    pubkey: new PublicKey(account),
    isSigner: [publicKey, mint].some((signer) => signer.toBase58() === account),
    isWritable: true,
  }));
  return new TransactionInstruction({
    programId: new PublicKey(programId),
    keys,
    data: Buffer.from(data),
  });
}

describe("a claim", () => {
  test.each(Object.entries(meteoraClaims))(
    "of the kind %s is known in every part",
    async (_, transaction) => {
      const { unknown, signers } = await explainTransaction(transaction);
      expect(unknown).toBe(0);
      expect(signers).toEqual([{ address: publicKey.toBase58(), signature: "missing" }]);
    },
  );

  test("says from which pool fees come and in what", async () => {
    const { instructions, networkFeeLamports, bytes } = await explainTransaction(
      meteoraClaims.curve,
    );
    expect(networkFeeLamports).toBe(25_000n);
    expect(bytes).toBe(fromBase64(meteoraClaims.curve).length);
    expect(instructions.find(({ program }) => program === DBC)).toEqual({
      program: DBC,
      programName: "Dynamic Bonding Curve",
      name: "claim_creator_trading_fee",
      text: `Pays the creator's fees of the curve of pool ${CURVE} in wrapped SOL to the fee payer's account for wrapped SOL, and those in token ${mint} to the fee payer's account for token ${mint}`,
      gives: [],
    });
  });

  test("of an agent without SOL says what the sponsor pays and gets back", async () => {
    const claim = build(sponsoredClaim(TOKEN_2022_PROGRAM_ID), sponsor.publicKey);
    const { instructions, signers, unknown } = await explainTransaction(claim);
    expect(unknown).toBe(0);
    expect(signers.map(({ address }) => address)).toEqual([
      String(sponsor.publicKey),
      String(publicKey),
    ]);
    const texts = instructions.map(({ text }) => text);
    expect(texts).toContain(
      "Makes signer 2's account for wrapped SOL; the fee payer pays its rent",
    );
    expect(texts.at(-1)).toBe("Transfers 0.00204928 SOL from signer 2 to the fee payer");
  });

  test("of a sandbox, and one that also pays other wallets, names amount and receiver", async () => {
    const paid = SystemProgram.transfer({
      fromPubkey: publicKey,
      toPubkey: stranger,
      lamports: 350_000_000,
    });
    const proof = createTransferInstruction(wrappedSol, wrappedSol, publicKey, 350_000_000n);
    expect((await textsOf(proof))[0]).toBe(
      "Moves nothing: fails unless the fee payer's account for wrapped SOL holds 0.35 wrapped SOL",
    );
    const texts = await textsOf(...localClaim(), paid);
    expect(texts[0]).toContain("fails on every chain but the sandbox of a tokend");
    expect(texts[2]).toMatch(
      /^Transfers 0\.5 wrapped SOL from \w+ to the fee payer's account for wrapped SOL$/,
    );
    expect(texts[3]).toBe(
      "Closes the fee payer's account for wrapped SOL and pays its SOL, wrapped or not, to the fee payer",
    );
    expect(texts[4]).toBe(`Transfers 0.35 SOL from the fee payer to ${stranger}`);
  });
});

describe("a hand-over", () => {
  const newCreator = keypair(31).publicKey;
  const nft = keypair(32).publicKey;

  test("names the pool, the new creator and the old one", async () => {
    const accounts = [pool, keypair(33).publicKey, publicKey, newCreator, stranger, DBC];
    const data = Uint8Array.of(20, 7, 169, 33, 58, 147, 166, 33);
    const [transfer] = await instructionsIn(instruction(DBC, accounts.map(String), data));
    expect(transfer).toMatchObject({
      name: "transfer_pool_creator",
      text: `Makes ${newCreator} the creator of pool ${pool} instead of the fee payer, with all fees of its curve that are not claimed yet`,
    });
  });

  test("moves the position's NFT into the receiver's new account", async () => {
    const program = TOKEN_2022_PROGRAM_ID;
    const held = getAssociatedTokenAddressSync(nft, publicKey, false, program);
    const given = getAssociatedTokenAddressSync(nft, newCreator, false, program);
    const texts = await textsOf(
      createAssociatedTokenAccountIdempotentInstruction(publicKey, given, newCreator, nft, program),
      createTransferCheckedInstruction(held, nft, given, publicKey, 1, 0, [], program),
    );
    expect(texts).toEqual([
      `Makes ${newCreator}'s account for token ${nft} unless it exists; the fee payer pays its rent`,
      `Transfers 1 unit (the smallest) of token ${nft} from the fee payer's account for token ${nft} to ${newCreator}'s account for token ${nft}`,
    ]);
  });
});

test.each([
  ["SPL Token", TOKEN],
  ["Token-2022", TOKEN_2022],
])("a launch of %s with a first buy says what is created, paid and bought", async (_, program) => {
  const config = stranger.toBase58();
  const { instructions } = expectedLaunch(
    {
      agent: publicKey.toBase58(),
      config,
      name: 'My "Coin"',
      symbol: "\ufeffMINE",
      uri: "https://tokens.example/m.json",
      firstBuy: { lamports: 500_000_000n, minUnits: 7n },
      maxNetworkFeeLamports: 1n,
    },
    mint.toBase58(),
    program,
  );
  const mints = [mint.toBase58(), WRAPPED] as const;
  const poolAddress = builder.poolAddress(DBC, config, mints);
  const texts = await textsOf(
    ...instructions.map(({ program, accounts, data }) =>
      instruction(
        program,
        accounts.map(({ address }) => address),
        data,
      ),
    ),
  );
  expect(texts[0]).toBe(
    `Creates token "My \\"Coin\\"" ("\ufeffMINE"), mint ${mint}, on the curve of pool ${poolAddress} under config ${config}, metadata at "https://tokens.example/m.json". Its creator is the fee payer; the fee payer pays rent and fees`,
  );
  expect(texts.slice(2)).toEqual([
    "Makes the fee payer's account for wrapped SOL unless it exists; the fee payer pays its rent",
    "Transfers 0.5 SOL from the fee payer to the fee payer's account for wrapped SOL",
    "Counts SOL that was sent to the fee payer's account for wrapped SOL as wrapped SOL",
    `Trades 0.5 wrapped SOL from the fee payer's account for wrapped SOL for at least 7 units (the smallest) of token ${mint} into the fee payer's account for token ${mint} on the curve of pool ${poolAddress}`,
    "Closes the fee payer's account for wrapped SOL and pays its SOL, wrapped or not, to the fee payer",
  ]);
});

describe("what takes from the signer is said", () => {
  const theft = [
    createApproveInstruction(tokenAccount, stranger, publicKey, 9n),
    createSetAuthorityInstruction(tokenAccount, publicKey, AuthorityType.AccountOwner, stranger),
    createTransferInstruction(wrappedSol, stranger, publicKey, 1_000_000_000n),
    SystemProgram.assign({ accountPubkey: publicKey, programId: stranger }),
  ];

  test("in words, and with whom it gives power to", async () => {
    const explained = await instructionsIn(...theft);
    expect(explained.map(({ text }) => text)).toEqual([
      `Lets ${stranger} take 9 units (the smallest) of a token that is not named from ${tokenAccount} at any time`,
      `From then on ${stranger} owns ${tokenAccount}`,
      `Transfers 1 wrapped SOL from the fee payer's account for wrapped SOL to ${stranger}`,
      `Gives the fee payer to program ${stranger}, which may then take its SOL`,
    ]);
    expect(explained.map(({ gives }) => gives)).toEqual([
      [{ role: "delegate", over: String(tokenAccount), to: String(stranger) }],
      [{ role: "owner", over: String(tokenAccount), to: String(stranger) }],
      [],
      [{ role: "owner", over: String(publicKey), to: String(stranger) }],
    ]);
  });

  const minted = keypair(60).publicKey;
  const program = TOKEN_2022_PROGRAM_ID;
  const setAuthority = (of: PublicKey, kind: AuthorityType, by?: PublicKey) =>
    createSetAuthorityInstruction(of, publicKey, kind, stranger, [], by);
  const nonce = { noncePubkey: tokenAccount, authorizedPubkey: publicKey };
  test.each([27, 37, 42])("as confidential transfers, by an extension's tag %i", async (tag) => {
    const data = Uint8Array.of(tag, 5, 1, 2, 3);
    const hidden = instruction(String(program), [String(tokenAccount)], data);
    const { unknown, instructions } = await explainTransaction(build([hidden]));
    expect(unknown).toBe(0);
    expect(instructions[0]).toMatchObject({
      text: expect.stringContaining("whose amounts cannot be read"),
      gives: [{ role: "confidential transfers", over: String(tokenAccount), to: null }],
    });
  });

  test("as an account that can transfer no SOL any more", async () => {
    const allocate = SystemProgram.allocate({ accountPubkey: publicKey, space: 8 });
    expect(await textsOf(allocate)).toEqual([
      "Makes the fee payer an account of 8 bytes, which can then transfer no SOL",
    ]);
  });
  test.each<[string, TransactionInstruction]>([
    ["nonce authority", SystemProgram.nonceAuthorize({ ...nonce, newAuthorizedPubkey: stranger })],
    ["close authority", setAuthority(tokenAccount, AuthorityType.CloseAccount)],
    ["permanent delegate", createInitializePermanentDelegateInstruction(minted, stranger, program)],
    [
      "mint close authority",
      createInitializeMintCloseAuthorityInstruction(minted, stranger, program),
    ],
    [
      "transfer hook",
      createUpdateTransferHookInstruction(minted, publicKey, stranger, [], program),
    ],
    ["transfer hook authority", setAuthority(minted, AuthorityType.TransferHookProgramId, program)],
  ])("as %s", async (role, one) => {
    const [explained] = await instructionsIn(one);
    expect(explained?.name).not.toBeNull();
    expect(explained?.gives).toContainEqual(
      expect.objectContaining({ role, to: String(stranger) }),
    );
  });

  test("an account of the stranger is never called the signer's", async () => {
    const foreign = getAssociatedTokenAddressSync(mint, stranger);
    const claim = instructionsOf(fromBase64(meteoraClaims.curve));
    for (const { keys } of claim) {
      for (const key of keys) if (key.pubkey.equals(tokenAccount)) key.pubkey = foreign;
    }
    const texts = await textsOf(...claim.slice(-2));
    expect(texts.join()).toContain(` to ${foreign}`);
  });
});

describe("an instruction that is not known is called so, with its program and length", () => {
  const all = closingClaim();
  const known = [...all, ...localClaim()];

  test("of an unknown program", async () => {
    const foreign = instruction(
      String(stranger),
      [publicKey, mint, pool].map(String),
      Buffer.alloc(24),
    );
    expect((await explainTransaction(build([foreign, ...localClaim(), foreign]))).unknown).toBe(2);
    expect(await instructionsIn(foreign)).toEqual([
      {
        program: String(stranger),
        programName: null,
        name: null,
        text: "Unknown: 24 bytes of data for 3 accounts, signed by the fee payer and signer 2: it may do whatever that allows",
        gives: [],
      },
    ]);
    const readOnly = instruction(String(stranger), [], Buffer.alloc(2));
    expect(await textsOf(readOnly)).toEqual(["Unknown: 2 bytes of data for 0 accounts"]);
  });

  test.each(known.map((one, index) => [index, one] as const))(
    "instruction %i with another tag, too much data, or an account less",
    async (_, { programId, keys, data }) => {
      const tagged = Buffer.from(data);
      tagged[0] = 0xee;
      const changed = [
        new TransactionInstruction({ programId, keys, data: tagged }),
        new TransactionInstruction({ programId, keys, data: Buffer.concat([data, Buffer.of(0)]) }),
        ...(keys.length > 0
          ? [new TransactionInstruction({ programId, keys: keys.slice(1), data })]
          : []),
      ];
      for (const one of changed) {
        const [explained] = await instructionsIn(one);
        expect(explained?.name).toBeNull();
        expect(explained?.text).toStartWith(`Unknown: ${one.data.length} bytes of data `);
      }
    },
  );

  test("and its accounts from a lookup table have no guessed address", async () => {
    const table = new AddressLookupTableAccount({
      key: keypair(50).publicKey,
      state: {
        deactivationSlot: 2n ** 64n - 1n,
        lastExtendedSlot: 0,
        lastExtendedSlotStartIndex: 0,
        addresses: [stranger],
      },
    });
    const message = new TransactionMessage({
      payerKey: publicKey,
      recentBlockhash: blockhash,
      instructions: [
        SystemProgram.transfer({ fromPubkey: publicKey, toPubkey: stranger, lamports: 5 }),
      ],
    }).compileToV0Message([table]);
    const bytes = new VersionedTransaction(message).serialize();
    const { version, instructions } = await explainTransaction(bytes);
    expect(version).toBe(0);
    expect(instructions[0]?.text).toBe(
      `Transfers 0.000000005 SOL from the fee payer to entry 0 of table ${table.key}`,
    );
  });
});

test("the network fee is known beside a limit on loaded data or on memory, which cost nothing", async () => {
  const price = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1_000_000 });
  const limit = instruction(
    String(ComputeBudgetProgram.programId),
    [],
    Uint8Array.of(4, 0, 0, 1, 0),
  );
  const units = ComputeBudgetProgram.setComputeUnitLimit({ units: 1_000 });
  const heap = ComputeBudgetProgram.requestHeapFrame({ bytes: 65_536 });
  const { networkFeeLamports, unknown } = await explainTransaction(
    build([price, limit, units, heap]),
  );
  expect({ networkFeeLamports, unknown }).toEqual({ networkFeeLamports: 6_000n, unknown: 0 });
});

test("the network fee counts the signatures that a program verifies, valid or not, in both versions", async () => {
  const verify = (program: string) => instruction(program, [], Uint8Array.of(200));
  const all = [
    verify("Ed25519SigVerify111111111111111111111111111"),
    verify("KeccakSecp256k11111111111111111111111111111"),
    verify("Secp256r1SigVerify1111111111111111111111111"),
  ];
  const { networkFeeLamports, unknown } = await explainTransaction(build(all));
  expect({ networkFeeLamports, unknown }).toEqual({ networkFeeLamports: 3_005_000n, unknown: 3 });
  const budget = { units: 1_000, price: 0n };
  const message = compileMessage({
    version: 1,
    payer: publicKey,
    instructions: all,
    budget,
    blockhash,
  });
  const explained = await explainTransaction(unsignedTransaction(message));
  expect(explained).toMatchObject({ version: 1, networkFeeLamports: 3_005_000n });
});

test("a transaction of version 1, as kit makes it, is signed and explained with the fee of its config", async () => {
  const transfer = await versionOneTransfer(agent, blockhash, { lamports: 5 });
  const signed = await keypairSigner(agent).signTransaction(transfer);
  expect(signed).toEqual(transfer);
  const explained = await explainTransaction(Buffer.from(signed).toString("base64"));
  expect(explained).toMatchObject({ version: 1, networkFeeLamports: 5_007n, unknown: 0 });
  expect(explained.signers[0]?.signature).toBe("valid");
  expect(explained.instructions[0]?.text).toContain("Transfers 0.000000005 SOL");
});

/** Has one signer and 21 bytes of data in base64, two signers and 78 bytes of data in base58. */
const BOTH = `
ARKXm3Mh5VwRwV5hM3mXK91uqooqu19KXm3Mh5VwRwV5hM3mXK91uqooqu19KXm3Mh5VwRwV5hM3mXK91uqooq8BAA
AG3Mh5VwRwV5hM3mXK91uqooqu19KXm3Mh5VwRwV5hM3mXK91uqooqu19KXm3Mh5VwRwV5hM3mXK91uqoo1114FTwY
dhGMdPsL9QM3mXK91uqooqu19KXm3Mh5VwRwV5hM3mXK91uqooqu19KXm3Mh5VwRwV5hM3mXK91uqooqu19KXm3Mh5
VwRwV5hM3mXK91uqooqu19KXm3Mh5VwRwV5hM3m111e9rFbd8N6E3xEaJ5VwRwV5hM3mXK91uqooqu19KXm3Mh5VwR
wV5hM3mXK91uqooqu19KXm3Mh5VwRw8BAQAVXK91uqooqu19KXm3Mh5VwRwV5hM3
`;

describe("the bytes", () => {
  const bytes = fromBase64(meteoraClaims.both);

  test("may be base64 or base58, in lines too", async () => {
    const expected = await explainTransaction(bytes);
    const lines = meteoraClaims.both.replace(/.{76}/g, "$&\n");
    for (const text of [lines, bs58.encode(bytes)]) {
      expect(await explainTransaction(text)).toEqual(expected);
    }
  });

  test("that are one transaction in base64 and another in base58 are refused as text, and read as bytes", async () => {
    await expect(explainTransaction(BOTH)).rejects.toThrow("one transaction in base64 and another");
    const text = BOTH.replace(/\s/g, "");
    expect((await explainTransaction(fromBase64(text))).signers).toHaveLength(1);
    expect((await explainTransaction(bs58.decode(text))).signers).toHaveLength(2);
  });

  test("say whether a signature is there, and is one of this transaction", async () => {
    const transaction = Transaction.from(bytes);
    transaction.sign(agent);
    const signed = transaction.serialize();
    expect((await explainTransaction(signed)).signers[0]?.signature).toBe("valid");
    signed[signed.length - 1] = (signed.at(-1) ?? 0) ^ 1;
    expect((await explainTransaction(signed)).signers[0]?.signature).toBe("invalid");
  });

  test("that are not a transaction are refused with one error, whatever they are", async () => {
    const isRefusedOrExplained = async (given: Uint8Array | string) => {
      const explained = await explainTransaction(given).catch((error: unknown) => error);
      if (explained instanceof Error) expect(explained).toBeInstanceOf(InvalidArgumentError);
    };
    await isRefusedOrExplained("é".repeat(10));
    await expect(explainTransaction("1".repeat(6_000))).rejects.toThrow("too long");
    await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 1_300 }), isRefusedOrExplained), {
      numRuns: 200,
    });
    const edit = fc.record({ at: fc.nat({ max: bytes.length - 1 }), to: fc.nat({ max: 255 }) });
    await fc.assert(
      fc.asyncProperty(edit, ({ at, to }) => isRefusedOrExplained(bytes.with(at, to))),
      { numRuns: 500, examples: [[{ at: 862, to: 4 }]] },
    );
  });
});
