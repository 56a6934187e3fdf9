import { createHash } from "node:crypto";
import { PublicKey, TransactionMessage, VersionedMessage } from "@solana/web3.js";
import { isAssertion, LIGHTHOUSE_PROGRAM, MAX_ASSERTIONS } from "@tokenctl/shared/lighthouse";
import {
  readMessage,
  requiredSignatures,
  type SplitTransaction,
  splitTransaction,
  type WireMessage,
} from "@tokenctl/shared/wire-transaction";
import bs58 from "bs58";
import { decodeAddress } from "../../base/base58.ts";
import { waitAtMost } from "../../base/clock.ts";
import { verifyEd25519 } from "../../base/ed25519.ts";
import { ServiceError } from "../../base/service-error.ts";
import type { SignedBytes } from "../../domain/journal.ts";
import type { ConfirmedClaim, HandedOut, SigningKind } from "../../domain/signing.ts";
import { readTransaction } from "../../http/body.ts";
import { SIGNING_CODES, throwAsServiceError } from "../../launchpad/errors.ts";
import type { UnsignedTransaction } from "../../launchpad/signing/compose.ts";
import type { Signing } from "../../launchpad/signing/signing.ts";
import { compileAs } from "../../solana/message.ts";
import type { NewPrepared, PreparedRow, SubmitLimits } from "../../store/prepared.ts";
import type { Store } from "../../store/store.ts";
import { handedOutOf, type Submission, type Submitter } from "./submitter.ts";

/** A transaction confirms or expires within 90 s, and our clients give up after 120 s. */
export const ANSWER_DEADLINE_MS = 100_000;

export interface Accepted {
  readonly row: PreparedRow;
  readonly signed: SignedMessage;
}

interface SendOptions {
  readonly limits?: SubmitLimits;
  /** Adds the service's own signatures; without it, the agent's is the only one. */
  readonly cosign?: (handedOut: HandedOut) => Promise<SignedBytes>;
}

/**
 * Handles every transaction that an agent signs. Step 1 stores the hash of what it hands out. Step
 * 2 accepts exactly that message, with the agent's signature and at most 8 assertions that its
 * wallet added, simulates it, and only then stores and sends it. A repeat gets the first response.
 */
export class SigningService {
  constructor(
    private readonly deps: {
      readonly store: Store;
      readonly chain: Signing;
      readonly submitter: Submitter;
    },
  ) {}

  get chain(): Signing {
    return this.deps.chain;
  }

  async handOut(
    what: Omit<NewPrepared, "messageHash" | "lastValidBlockHeight" | "preparedAt" | "expiresAt">,
    { transaction, lastValidBlockHeight, expiresInSeconds }: UnsignedTransaction,
  ) {
    const { prepared, clock } = this.deps.store;
    const preparedAt = clock.now();
    await prepared.prepare({
      ...what,
      messageHash: messageHash(splitTransaction(transaction).message),
      lastValidBlockHeight,
      preparedAt,
      expiresAt: preparedAt + expiresInSeconds * 1000,
    });
    const base64 = Buffer.from(transaction).toString("base64");
    return { success: true as const, transaction: base64, expiresInSeconds };
  }

  /** Finds the row of a transaction that an agent signed. @param isIt whether it fits the request */
  async accept(
    { kind, wallet }: { readonly kind: SigningKind; readonly wallet: string },
    signedTransaction: string,
    isIt: (row: PreparedRow) => boolean,
  ): Promise<Accepted> {
    const codes = SIGNING_CODES[kind];
    const signed = readSigned(signedTransaction);
    const row = signed && (await this.#find(wallet, signed));
    if (!signed || row?.kind !== kind || !isIt(row)) {
      throw new ServiceError(codes.mismatch, {
        advice:
          "Sign exactly the transaction that step 1 returned, or request a new one. A wallet may add assertions of Lighthouse to it.",
      });
    }
    const publicKey = decodeAddress(wallet);
    const signature = signed.signatures[isSponsored(row, signed) ? 1 : 0];
    if (!publicKey || !signature || !verifyEd25519(signed.message, signature, publicKey)) {
      throw new ServiceError(codes.unsigned);
    }
    if (row.status === "prepared" && this.deps.store.clock.now() >= row.expiresAt) {
      throw new ServiceError(codes.expired);
    }
    return { row, signed };
  }

  /** Checks a transaction unless it is stored, and submits it. */
  async send({ row, signed }: Accepted, { cosign, limits }: SendOptions = {}): Promise<Submission> {
    const { store, chain, submitter } = this.deps;
    const { transaction } = signed;
    const [first] = signed.signatures;
    const name = bs58.encode(first as Uint8Array);
    if (row.status !== "prepared") return submitter.submit(row, { signature: name, transaction });
    const handedOut = { ...(await handedOutOf(store, row)), transaction };
    // No agent can have sent a sponsored claim: the launch wallet's signature comes first.
    const ownName = isSponsored(row, signed) ? null : name;
    await chain.check(handedOut, ownName).catch(throwAsServiceError);
    const bytes = cosign
      ? await cosign(handedOut).catch(throwAsServiceError)
      : { signature: name, transaction };
    return submitter.submit(row, bytes, limits);
  }

  /** Calls {@link send} and waits. @returns the outcome; null after {@link ANSWER_DEADLINE_MS} */
  async sendAndWait(accepted: Accepted, options?: SendOptions): Promise<ConfirmedClaim | null> {
    const { outcome } = await this.send(accepted, options);
    if (!(await waitAtMost(ANSWER_DEADLINE_MS, outcome, this.deps.store.clock))) return null;
    return outcome.catch(throwAsServiceError);
  }

  /** Finds a row by the hash of its message, or of that without the wallet's assertions. */
  async #find(wallet: string, signed: SignedMessage): Promise<PreparedRow | null> {
    const { prepared } = this.deps.store;
    const row = await prepared.find(wallet, messageHash(signed.message));
    if (row !== null) return row;
    const stripped = withoutAssertions(signed.message);
    const guarded = stripped && (await prepared.find(wallet, messageHash(stripped)));
    // The launch wallet pays the fee of a sponsored claim that fails. With assertions, one claim
    // could be signed, and could fail, many times.
    if (guarded && isSponsored(guarded, signed)) {
      throw new ServiceError("claim_mismatch", {
        advice:
          "Another wallet pays for this claim, and signs it only without the assertions that your wallet added. Use another wallet, or send SOL to this one and claim again.",
      });
    }
    return guarded;
  }
}

