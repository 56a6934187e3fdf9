import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  Keypair,
  type Message,
  PublicKey,
  TransactionInstruction,
  TransactionMessage,
} from "@solana/web3.js";
import type { ErrorCode } from "@tokenctl/shared/error-codes";
import bs58 from "bs58";
import fc from "fast-check";
import nacl from "tweetnacl";
import {
  clockGuard,
  forgeries,
  lamportsGuard,
  openClaim,
  reordered,
  signMessage,
} from "../../../../test/support/assertions.ts";
import { createLog } from "../../base/log.ts";
import { signMessage as signBytes } from "../../base/native-keys.ts";
import { ServiceError } from "../../base/service-error.ts";
import { SIGNING_KINDS, type Signed, type SigningKind } from "../../domain/signing.ts";
import {
  ChainUnavailableError,
  ExpiredError,
  RefusedError,
  SIGNING_CODES,
} from "../../launchpad/errors.ts";
import { compileAs } from "../../solana/message.ts";
import type { NewPrepared } from "../../store/prepared.ts";
import { newHandedOut } from "../../store/testing/rows.ts";
import { insertLaunch, insertToken } from "../../testing/launches.ts";
import { ScriptedLaunchpad, turns } from "../../testing/scripted-launchpad.ts";
import { serviceErrorFrom } from "../../testing/service-error-from.ts";
import { type TempStore, tempStore } from "../../testing/temp-store.ts";
import { messageHash, readSigned, SigningService, withoutAssertions } from "./service.ts";
import { Submitter } from "./submitter.ts";

const agent = nacl.sign.keyPair();
const stranger = nacl.sign.keyPair();
const WALLET = bs58.encode(agent.publicKey);
const MESSAGE = Uint8Array.from({ length: 200 }, (_, index) => index + 1);
const JOINT = MESSAGE.with(0, 2);

let temp: TempStore;
let chain: ScriptedLaunchpad;
let submitter: Submitter;
let service: SigningService;
let sent: Signed[];
let checked: (string | null)[];
let tried: string[];
beforeEach(async () => {
  temp = tempStore();
  [sent, checked, tried] = [[], [], []];
  chain = new ScriptedLaunchpad();
  chain.check = async (_, signature) => void checked.push(signature);
  chain.submit = async (signed, journal) => {
    await journal.record(signed);
    sent.push(signed);
    return { signature: signed.signature, paidLamports: 0n, payouts: [] };
  };
  const { store } = temp;
  const onTried = (outcome: string) => void tried.push(outcome);
  submitter = new Submitter({ store, chain, log: createLog("silent"), onTried });
  service = new SigningService({ store, chain, submitter });
});
afterEach(async () => {
  await submitter.stop();
  temp[Symbol.dispose]();
});

async function handOut(kind: SigningKind, message = MESSAGE) {
  const about: Pick<NewPrepared, "tokenMint" | "launchSeq" | "launch" | "handedTo"> = {};
  if (kind === "launch") {
    const eventId = await insertLaunch(temp, "ONE", { wallet: WALLET, payer: "agent" });
    const launchSeq = (await temp.store.launches.read(WALLET, eventId))?.seq ?? 0;
    Object.assign(about, { launchSeq, launch: newHandedOut("ONE") });
  } else {
    const { tokenMint } = await insertToken(temp, "ONE", { wallet: WALLET });
    Object.assign(about, { tokenMint, ...(kind === "hand_over" && { handedTo: "newCreator" }) });
  }
  const times = { lastValidBlockHeight: 150, expiresInSeconds: 60 };
  const transaction = wire(message);
  return await service.handOut({ kind, wallet: WALLET, ...about }, { transaction, ...times });
}

/** A transaction with all the signatures that its message needs; only the last is real. */
function wire(message: Uint8Array, signature: Uint8Array = new Uint8Array(64)) {
  const count = message[0] ?? 1;
  return Uint8Array.from([count, ...new Uint8Array(64 * (count - 1)), ...signature, ...message]);
}

const signatureOf = (message = MESSAGE, { secretKey } = agent) => signBytes(message, secretKey);
const signed = (message = MESSAGE, by = agent) =>
  Buffer.from(wire(message, signatureOf(message, by))).toString("base64");

const accept = (kind: SigningKind, text: string, wallet = WALLET, isIt = true) =>
  service.accept({ kind, wallet }, text, () => isIt);
const statusOf = async (message = MESSAGE) =>
  (await temp.store.prepared.find(WALLET, messageHash(message)))?.status;

