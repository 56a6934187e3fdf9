import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedMessage,
} from "@solana/web3.js";
import { ASSOCIATED_TOKEN } from "@tokenctl/shared/programs/ids";
import { systemClock } from "../../server/src/base/clock.ts";
import { Collector } from "../../server/src/launchpad/chain/collector.ts";
import { Journal, unsent } from "../../server/src/launchpad/chain/testing/journal.ts";
import {
  never,
  order,
  WIDE_LIMITS,
} from "../../server/src/launchpad/chain/testing/test-launchpad.ts";
import { meteoraPartner } from "../../server/src/launchpad/meteora/collect.ts";
import { meteoraMigration } from "../../server/src/launchpad/meteora/launch.ts";
import { launch, openMarket, SOL } from "../../server/src/launchpad/meteora/testing/launchpad.ts";
import {
  describeMeteora,
  ON_CHAIN_MS,
} from "../../server/src/launchpad/meteora/testing/programs.ts";
import {
  buy,
  traded,
  tradedAfterMigration,
} from "../../server/src/launchpad/meteora/testing/trades.ts";
import { launchpadOn, signBy, stepTwo } from "../../server/src/launchpad/signing/testing/steps.ts";
import { compileMessage } from "../../server/src/solana/message.ts";
import { keypairSigner, type SigningPurpose } from "../../server/src/solana/wallet-signer.ts";
import { PURPOSES, type Purpose, type Rules, refusal } from "./policy.ts";

setDefaultTimeout(ON_CHAIN_MS);

const ASSOCIATED_TOKEN_PROGRAM = new PublicKey(ASSOCIATED_TOKEN);
const tipAccount = Keypair.generate().publicKey;
const stranger = Keypair.generate().publicKey;
const RULES: Rules = {
  purposes: PURPOSES,
  configs: null,
  maxFeeLamports: 1_000_000n,
  tipAccounts: [tipAccount.toBase58()],
  maxTipLamports: 10_000n,
};

