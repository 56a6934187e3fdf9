import {
  AuthorityType,
  createApproveInstruction,
  createAssociatedTokenAccountIdempotentInstruction,
  createSetAuthorityInstruction,
  createTransferInstruction,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from "@solana/spl-token";
import {
  ComputeBudgetProgram,
  Keypair,
  type PublicKey,
  SystemProgram,
  TransactionInstruction,
} from "@solana/web3.js";
import bs58 from "bs58";

type Instructions = readonly TransactionInstruction[];

/**
 * Makes every transaction that a hostile server could make of an honest one: each account exchanged, left out
 * or added, each byte changed, other programs, each instruction left out, doubled or moved, others added.
 *
 * @param agent who signs it
 * @param others wallets that take the place of accounts, beside a stranger
 */
export function* forgedInstructions(
  instructions: Instructions,
  agent: PublicKey,
  others: readonly PublicKey[] = [],
): Generator<TransactionInstruction[]> {
  const stranger = Keypair.generate().publicKey;
  const isBudget = ({ programId }: TransactionInstruction) =>
    programId.equals(ComputeBudgetProgram.programId);
  const own = instructions.filter((one) => !isBudget(one));
  for (const [index, one] of instructions.entries()) {
    if (isBudget(one)) continue;
    for (const changed of changesOf(one, agent, [stranger, ...others])) {
      yield instructions.with(index, changed);
    }
    if (own.length === 1 || own[0] !== one) yield instructions.toSpliced(index, 1);
    yield instructions.toSpliced(index, 0, one);
  }
  // The same everywhere, so that the instructions agree with each other.
  for (const address of new Set(own.flatMap(({ keys }) => keys.map((key) => key.pubkey)))) {
    yield instructions.map(({ programId, keys, data }) => {
      const replace = (key: (typeof keys)[number]) =>
        key.pubkey.equals(address) ? { ...key, pubkey: stranger, isSigner: false } : key;
      return new TransactionInstruction({ programId, data, keys: keys.map(replace) });
    });
  }
  for (const added of additions(agent, stranger)) {
    for (let at = 0; at <= instructions.length; at++) yield instructions.toSpliced(at, 0, added);
  }
  for (let at = 1; at < own.length; at++) yield [...own.slice(at), ...own.slice(0, at)];
  for (const [from, one] of own.entries()) {
    for (const to of own.keys())
      if (to !== from) yield own.toSpliced(from, 1).toSpliced(to, 0, one);
  }
}

function* changesOf(
  { programId, keys, data }: TransactionInstruction,
  agent: PublicKey,
  wallets: readonly PublicKey[],
): Generator<TransactionInstruction> {
  const make = (change: Partial<TransactionInstruction>) =>
    new TransactionInstruction({ programId, keys, data, ...change });
  for (const [place, key] of keys.entries()) {
    for (const pubkey of wallets) {
      if (pubkey.equals(key.pubkey)) continue;
      const isSigner = key.isSigner && pubkey.equals(agent);
      yield make({ keys: keys.with(place, { ...key, pubkey, isSigner }) });
    }
    yield make({ keys: keys.toSpliced(place, 1) });
  }
  const [first] = keys;
  if (first) yield make({ keys: [...keys, first] });
  for (const place of data.keys()) {
    const changed = Buffer.from(data);
    changed[place] = (data[place] ?? 0) ^ 1;
    yield make({ data: changed });
  }
  yield make({ data: Buffer.from([...data, 1]) });
  if (data.length > 1) yield make({ data: data.subarray(0, -1) });
  for (const other of [SystemProgram.programId, TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID]) {
    if (!other.equals(programId)) yield make({ programId: other });
  }
}

function additions(agent: PublicKey, stranger: PublicKey): Instructions {
  return [
    SystemProgram.transfer({ fromPubkey: agent, toPubkey: stranger, lamports: 1 }),
    SystemProgram.assign({ accountPubkey: agent, programId: stranger }),
    createTransferInstruction(agent, stranger, agent, 1n),
    createTransferInstruction(agent, stranger, agent, 1n, [], TOKEN_2022_PROGRAM_ID),
    createApproveInstruction(agent, stranger, agent, 1n),
    createSetAuthorityInstruction(agent, agent, AuthorityType.AccountOwner, stranger),
    createAssociatedTokenAccountIdempotentInstruction(agent, stranger, stranger, stranger),
    ComputeBudgetProgram.requestHeapFrame({ bytes: 65_536 }),
    new TransactionInstruction({ programId: stranger, keys: [], data: Buffer.alloc(0) }),
  ];
}

/**
 * Does what web3.js does, in a tenth of the time: its addresses are texts in base58.
 *
 * @returns the unsigned bytes of a transaction of these instructions
 */
export function unsignedBytes(
  payer: PublicKey,
  instructions: Instructions,
  blockhash: string,
): Uint8Array {
  /** 2 if an account does not sign, and 1 if it is not written. */
  const ranks = new Map<string, number>();
  const add = (key: PublicKey, isSigner: boolean, isWritable: boolean) => {
    const rank = (isSigner ? 0 : 2) + (isWritable ? 0 : 1);
    ranks.set(textOf(key), rank & (ranks.get(textOf(key)) ?? 3));
  };
  add(payer, true, true);
  for (const { programId, keys } of instructions) {
    add(programId, false, false);
    for (const { pubkey, isSigner, isWritable } of keys) add(pubkey, isSigner, isWritable);
  }
  const names = [...ranks].sort(([, a], [, b]) => a - b).map(([name]) => name);
  const placeOf = (key: PublicKey) => names.indexOf(textOf(key));
  const [writers = 0, required = 0, others = 0] = [1, 2, 3].map(
    (rank) => [...ranks.values()].filter((one) => one < rank).length,
  );
  const sized = (bytes: readonly number[]) =>
    bytes.length < 128
      ? [bytes.length, ...bytes]
      : [(bytes.length & 127) | 128, bytes.length >> 7, ...bytes];
  return Uint8Array.from([
    required,
    ...new Uint8Array(64 * required),
    ...[required, required - writers, names.length - others, names.length],
    ...Buffer.from(names.join(""), "latin1"),
    ...bs58.decode(blockhash),
    instructions.length,
    ...instructions.flatMap(({ programId, keys, data }) => [
      placeOf(programId),
      ...sized(keys.map((key) => placeOf(key.pubkey))),
      ...sized([...data]),
    ]),
  ]);
}

const texts = new WeakMap<PublicKey, string>();

function textOf(key: PublicKey): string {
  const text = texts.get(key) ?? key.toBuffer().toString("latin1");
  texts.set(key, text);
  return text;
}