describe.each(SIGNING_KINDS)("what is handed out as a %s", (kind) => {
  const codes = SIGNING_CODES[kind];
  const codeOf = async (accepting: Promise<unknown>) =>
    (await serviceErrorFrom(() => accepting)).wireCode;

  test("is accepted as it was handed out, by its own wallet, and nothing else is", async () => {
    expect(await codeOf(accept(kind, signed()))).toBe(codes.mismatch);
    const { transaction, expiresInSeconds } = await handOut(kind);
    expect([transaction, expiresInSeconds]).toEqual([
      Buffer.from(wire(MESSAGE)).toString("base64"),
      60,
    ]);
    for (const text of [
      ...Array.from(MESSAGE, (byte, at) => signed(MESSAGE.with(at, byte ^ 2))),
      signed(Uint8Array.from([...MESSAGE, 0])),
      Buffer.from([2, ...new Uint8Array(128), 1]).toString("base64"),
    ]) {
      expect(await codeOf(accept(kind, text))).toBe(codes.mismatch);
    }
    const other = bs58.encode(stranger.publicKey);
    expect(await codeOf(accept(kind, signed(MESSAGE, stranger), other))).toBe(codes.mismatch);
    expect(await codeOf(accept(kind, signed(), WALLET, false))).toBe(codes.mismatch);
    for (const another of SIGNING_KINDS.filter((it) => it !== kind)) {
      expect(await codeOf(accept(another, signed()))).toBe(SIGNING_CODES[another].mismatch);
    }
    expect([checked, sent]).toEqual([[], []]);
    expect(await accept(kind, signed())).toMatchObject({ row: { kind, status: "prepared" } });
  });

  test("is accepted only with the agent's signature", async () => {
    await handOut(kind);
    const changed = Buffer.from(signed(), "base64");
    changed.writeUInt8(changed.readUInt8(9) ^ 1, 9);
    const unsigned = Buffer.from(wire(MESSAGE));
    const texts = [unsigned, changed].map((bytes) => bytes.toString("base64"));
    for (const text of [signed(MESSAGE, stranger), ...texts]) {
      expect(await codeOf(accept(kind, text))).toBe(codes.unsigned);
    }
  });

  test("is valid to the last millisecond and not after, also after another was handed out", async () => {
    await handOut(kind);
    const other = MESSAGE.with(9, 99);
    const what = (await accept(kind, signed())).row;
    temp.clock.advance(59_999);
    const { tokenMint, launchSeq, launch } = what;
    await service.handOut(
      { kind, wallet: WALLET, launchSeq, launch, ...(tokenMint !== null && { tokenMint }) },
      {
        ...{ transaction: wire(other), lastValidBlockHeight: 150, expiresInSeconds: 60 },
      },
    );
    await accept(kind, signed());
    temp.clock.advance(1);
    expect(await codeOf(accept(kind, signed()))).toBe(codes.expired);
    await accept(kind, signed(other));
  });

  test.each<[string, Error, ErrorCode]>([
    ["refuses", new RefusedError(kind, "no"), codes.refused],
    ["finds expired", new ExpiredError(kind), codes.expired],
    ["does not answer about", new ChainUnavailableError("No answer"), "chain_unavailable"],
  ])("is not stored, cosigned or counted if the chain %s it", async (_, error, code) => {
    await handOut(kind);
    chain.check = () => Promise.reject(error);
    const accepted = await accept(kind, signed());
    const cosign = () => expect.unreachable();
    expect(await codeOf(service.send(accepted, { cosign }))).toBe(code);
    expect([await statusOf(), sent, tried]).toEqual(["prepared", [], []]);
  });

  test("is checked under its own name, stored, sent once, and then gets its first answer unchecked", async () => {
    await handOut(kind);
    const accepted = await accept(kind, signed());
    const outcomes = await Promise.all(
      [1, 2].map(async () => (await service.send(accepted)).outcome),
    );
    const signature = bs58.encode(signatureOf());
    expect(outcomes).toMatchObject([{ signature }, { signature }]);
    expect(new Set(checked)).toEqual(new Set([signature]));
    expect(sent).toMatchObject([{ kind, agent: WALLET, signature, lastValidBlockHeight: 150 }]);
    temp.clock.advance(86_400_000);
    checked.length = 0;
    const again = await service.send(await accept(kind, signed()));
    expect(await again.outcome).toMatchObject({ signature });
    expect([checked.length, sent.length]).toEqual([0, 1]);
    expect(tried).toEqual(kind === "claim" ? ["confirmed"] : []);
  });
});