describeMeteora("the policy of the launch signer", () => {
  /** Messages that the service asked to sign, by purpose. Each landed on the real programs. */
  const messages = new Map<Purpose, Uint8Array[]>();
  let wallet: PublicKey;
  let config: string;

  beforeAll(async () => {
    const { launchpad: meteora, trader } = await openMarket({
      creatorShare: 80,
      creationLamports: 20_000_000n,
    });
    const { cluster, launchWallet } = meteora;
    const { connection, chain } = cluster;
    wallet = launchWallet.publicKey;
    config = meteora.config.toBase58();
    const inner = keypairSigner(launchWallet);
    const signer = {
      ...inner,
      sign(message: Uint8Array, purpose: SigningPurpose) {
        if (purpose === "config") throw new Error("makes no config");
        messages.set(purpose, [...(messages.get(purpose) ?? []), message]);
        return inner.sign(message, purpose);
      },
    };
    const migrations = meteoraMigration(connection, wallet);
    const launchpad = launchpadOn(meteora, { wallet: signer }, migrations);
    await launchpad.deploy(order(), new Journal(), never);
    const { agent, token } = await traded(meteora, trader);
    chain.setAccount(agent.publicKey, { lamports: 0n, owner: SystemProgram.programId });
    const claim = await launchpad.buildClaim(agent.publicKey.toBase58(), [token.ref], {
      maySponsor: async () => true,
    });
    if (!claim) throw new Error("there is something to claim");
    await stepTwo(launchpad, signBy(agent, claim));
    const complete = await launch(meteora, cluster.wallet(SOL).publicKey);
    await buy(connection, { pool: complete.pool, trader }, 400n * SOL);
    await launchpad.keeper?.migrate(complete.ref, {
      journal: new Journal(),
      maySign: true,
      signal: never,
    });
    const migrated = await tradedAfterMigration(meteora, trader);
    const collector = new Collector({
      connection,
      wallet: signer,
      program: meteoraPartner(connection, wallet),
      clock: systemClock,
      feeCaps: WIDE_LIMITS,
      confirmer: { tickMs: 1 },
      ledger: { ...unsent, end: async () => {} },
    });
    for (const { ref } of [token, migrated.token]) {
      expect(await collector.collect([ref], never)).toMatchObject({ end: { status: "confirmed" } });
    }
  });

  const of = (purpose: Purpose) => {
    const [message] = messages.get(purpose) ?? [];
    if (!message) throw new Error(`nothing was signed for ${purpose}`);
    return message;
  };
  const ask = (message: Uint8Array, purpose: Purpose, rules: Partial<Rules> = {}) =>
    refusal(message, { purpose, wallet: wallet.toBase58() }, { ...RULES, ...rules });

  function change(
    message: Uint8Array,
    edit: (all: readonly TransactionInstruction[]) => readonly TransactionInstruction[],
  ): Uint8Array {
    const read = TransactionMessage.decompile(VersionedMessage.deserialize(message));
    const instructions = [...edit(read.instructions)];
    const { payerKey, recentBlockhash } = read;
    return new TransactionMessage({ payerKey, recentBlockhash, instructions })
      .compileToLegacyMessage()
      .serialize();
  }
  const pay = (toPubkey: PublicKey, lamports: number) =>
    SystemProgram.transfer({ fromPubkey: wallet, toPubkey, lamports });
  const swapKey = (one: TransactionInstruction, place: number, pubkey: PublicKey) =>
    new TransactionInstruction({
      ...one,
      keys: one.keys.map((key, index) => (index === place ? { ...key, pubkey } : key)),
    });

  test.each([...PURPOSES])(
    "signs each real transaction of the purpose %s, and of no other",
    (purpose) => {
      for (const message of messages.get(purpose) ?? []) {
        expect(ask(message, purpose, { configs: [config], tipAccounts: [] })).toBeNull();
        for (const other of PURPOSES)
          if (other !== purpose) expect(ask(message, other)).not.toBeNull();
      }
      expect(messages.get(purpose)?.length).toBeGreaterThan(0);
    },
  );

  /** Instructions that no transaction of any purpose may contain. */
  const more: readonly (readonly [string, () => TransactionInstruction, RegExp])[] = [
    [
      "another program that is given the wallet",
      () =>
        new TransactionInstruction({
          programId: stranger,
          keys: [{ pubkey: wallet, isSigner: true, isWritable: true }],
        }),
      /^calls an unknown instruction of /,
    ],
    [
      "a transfer to another payee",
      () => pay(stranger, 1),
      /^calls Transfer of System$|the from of/,
    ],
    [
      "the wallet given to a program",
      () => SystemProgram.assign({ accountPubkey: wallet, programId: stranger }),
      /^calls Assign of System$/,
    ],
    [
      "a bid of too many lamports",
      () => ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 100_000_000 }),
      /^costs \d+ lamports in fees, more than 1000000$/,
    ],
    [
      "a tip above the cap",
      () => pay(tipAccount, 10_001),
      /^tips 10001 lamports, more than 10000$|^makes the wallet the from of Transfer$/,
    ],
  ];
  const matrix = PURPOSES.flatMap((purpose) => more.map((row) => [purpose, ...row] as const));
  test.each(matrix)("a %s with %s is refused", (purpose, _, make, why) => {
    // The last compute unit price counts, so the test's bid replaces the service's.
    const isPrice = ({ programId, data }: TransactionInstruction) =>
      programId.equals(ComputeBudgetProgram.programId) && data[0] === 3;
    const message = change(of(purpose), (all) => [...all.filter((one) => !isPrice(one)), make()]);
    expect(ask(message, purpose)).toMatch(why);
  });

  test.each(["launch", "migrate", "collect"] as const)(
    "a %s may pay one tip within the cap",
    (purpose) => {
      const tipped = (times: number) =>
        change(of(purpose), (all) => [
          ...all,
          ...Array.from({ length: times }, () => pay(tipAccount, 10_000)),
        ]);
      expect(ask(tipped(1), purpose)).toBeNull();
      expect(ask(tipped(2), purpose)).toBe("pays several tips");
      expect(ask(tipped(1), purpose, { tipAccounts: [] })).toBe("calls Transfer of System");
    },
  );

  const launchParts = () =>
    TransactionMessage.decompile(VersionedMessage.deserialize(of("launch"))).instructions.filter(
      ({ programId }) => !programId.equals(ComputeBudgetProgram.programId),
    ) as [create: TransactionInstruction, give: TransactionInstruction];

  test.each([...PURPOSES])(
    "a %s whose instructions name the wallet once more is refused",
    (purpose) => {
      const wallets = { pubkey: wallet, isSigner: true, isWritable: true };
      for (const message of messages.get(purpose) ?? []) {
        const { instructions } = TransactionMessage.decompile(
          VersionedMessage.deserialize(message),
        );
        for (const [at, { programId }] of instructions.entries()) {
          if (programId.equals(ComputeBudgetProgram.programId)) continue;
          const forged = change(message, (all) =>
            all.map((one, index) =>
              index === at
                ? new TransactionInstruction({ ...one, keys: [...one.keys, wallets] })
                : one,
            ),
          );
          expect(ask(forged, purpose)).toMatch(/^(makes the wallet|calls )/);
        }
      }
    },
  );

  test("a price without a limit of units counts for all that a transaction can use", () => {
    const price = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1_000_000 });
    const message = change(of("launch"), () => [...launchParts(), price]);
    expect(ask(message, "launch")).toMatch(/^costs 1410000 lamports in fees/);
  });

  test("a launch under another config, whose pools may cost more, is refused", () => {
    expect(ask(of("launch"), "launch", { configs: [stranger.toBase58()] })).toBe(
      `is under another config: ${config}`,
    );
  });

  test("a collection that pays another wallet at any place is refused", () => {
    const refused = new Set<string>();
    for (const message of messages.get("collect") ?? []) {
      const { instructions } = TransactionMessage.decompile(VersionedMessage.deserialize(message));
      for (const [at, { keys }] of instructions.entries()) {
        for (const place of keys.keys()) {
          const forged = change(message, (all) =>
            all.map((one, index) => (index === at ? swapKey(one, place, stranger) : one)),
          );
          const [, what] =
            /^pays another wallet: the (.*)$/.exec(ask(forged, "collect") ?? "") ?? [];
          if (what) refused.add(what);
        }
      }
    }
    expect([...refused].sort()).toEqual([
      "destination of CloseAccount",
      "feeClaimer of claim_partner_pool_creation_fee",
      "feeClaimer of claim_trading_fee",
      "feeReceiver of claim_partner_pool_creation_fee",
      "owner of CloseAccount",
      "owner of CreateIdempotent",
      "payer of CreateIdempotent",
      "signer of claim_position_fee",
      "tokenAAccount of claim_position_fee",
      "tokenAAccount of claim_trading_fee",
      "tokenBAccount of claim_position_fee",
      "tokenBAccount of claim_trading_fee",
    ]);
  });

  test("a sponsored claim that keeps the rent or repays nothing is refused", () => {
    const without = (drop: (one: TransactionInstruction) => boolean) =>
      ask(
        change(of("claim"), (all) => all.filter((one) => !drop(one))),
        "claim",
      );
    expect(without(({ programId }) => programId.equals(SystemProgram.programId))).toBe(
      "does not repay the wallet",
    );
    expect(without(({ data }) => data.length === 1 && data[0] === 9)).toBe("leaves an account");
    const elsewhere = change(of("claim"), (all) =>
      all.map((one) =>
        one.programId.equals(SystemProgram.programId) ? swapKey(one, 1, stranger) : one,
      ),
    );
    expect(ask(elsewhere, "claim")).toBe("does not repay the wallet");
    const tipped = change(of("claim"), (all) => [...all, pay(tipAccount, 1)]);
    expect(ask(tipped, "claim")).toBe("makes the wallet the from of Transfer");
    // Made, closed, and made again.
    const again = change(of("claim"), (all) => [
      ...all,
      ...all.filter(({ programId }) => programId.equals(ASSOCIATED_TOKEN_PROGRAM)),
    ]);
    expect(ask(again, "claim")).toBe("leaves an account");
  });

  test("a claim that calls an unknown program is refused: verified signatures cost a fee each", () => {
    const programId = new PublicKey("Ed25519SigVerify111111111111111111111111111");
    const verify = new TransactionInstruction({ programId, keys: [], data: Buffer.of(200) });
    const [claim = new Uint8Array()] = messages.get("claim") ?? [];
    expect(
      ask(
        change(claim, (all) => [...all, verify]),
        "claim",
      ),
    ).toBe(`calls an unknown instruction of ${programId}`);
  });

  test("a launch creates one pool, and gives away no other", () => {
    const [create, give] = launchParts();
    const launchOf = (...all: TransactionInstruction[]) =>
      ask(
        change(of("launch"), () => all),
        "launch",
      );
    expect(launchOf(create, give)).toBeNull();
    expect(launchOf(create)).toBeNull();
    expect(launchOf(give)).toBe("does not create one pool");
    expect(launchOf(create, create)).toBe("does not create one pool");
    expect(launchOf(create, swapKey(give, 0, stranger))).toBe(
      `gives away another pool: ${stranger}`,
    );
  });

  test("a message that does not need the wallet's signature is refused: it could be a text", () => {
    const text = `Sign${" ".repeat(111 * 32)}\0`;
    for (const purpose of PURPOSES) {
      expect(ask(new TextEncoder().encode(text), purpose)).toBe(
        "does not need the wallet's signature",
      );
    }
  });

  test("bytes that are no message, and addresses that the message does not show, are refused", () => {
    expect(ask(of("launch").subarray(1), "launch")).toMatch(/^cannot be read/);
    const read = TransactionMessage.decompile(VersionedMessage.deserialize(of("launch")));
    const v0 = new TransactionMessage(read).compileToV0Message();
    v0.addressTableLookups.push({
      accountKey: stranger,
      writableIndexes: [0],
      readonlyIndexes: [],
    });
    expect(ask(v0.serialize(), "launch")).toBe("takes addresses from a table");
  });

  test("a bid of version 1, which is no instruction, counts too", () => {
    const { instructions, recentBlockhash: blockhash } = TransactionMessage.decompile(
      VersionedMessage.deserialize(of("migrate")),
    );
    const own = instructions.filter(
      ({ programId }) => !programId.equals(ComputeBudgetProgram.programId),
    );
    const budget = { units: 1_000_000, price: 1_000_000n };
    const parts = { version: 1, payer: wallet, instructions: own, budget, blockhash } as const;
    expect(ask(compileMessage(parts), "migrate")).toMatch(/^costs \d+ lamports in fees/);
  });
});
