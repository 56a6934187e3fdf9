import {
  ComputeBudgetProgram,
  Keypair,
  Message,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { LIGHTHOUSE_PROGRAM } from "@tokenctl/shared/lighthouse";

type Instructions = TransactionInstruction[];

const LIGHTHOUSE = new PublicKey(LIGHTHOUSE_PROGRAM);
const OLD_LIGHTHOUSE = new PublicKey("L1TEVtgA75k273wWz1s6XMmDhQY5i3MwcvKb4VbZzfK");
const stranger = Keypair.fromSeed(new Uint8Array(32).fill(99));

function guard(
  data: readonly number[],
  keys: TransactionInstruction["keys"] = [],
  programId = LIGHTHOUSE,
): TransactionInstruction {
  return new TransactionInstruction({ programId, keys, data: Buffer.from(data) });
}

/** AssertSysvarClock: the slot is at least 0. */
export const clockGuard = () => guard([15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4]);

export const lamportsGuard = (pubkey: PublicKey) =>
  guard([5, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 4], [reads(pubkey)]);

const reads = (pubkey: PublicKey) => ({ pubkey, isSigner: false, isWritable: false });
const writes = (pubkey: PublicKey) => ({ pubkey, isSigner: false, isWritable: true });
const signs = (pubkey: PublicKey) => ({ pubkey, isSigner: true, isWritable: false });

/** Adds assertions as Phantom does: before, between and after a claim's instructions. */
export function withGuards(claim: Instructions, wallet: PublicKey): Instructions {
  const [budget, ...others] = claim as [TransactionInstruction, ...Instructions];
  return [clockGuard(), budget, lamportsGuard(wallet), ...others, clockGuard()];
}

/** The parts of an unsigned claim, for a test to change and compile again. */
export function openClaim(transaction: Uint8Array) {
  const message = VersionedTransaction.deserialize(transaction).message;
  const parts = TransactionMessage.decompile(message);
  const compile = (instructions: Instructions, changed: Partial<typeof parts> = {}) =>
    new TransactionMessage({ ...parts, ...changed, instructions }).compileToLegacyMessage();
  return { parts, compile, instructions: parts.instructions };
}

/** Signs as a wallet does, without a sponsor's signature. @returns the wire format */
export function signMessage(
  message: ConstructorParameters<typeof VersionedTransaction>[0],
  wallet: Keypair,
): Uint8Array {
  const transaction = new VersionedTransaction(message);
  const required = message.staticAccountKeys.slice(0, message.header.numRequiredSignatures);
  const signers = [wallet, stranger].filter(({ publicKey }) =>
    required.some((key) => key.equals(publicKey)),
  );
  transaction.sign(signers);
  return transaction.serialize();
}

/** Signs a claim as a wallet that adds assertions. @returns the wire format */
export function signGuarded(transaction: Uint8Array, wallet: Keypair): Uint8Array {
  const { compile, instructions } = openClaim(transaction);
  return signMessage(compile(withGuards(instructions, wallet.publicKey)), wallet);
}

/** The same message with its addresses in another order, as another library compiles it. */
export function reordered(message: Message): Message {
  const { accountKeys, header } = message;
  const total = accountKeys.length;
  const { numRequiredSignatures: signers, numReadonlyUnsignedAccounts: readOnly } = header;
  const places = [...accountKeys.keys()];
  const order = [
    ...places.slice(0, signers),
    ...places.slice(signers, total - readOnly).toReversed(),
    ...places.slice(total - readOnly).toReversed(),
  ];
  const moved = (place: number) => order.indexOf(place);
  return new Message({
    header,
    recentBlockhash: message.recentBlockhash,
    accountKeys: order.map((place) => accountKeys[place] as PublicKey),
    instructions: message.instructions.map(({ programIdIndex, accounts, data }) => ({
      programIdIndex: moved(programIdIndex),
      accounts: accounts.map(moved),
      data,
    })),
  });
}

/** Changes of a claim's instructions that no wallet may make, beside assertions that it may add. */
const CHANGES: Record<string, (claim: Instructions, wallet: PublicKey) => Instructions> = {
  "a write into memory": (claim, wallet) => [
    ...claim,
    guard(
      [0, 0, 255, 0, 0, 0],
      [
        ...[reads(LIGHTHOUSE), reads(SystemProgram.programId)],
        ...[{ pubkey: wallet, isSigner: true, isWritable: true }],
        ...[writes(stranger.publicKey), reads(wallet)],
      ],
    ),
  ],
  "a write that names no account": (claim) => [...claim, guard([0, 0, 255, 0, 0, 0])],
  "a closed memory": (claim) => [...claim, guard([1, 0, 255])],
  "an assertion that calls another program": (claim) => [...claim, guard([16, 0, 0])],
  "an instruction that Lighthouse does not have": (claim) => [...claim, guard([18, 0, 0])],
  "an empty instruction": (claim) => [...claim, guard([])],
  "an assertion of another program": (claim) => [...claim, guard([15, 0], [], stranger.publicKey)],
  "an assertion of the old Lighthouse": (claim) => [...claim, guard([15, 0], [], OLD_LIGHTHOUSE)],
  "another signer": (claim) => [...claim, guard([5, 0, 0], [signs(stranger.publicKey)])],
  "another writable account": (claim) => [...claim, guard([5, 0, 0], [writes(stranger.publicKey)])],
  "an account of the claim made writable": (claim) => [
    ...claim,
    guard([5, 0, 0], [writes(claim.at(-1)?.programId as PublicKey)]),
  ],
  "nine assertions": (claim) => [...claim, ...Array.from({ length: 8 }, clockGuard)],
  "a transfer": (claim, fromPubkey) => [
    ...claim,
    SystemProgram.transfer({ fromPubkey, toPubkey: stranger.publicKey, lamports: 1 }),
  ],
  "an instruction twice": (claim) => [...claim, claim.at(-1) as TransactionInstruction],
  "an instruction less": (claim) => claim.slice(0, -1),
  "instructions in another order": (claim) => [
    ...claim.slice(0, -2),
    ...claim.slice(-2).toReversed(),
  ],
  "other data": (claim) => claim.with(-1, changed(claim.at(-1), { data: Buffer.of(9, 9) })),
  "an account less": (claim) =>
    claim.with(-1, changed(claim.at(-1), { keys: claim.at(-1)?.keys.slice(0, -1) ?? [] })),
  "a higher priority fee": (claim) => [
    ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1_000_000 }),
    ...claim,
  ],
  "another compute limit": (claim) => [
    ComputeBudgetProgram.setComputeUnitLimit({ units: 1_400_000 }),
    ...claim.filter(({ programId }) => !programId.equals(ComputeBudgetProgram.programId)),
  ],
};