test("a launch is answered once its bytes are stored, and its outcome comes later", async () => {
  const landed = Promise.withResolvers<never>();
  chain.submit = async (all, journal) => {
    await journal.record(all);
    return landed.promise;
  };
  await handOut("launch", JOINT);
  const transaction = Uint8Array.of(7);
  const sending = service.send(await accept("launch", signedFirst()), {
    cosign: async ({ order }) => ({ transaction, signature: `of ${order?.ticker}` }),
  });
  const { stored, outcome } = await sending;
  await stored;
  const row = await temp.store.prepared.find(WALLET, messageHash(JOINT));
  expect(row).toMatchObject({ status: "submitted", signature: "of ONE" });
  expect([...(row?.transaction ?? [])]).toEqual([7]);
  await turns();
  expect(Bun.peek.status(outcome)).toBe("pending");
  landed.reject(new ExpiredError("launch"));
  await expect(outcome).rejects.toBeInstanceOf(ExpiredError);
});

function signedFirst(): string {
  const bytes = [2, ...signatureOf(JOINT), ...new Uint8Array(64), ...JOINT];
  return Buffer.from(bytes).toString("base64");
}

test("of a sponsored claim the agent signs last, and its name is not the cluster's", async () => {
  await handOut("claim", JOINT);
  const accepted = await accept("claim", signed(JOINT));
  const cosigned = { transaction: Uint8Array.of(7), signature: "sponsor's" };
  const { outcome } = await service.send(accepted, { cosign: async () => cosigned });
  expect(await outcome).toMatchObject({ signature: "sponsor's" });
  expect(checked).toEqual([null]);
  expect(sent).toMatchObject([cosigned]);
});

const base64 = (...bytes: number[]) => Buffer.from(bytes).toString("base64");
const filled = (count: number, byte: number) => Array<number>(count).fill(byte);

test("a transaction has as many signatures as its message asks for, in their order", () => {
  const text = base64(3, ...filled(64, 0), ...filled(64, 7), ...filled(64, 8), 3, 0, 3);
  const signed = readSigned(text);
  expect(signed?.signatures.map(([first]) => first)).toEqual([0, 7, 8]);
  expect([...(signed?.message ?? [])]).toEqual([3, 0, 3]);
  expect(Buffer.from(signed?.transaction ?? []).toString("base64")).toBe(text);
  expect(text).toEndWith("==");
  expect(readSigned(text.replace(/=+$/, ""))).toEqual(signed);
});

test.each([
  ["one signature of a message that asks for two", base64(1, ...filled(64, 7), 2, 0, 3)],
  ["two signatures of a message that asks for one", base64(2, ...filled(128, 7), 1)],
  ["two signatures and nothing else", base64(2, ...filled(128, 7))],
  ["no signature", base64(0, 1, 0, 3)],
  ["a count in two bytes", base64(0x81, 0, ...filled(64, 7), 1)],
  ["a signature and nothing else", base64(1, ...filled(64, 7))],
  ["half a signature", base64(1, ...filled(30, 7))],
  ["no content", ""],
])("bytes with %s are not one of our transactions", (_, text) => {
  expect(readSigned(text)).toBeNull();
});

test.each([
  ["other characters", "AQ!!"],
  ["characters of the URL alphabet", "-_-_"],
  ["spaces", "AQ EB"],
  ["a character too many", "AQEBA"],
  ["loose bits at the end", "AR=="],
  ["1233 bytes", base64(1, ...filled(1232, 7))],
])("base64 with %s is refused", (_, text) => {
  expect(() => readSigned(text)).toThrow(ServiceError);
});

test("a transaction of 1232 bytes is accepted", () => {
  const text = base64(1, ...filled(64, 7), 1, ...filled(1166, 7));
  expect(readSigned(text)?.message).toHaveLength(1167);
});

test("any text is either parsed or refused with a ServiceError", () => {
  // `fc.string` would first build a table of all characters.
  const character = fc.nat(0x10ffff).map((point) => String.fromCodePoint(point));
  fc.assert(
    fc.property(fc.string({ maxLength: 100, unit: character }), (text) => {
      try {
        readSigned(text);
      } catch (error) {
        expect(error).toBeInstanceOf(ServiceError);
      }
    }),
  );
});