/** Whether the launch wallet pays for a claim, and signs it before the agent. */
export function isSponsored({ kind }: PreparedRow, { signatures }: SignedMessage): boolean {
  return kind === "claim" && signatures.length === 2;
}

export interface SignedMessage extends SplitTransaction {
  readonly transaction: Uint8Array;
}

/** Splits a transaction. @returns null unless it has as many signatures as its message needs */
export function readSigned(base64: string): SignedMessage | null {
  const transaction = readTransaction(base64);
  try {
    const parts = splitTransaction(transaction);
    // With another count it cannot land, and the service signs only if the message needs it.
    return requiredSignatures(parts.message) === parts.signatures.length
      ? { ...parts, transaction }
      : null;
  } catch {
    return null;
  }
}

/** Hashes to 192 bits: short enough to store with each claim, and still collision-resistant. */
export function messageHash(message: Uint8Array): string {
  return createHash("sha256").update(message).digest("base64url").slice(0, 32);
}

const lighthouse = new PublicKey(LIGHTHOUSE_PROGRAM);

/**
 * Removes the assertions that a wallet added to a message, and compiles it as step 1 did: the order
 * of addresses follows from the instructions. If the wallet changed nothing else, the result equals
 * the message of step 1 byte for byte; the caller compares the hash.
 * @returns null if the message has no assertions, too many, or other additions
 */
export function withoutAssertions(bytes: Uint8Array): Uint8Array | null {
  const read = open(bytes);
  if (read === null) return null;
  const { wire, payer, blockhash, instructions } = read;
  const added = instructions.filter(({ programId }) => programId.equals(lighthouse));
  if (added.length === 0 || added.length > MAX_ASSERTIONS) return null;
  if (!added.every(({ data }) => isAssertion(data))) return null;
  const compile = (these: typeof instructions) =>
    compileAs(wire.config, { payer, blockhash }, these);
  // The recompiled message has the same counts only if each account appears once and is used.
  const [others, signed] = countAccounts(wire);
  const again = countAccounts(readMessage(compile(instructions)));
  if (again.join() !== [others, signed].join()) return null;
  const prepared = compile(instructions.filter((instruction) => !added.includes(instruction)));
  // Accounts that only the assertions name do not sign and are read-only.
  return countAccounts(readMessage(prepared))[1] === signed ? prepared : null;
}

/** @returns null if the message is not canonical, or has a version that is never handed out */
function open(bytes: Uint8Array) {
  try {
    const wire = readMessage(bytes);
    if (wire.version === 0) return null;
    const { payerKey: payer, ...parts } = TransactionMessage.decompile(
      VersionedMessage.deserialize(bytes),
    );
    return { wire, payer, blockhash: parts.recentBlockhash, instructions: parts.instructions };
  } catch {
    return null;
  }
}

/** Counts read-only non-signers; then signers, read-only signers and writable non-signers. */
function countAccounts(message: WireMessage): readonly [readOnlyOthers: number, others: string] {
  const { requiredSignatures: signers, readonlySigned, readonlyUnsigned, staticKeys } = message;
  const writableOthers = staticKeys.length - signers - readonlyUnsigned;
  return [readonlyUnsigned, [signers, readonlySigned, writableOthers].join()];
}