function changed(
  instruction: TransactionInstruction | undefined,
  change: Partial<TransactionInstruction>,
): TransactionInstruction {
  if (!instruction) throw new Error("the claim has instructions");
  return new TransactionInstruction({ ...instruction, ...change });
}

/**
 * Forges what a wallet may make of a claim: each is signed by the wallet, and has at least one
 * assertion that it may add.
 *
 * @param transaction the unsigned claim
 * @param other the instructions of another claim
 * @returns by what is wrong, the transaction in the wire format
 */
export function forgeries(
  transaction: Uint8Array,
  wallet: Keypair,
  other: Instructions,
): [string, Uint8Array][] {
  const { compile, instructions, parts } = openClaim(transaction);
  const guarded = [...instructions, clockGuard()];
  const whole = compile(guarded);
  const readOnly = whole.header.numReadonlyUnsignedAccounts;
  const messages: [string, Parameters<typeof signMessage>[0]][] = [
    ["another blockhash", compile(guarded, { recentBlockhash: stranger.publicKey.toBase58() })],
    ["another fee payer", compile(guarded, { payerKey: stranger.publicKey })],
    ["two claims in one", compile([...guarded, ...other])],
    ["the other claim alone", compile([...other, clockGuard()])],
    ["no claim at all", compile([clockGuard()])],
    ["a version", new TransactionMessage({ ...parts, instructions: guarded }).compileToV0Message()],
    ["an account that nothing uses", altered(whole, readOnly + 1, [stranger.publicKey])],
    ["an account twice", altered(whole, readOnly + 1, [SystemProgram.programId])],
    // Of its programs, which are read-only, it may then write to all but one.
    ["a writable program", altered(whole, 1)],
    ["a vault that it only reads", altered(whole, readOnly + 1)],
  ];
  for (const [what, change] of Object.entries(CHANGES)) {
    const forged = change(instructions, wallet.publicKey);
    messages.push([what, compile([clockGuard(), ...forged])]);
  }
  return messages.map(([what, message]) => [what, signMessage(message, wallet)]);
}

/** Gives a message more accounts at its end, and another count of those that it only reads. */
function altered(message: Message, readOnly: number, more: readonly PublicKey[] = []): Message {
  const { header, accountKeys, recentBlockhash, instructions } = message;
  return new Message({
    header: { ...header, numReadonlyUnsignedAccounts: readOnly },
    accountKeys: [...accountKeys, ...more],
    recentBlockhash,
    instructions,
  });
}