const wallet = Keypair.fromSeed(new Uint8Array(32).fill(1));
const address = (byte: number) => new PublicKey(new Uint8Array(32).fill(byte));
const account = fc.record({
  pubkey: fc.constantFrom(wallet.publicKey, ...[7, 8, 9, 10].map(address)),
  isSigner: fc.constant(false),
  isWritable: fc.boolean(),
});
const instruction = fc
  .record({
    programId: fc.constantFrom(address(7), address(20), address(21)),
    keys: fc.array(account, { maxLength: 5 }),
    data: fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
  })
  .map((fields) => new TransactionInstruction(fields));
const claim = fc.array(instruction, { minLength: 1, maxLength: 6 });
const assertion = fc
  .constantFrom(wallet.publicKey, ...[8, 30, 31].map(address))
  .map((read) => lamportsGuard(read));
const added = fc.array(fc.record({ at: fc.nat(), assertion }), { minLength: 1, maxLength: 8 });

function compile(instructions: TransactionInstruction[]): Message {
  const recentBlockhash = address(99).toBase58();
  return new TransactionMessage({
    payerKey: wallet.publicKey,
    recentBlockhash,
    instructions,
  }).compileToLegacyMessage();
}

test("the message that was handed out comes back byte for byte, wherever assertions were added", () => {
  fc.assert(
    fc.property(claim, added, fc.boolean(), (instructions, additions, isReordered) => {
      const prepared = compile(instructions);
      // Compiles by the message's flags of each account, like a wallet.
      let guarded = TransactionMessage.decompile(prepared).instructions;
      for (const { at, assertion } of additions) {
        guarded = guarded.toSpliced(at % (guarded.length + 1), 0, assertion);
      }
      const message = isReordered ? reordered(compile(guarded)) : compile(guarded);
      const stripped = withoutAssertions(message.serialize());
      expect(stripped).toEqual(Uint8Array.from(prepared.serialize()));
    }),
  );
});

const NOTHING_ELSE = { loadedAccountsDataSizeLimit: null, heapSize: null };

describe("a message", () => {
  const instructions = [
    new TransactionInstruction({
      programId: address(20),
      keys: [
        { pubkey: address(7), isSigner: false, isWritable: true },
        { pubkey: PublicKey.default, isSigner: false, isWritable: false },
      ],
      data: Buffer.of(1),
    }),
    new TransactionInstruction({
      programId: address(21),
      keys: [{ pubkey: address(7), isSigner: false, isWritable: true }],
      data: Buffer.of(2),
    }),
  ];
  const prepared = compile(instructions);
  const unsigned = Buffer.concat([Buffer.alloc(65).fill(1, 0, 1), prepared.serialize()]);

  test("without assertions is not taken apart", () => {
    expect(withoutAssertions(prepared.serialize())).toBeNull();
  });

  test("of version 1 comes back too, unless it asks for something else", () => {
    const config = { priorityFee: 7n, computeUnitLimit: 200_000, ...NOTHING_ELSE };
    const at = { payer: wallet.publicKey, blockhash: address(99).toBase58() };
    const stripped = (priorityFee: bigint) =>
      withoutAssertions(compileAs({ ...config, priorityFee }, at, [...instructions, clockGuard()]));
    const handedOut = compileAs(config, at, instructions);
    expect(stripped(7n)).toEqual(handedOut);
    expect(stripped(9n)).not.toEqual(handedOut);
  });

  test("cut off at any byte, or longer, is refused", () => {
    const guarded = compile([...instructions, clockGuard()]).serialize();
    expect(withoutAssertions(guarded)).not.toBeNull();
    for (let end = 0; end < guarded.length; end++) {
      expect(withoutAssertions(guarded.subarray(0, end))).toBeNull();
    }
    expect(withoutAssertions(Buffer.concat([guarded, Buffer.of(0)]))).toBeNull();
  });

  const other = openClaim(unsigned).instructions.toReversed();
  test.each(forgeries(unsigned, wallet, other))(
    "with %s never becomes the one that was handed out",
    (_, bytes) => {
      const stripped = withoutAssertions(bytes.subarray(1 + 64 * (bytes[0] ?? 0)));
      expect(stripped).not.toEqual(Uint8Array.from(prepared.serialize()));
    },
  );

  test("signed as it was handed out, with an assertion, does", () => {
    const guarded = signMessage(compile([...instructions, clockGuard()]), wallet);
    const stripped = withoutAssertions(guarded.subarray(65));
    expect(stripped).toEqual(Uint8Array.from(prepared.serialize()));
  });
});
